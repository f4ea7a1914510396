/** OAuth clients: programs that get tokens for themselves, or for a person who signs in. */
import { randomBytes } from 'node:crypto'
import type {
  Credentials,
  Documents,
  IdempotencyNote,
  StoredDocument,
} from '../../store/object-store.ts'
import type { CredentialSpec } from '../api-tokens.ts'
import { hashSecret, newSecret, sameHash } from '../credentials.ts'
import { OAuthError } from './oauth-error.ts'

export interface OAuthClientSpec extends CredentialSpec {
  /** Whether the program cannot keep a secret, as in a browser or on a phone. */
  readonly isPublic: boolean
  /** Where a person may be sent after signing in; compared exactly. */
  readonly redirectUris: readonly string[]
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

const SECRET_PREFIX = 'oqs_client_'
const ID_BYTES = 16

export interface CreatedClient {
  readonly client: OAuthClient
  /** Undefined for a public client. */
  readonly secret: string | undefined
}

/**
 * Creates a client. The secret is returned once and stored only as a hash. `record` returns what the
 * store records with the client.
 */
export async function createOAuthClient(
  { documents }: Credentials,
  { expiresAtMs, ...spec }: OAuthClientSpec,
  nowMs: number,
  record?: (created: CreatedClient) => Promise<IdempotencyNote | undefined>,
): Promise<CreatedClient> {
  const id = randomBytes(ID_BYTES).toString('hex')
  const secret = spec.isPublic ? undefined : newSecret(SECRET_PREFIX)
  const body: ClientBody = {
    ...spec,
    createdAtMs: nowMs,
    secretHash: secret === undefined ? undefined : hashSecret(secret),
  }
  const document = { kind: 'oauthClient', id, body, expiresAtMs } as const
  const created = { client: toClient(document), secret }
  const idempotencyKey = await record?.(created)
  await documents.put(document, undefined, idempotencyKey && { idempotencyKey })
  return created
}

/** Returns all clients that have not expired, oldest first. */
export async function listOAuthClients(
  { documents }: Credentials,
  nowMs: number,
): Promise<readonly OAuthClient[]> {
  const clients = (await documents.list('oauthClient', nowMs)).map(toClient)
  return clients.toSorted((a, b) => a.createdAtMs - b.createdAtMs)
}

/** Revokes one client by id, or every client with a name, and returns their ids. */
export async function revokeOAuthClients(
  store: Credentials,
  idOrName: string,
  nowMs: number,
): Promise<readonly string[]> {
  const clients = await listOAuthClients(store, nowMs)
  const revoked = clients.filter(({ id, name }) => id === idOrName || name === idOrName)
  for (const { id } of revoked) await revokeOAuthClient(store, id, nowMs)
  return revoked.map(({ id }) => id)
}

/**
 * Revokes the client with an id, and returns it; undefined if there is none. Grants and refresh tokens need their client, so they end with it;
 * access tokens are revoked.
 */
export async function revokeOAuthClient(
  store: Credentials,
  id: string,
  nowMs: number,
): Promise<OAuthClient | undefined> {
  const client = await findOAuthClient(store.documents, id, nowMs)
  if (client === undefined || !(await store.documents.delete('oauthClient', id))) return undefined
  // Afterwards: a token that is being issued now is either revoked here, or finds no client.
  await store.revokeIssuedTokens(id, nowMs)
  return client
}

export async function findOAuthClient(
  documents: Documents,
  id: string,
  nowMs: number,
): Promise<OAuthClient | undefined> {
  const found = await documents.find('oauthClient', id, nowMs)
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
  const found = await documents.find('oauthClient', id, nowMs)
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

function toClient({ id, body, expiresAtMs }: StoredDocument): OAuthClient {
  const { secretHash: _, ...client } = body as ClientBody
  return { ...client, id, ontologies: client.ontologies, expiresAtMs }
}

/** Throws `invalid_request` if people who sign in for a client may not be sent to an address. */
export function checkRedirectUri({ redirectUris }: OAuthClient, redirectUri: string): void {
  if (redirectUris.includes(redirectUri)) return
  const description = 'redirect_uri is not one of those that the client was created with.'
  throw new OAuthError('invalid_request', description)
}
