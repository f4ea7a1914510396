/**
 * Authentication: from the `Authorization` header to the caller, its rights and the catalogue that it
 * sees. A bearer token is the admin token of the settings, a signed token of an OpenID provider, or an
 * API token of the store. A browser session takes the place of the header.
 *
 * A request for a page takes the catalogue from a cache, and on PostgreSQL its token and policies too,
 * which saves two round trips. The page verifies them in its own transaction, before anything is sent.
 */
import { ObjectQueryError } from '../contract/errors.ts'
import type { OntologyName } from '../ontology/catalogue.ts'
import type { ApiToken } from '../store/object-store.ts'
import { CachedIdentity } from '../store/port/request-context.ts'
import type { AccessServices } from './access-services.ts'
import { ADMIN, type Caller, callerOfToken, toCaller, unauthorized } from './caller-rights.ts'
import { hashSecret, sameHash } from './credentials.ts'
import type { Viewer } from './find-visible.ts'
import type { ReadPolicies } from './policies/view-cache.ts'
import { callerOfSession } from './sessions.ts'

/** A caller that is authenticated. Its policies, which `viewOf` applies, do not limit it yet. */
export interface Identified extends Viewer {
  /** The policies of the caller, if they were taken from a cache. */
  readonly policies?: ReadPolicies | undefined
  /** Set if anything was taken from a cache. */
  readonly cachedIdentity?: CachedIdentity | undefined
}

/** Identifies a caller by what is in the database now. Throws if its credentials are not valid. */
export async function identify(
  credentials: Credentials,
  name: OntologyName,
  services: AccessServices,
): Promise<Identified> {
  // In parallel with the token: on PostgreSQL, both are round trips.
  const reading = services.store.readCatalogue({ named: [name] })
  // If the caller is refused, nobody waits for the catalogue.
  reading.catch(() => {})
  const caller = await authenticate(credentials, services)
  return { caller, catalogue: await reading }
}

/** Identifies the caller of a request for a page, as far as possible from caches. */
export async function identifyFromCache(
  credentials: Credentials,
  name: OntologyName,
  services: AccessServices,
): Promise<Identified> {
  const { store, views } = services
  const catalogue = store.cachedCatalogue(name)
  if (catalogue === undefined) return identify(credentials, name, services)
  let generation: number | undefined
  const caller = await authenticate(credentials, services, async (secretHash, address) => {
    const found = store.tokenAtHand(secretHash)
    if (found === undefined) return findApiToken(secretHash, address, services)
    generation = found.generation
    return found.token
  })
  const policies = caller.policies && views.cached(caller.policies, generation)
  const cachedIdentity = new CachedIdentity({
    catalogue: catalogue.generation,
    tokens: generation ?? policies?.generation,
  })
  return { caller, catalogue, policies, cachedIdentity }
}

/**
 * Loads a definition, and limits the caller and the definition to what policies allow. Both can take
 * a while, so the caller is admitted before. Reads the policies, unless they are given.
 */
export async function viewOf(
  name: OntologyName,
  { caller, catalogue }: Viewer,
  { store, views }: Pick<AccessServices, 'store' | 'views'>,
  known?: ReadPolicies,
): Promise<Viewer> {
  const policies = caller.policies && (known ?? (await views.read(caller.policies)))
  const entry = catalogue.index.findNamed(name)
  const mayLoad =
    entry !== undefined &&
    caller.maySee(entry) &&
    (policies === undefined || views.mayShow(entry, policies))
  const loaded =
    !mayLoad || catalogue.isLoaded(name)
      ? catalogue
      : await store.readCatalogue({ named: [name], callerId: caller.id })
  return policies === undefined
    ? { caller, catalogue: loaded }
    : views.limit({ caller, catalogue: loaded }, policies)
}

/** The scheme is case-insensitive, followed by one or more spaces (RFC 9110, 11.1 and 11.4). */
const BEARER = /^bearer +/i

/** What a request presents. */
interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** The secret of a browser session, which takes the place of the header. */
  readonly session?: string | undefined
  /** The address of the peer, by which unknown tokens are queued. */
  readonly address: string
}

/** Returns the caller that a request presents. Throws if its credentials are not valid. */
export async function authenticate(
  { authorization, session, address }: Credentials,
  services: AccessServices,
  findToken = findApiToken,
): Promise<Caller> {
  const { adminTokenHash, openIdTokens, credentialUses, tokenLookups, now } = services
  if (authorization === undefined) {
    if (session === undefined) throw new ObjectQueryError('MissingCredentials')
    return callerOfSession(services, session)
  }
  const scheme = BEARER.exec(authorization)
  if (scheme === null) throw unauthorized('NOT_A_BEARER_TOKEN')
  const secret = authorization.slice(scheme[0].length)
  const secretHash = hashSecret(secret)
  if (adminTokenHash !== undefined && sameHash(secretHash, adminTokenHash)) return ADMIN
  if (openIdTokens !== undefined && isJwt(secret)) {
    return toCaller(await openIdTokens.verify(secret), { kind: 'openId' })
  }
  // A JSON web token is never an API token, so it is not looked up.
  const token = isJwt(secret) ? undefined : await findToken(secretHash, address, services)
  const nowMs = now()
  const caller = callerOfToken(token, nowMs)
  for (const id of credentialsOf(token)) credentialUses.note(id, nowMs)
  tokenLookups.noteKnown(secretHash)
  return caller
}

/** Three parts in base64url, of which the first is a JSON object. */
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/

/** Returns whether a bearer token has the form of a signed JSON web token. */
function isJwt(token: string): boolean {
  return JWT.test(token)
}

/** Returns the API token whose secret has this hash. */
export async function findApiToken(
  secretHash: string,
  address: string,
  { store, tokenLookups }: Pick<AccessServices, 'store' | 'tokenLookups'>,
): Promise<ApiToken | undefined> {
  return tokenLookups.run(secretHash, address, () => store.findApiToken(secretHash))
}

/** Returns what a request uses: the token, or the client and the token of the person it acts for. */
function credentialsOf(token: ApiToken | undefined): readonly string[] {
  if (token === undefined) return []
  const { id, issue } = token
  if (issue === undefined) return [id]
  return issue.subjectId === undefined ? [issue.clientId] : [issue.clientId, issue.subjectId]
}
