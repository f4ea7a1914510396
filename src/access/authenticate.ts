/**
 * Authentication: from the `Authorization` header to the caller and its rights. A bearer token is the
 * admin token of the settings, a signed token of an OpenID provider, or an API token of the store.
 */
import { ObjectQueryError } from '../contract/errors.ts'
import type { ApiToken } from '../store/object-store.ts'
import type { AccessServices } from './access-services.ts'
import { ADMIN, type Caller, callerOfToken, toCaller, unauthorized } from './caller.ts'
import { hashSecret, sameHash } from './secrets.ts'

/** The scheme is case-insensitive, followed by one or more spaces (RFC 9110, 11.1 and 11.4). */
const BEARER = /^bearer +/i

/** What a request presents. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** The address of the peer, by which unknown tokens are queued. */
  readonly address: string
}

type AuthenticationServices = Pick<
  AccessServices,
  'store' | 'tokenLookups' | 'adminTokenHash' | 'openIdTokens' | 'credentialUses' | 'now'
>

/** Returns the caller that a request presents. Throws if its credentials are not valid. */
export async function authenticate(
  { authorization, address }: Credentials,
  services: AuthenticationServices,
  findToken = findApiToken,
): Promise<Caller> {
  const { adminTokenHash, openIdTokens, credentialUses, tokenLookups, now } = services
  if (authorization === undefined) throw new ObjectQueryError('MissingCredentials')
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
