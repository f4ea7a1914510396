/** OAuth clients: programs that get tokens for themselves, or for a person who signs in. */
import { randomBytes } from 'node:crypto'
import { SCOPES, type Scope } from '../../contract/scopes.ts'
import type { Documents, ObjectStore, OnceNote, StoredDocument } from '../../store/object-store.ts'
import { hashSecret, sameHash } from '../request/authenticate.ts'
import { OAuthError } from './oauth-error.ts'

export interface OAuthClientSpec {
  readonly name: string
  /** Whether the program cannot keep a secret, as in a browser or on a phone. */
  readonly isPublic: boolean
  /** Where a person may be sent after signing in; compared exactly. */
  readonly redirectUris: readonly string[]
  readonly scopes: readonly Scope[]
  /** API names or RIDs; undefined for every ontology. */
  readonly ontologies: readonly string[] | undefined
  /** Names of policies; undefined if none limits the client. */
  readonly policies?: readonly string[] | undefined
  readonly expiresAtMs: number | undefined
}

/** A stored client: everything but the secret. */
export interface OAuthClient extends OAuthClientSpec {
  readonly id: string
  readonly createdAtMs: number
}

interface ClientBody extends Omit<OAuthClient, 'id' | 'expiresAtMs'> {
  /** Undefined for a public client. */
  readonly secretHash: string | undefined
}

/** Lets people and secret scanners recognise a leaked secret. */
const SECRET_PREFIX = 'oqs_client_'
const SECRET_BYTES = 32
const ID_BYTES = 16

/**
 * The explorer, which every service has as a public client. It has no stored redirect URI: people
 * return to the address at which they use the service.
 */
export const EXPLORER_CLIENT_ID = 'explorer'
const EXPLORER: StoredDocument = {
  kind: 'oauthClient',
  id: EXPLORER_CLIENT_ID,
  body: {
    name: 'Explorer',
    isPublic: true,
    redirectUris: [],
    scopes: Object.keys(SCOPES) as Scope[],
    ontologies: undefined,
    createdAtMs: 0,
    secretHash: undefined,
  } satisfies ClientBody,
  expiresAtMs: undefined,
}

export interface CreatedClient {
  readonly id: string
  /** Undefined for a public client. */
  readonly secret: string | undefined
}

/**
 * Creates a client. The secret is returned once and stored only as a hash. `record` returns what the
 * store records with the client.
 */
export async function createOAuthClient(
  { documents }: ObjectStore,
  { expiresAtMs, ...spec }: OAuthClientSpec,
  nowMs: number,
  record?: (created: CreatedClient) => Promise<OnceNote | undefined>,
): Promise<CreatedClient> {
  const id = randomBytes(ID_BYTES).toString('hex')
  const secret = spec.isPublic
    ? undefined
    : SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  const body: ClientBody = {
    ...spec,
    createdAtMs: nowMs,
    secretHash: secret === undefined ? undefined : hashSecret(secret),
  }
  const once = await record?.({ id, secret })
  const document = { kind: 'oauthClient', id, body, expiresAtMs } as const
  await documents.put(document, undefined, once && { once })
  return { id, secret }
}

/** Returns all clients that have not expired, oldest first. */
export async function listOAuthClients(
  { documents }: ObjectStore,
  nowMs: number,
): Promise<readonly OAuthClient[]> {
  const clients = (await documents.list('oauthClient', nowMs)).map(toClient)
  return clients.toSorted((a, b) => a.createdAtMs - b.createdAtMs)
}

/** Revokes one client by id, or every client with a name, and returns their ids. */
export async function revokeOAuthClients(
  store: ObjectStore,
  idOrName: string,
  nowMs: number,
): Promise<readonly string[]> {
  const clients = await listOAuthClients(store, nowMs)
  const revoked = clients.filter(({ id, name }) => id === idOrName || name === idOrName)
  for (const { id } of revoked) await revokeOAuthClient(store, id, nowMs)
  return revoked.map(({ id }) => id)
}

/**
 * Revokes the client with an id, and returns whether there was one; the explorer is not stored, so
 * it cannot be revoked. Grants and refresh tokens need their client, so they end with it; access
 * tokens are revoked.
 */
export async function revokeOAuthClient(
  store: ObjectStore,
  id: string,
  nowMs: number,
): Promise<boolean> {
  if (!(await store.documents.delete('oauthClient', id))) return false
  // Afterwards: a token that is being issued now is either revoked here, or finds no client.
  await store.revokeIssuedTokens(id, nowMs)
  return true
}

export async function findOAuthClient(
  documents: Documents,
  id: string,
  nowMs: number,
): Promise<OAuthClient | undefined> {
  const found = await findStored(documents, id, nowMs)
  return found && toClient(found)
}

/** What a request presents to identify its client. */
export interface ClientCredentials {
  readonly id: string
  readonly secret: string | undefined
}

/** Returns the client of a request. Throws `invalid_client` if its secret is wrong. */
export async function authenticateClient(
  documents: Documents,
  { id, secret }: ClientCredentials,
  nowMs: number,
): Promise<OAuthClient> {
  const found = await findStored(documents, id, nowMs)
  const expected = found && (found.body as ClientBody).secretHash
  const isPublic = found !== undefined && expected === undefined
  const isSame = sameHash(
    hashSecret(secret ?? ''),
    expected ?? hashSecret(randomBytes(1).toString()),
  )
  if (found === undefined || (isPublic ? secret !== undefined : !isSame)) {
    throw new OAuthError('invalid_client', 'The client is unknown, or its secret is wrong.')
  }
  return toClient(found)
}

async function findStored(
  documents: Documents,
  id: string,
  nowMs: number,
): Promise<StoredDocument | undefined> {
  return id === EXPLORER_CLIENT_ID ? EXPLORER : documents.find('oauthClient', id, nowMs)
}

function toClient({ id, body, expiresAtMs }: StoredDocument): OAuthClient {
  const { secretHash: _, ...client } = body as ClientBody
  return { ...client, id, ontologies: client.ontologies, expiresAtMs }
}
