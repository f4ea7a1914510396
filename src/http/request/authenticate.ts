/** Authentication: from the `Authorization` header to the caller and its rights. */
import { hash, timingSafeEqual } from 'node:crypto'
import { ObjectQueryError } from '../../contract/errors.ts'
import { SCOPES, type Scope } from '../../contract/scopes.ts'
import type { ApiToken } from '../../store/object-store.ts'
import type { Services } from '../services.ts'
import type { Caller, CallerRights, Credential } from './caller-rights.ts'
import { isJwt } from './openid-tokens.ts'

export type { Caller, Credential } from './caller-rights.ts'

/** The scheme is case-insensitive, followed by one or more spaces (RFC 9110, 11.1 and 11.4). */
const BEARER = /^bearer +/i

/** Hashes a bearer token. Tokens are long and random, so a fast hash is as safe as a slow one. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Returns the caller that an `Authorization` header identifies. Throws if it is not valid. */
export async function authenticate(
  authorization: string | undefined,
  address: string,
  services: Services,
  findToken = lookUpToken,
): Promise<Caller> {
  const { adminTokenHash, openIdTokens } = services
  if (authorization === undefined) throw new ObjectQueryError('MissingCredentials')
  const scheme = BEARER.exec(authorization)
  if (scheme === null) {
    throw new ObjectQueryError('Default:Unauthorized', { error: 'NOT_A_BEARER_TOKEN' })
  }
  const secret = authorization.slice(scheme[0].length)
  const secretHash = hashSecret(secret)
  if (adminTokenHash !== undefined && sameHash(secretHash, adminTokenHash)) return ADMIN
  if (openIdTokens !== undefined && isJwt(secret))
    return toCaller(await openIdTokens.verify(secret), { kind: 'openId' })

  // A JSON web token is never an API token, so it is not looked up.
  const token = isJwt(secret) ? undefined : await findToken(secretHash, address, services)
  const nowMs = services.now()
  const caller = callerOfToken(token, nowMs)
  for (const id of credentialsOf(token)) services.credentialUses.note(id, nowMs)
  if (!services.admission.isKnown(secretHash)) services.admission.noteKnown(secretHash)
  return caller
}

/** Returns the caller of an API token. Throws `Default:Unauthorized` if it is not valid any more. */
export function callerOfToken(token: ApiToken | undefined, nowMs: number): Caller {
  if (token === undefined) throw unauthorized('UNKNOWN')
  if (token.revokedAtMs !== undefined) throw unauthorized('REVOKED')
  refuseExpired(token, nowMs)
  const rights = { ...token, id: callerIdOf(token), userId: token.issue?.subjectId }
  const { id: tokenId, issue } = token
  return toCaller(rights, { kind: 'apiToken', tokenId, clientId: issue?.clientId })
}

/** Returns what a request uses: the token, or the client and the token of the person it acts for. */
function credentialsOf(token: ApiToken | undefined): readonly string[] {
  if (token === undefined) return []
  const { id, issue } = token
  if (issue === undefined) return [id]
  return issue.subjectId === undefined ? [issue.clientId] : [issue.clientId, issue.subjectId]
}

/** Throws `Default:Unauthorized` if rights have expired. */
export function refuseExpired({ expiresAtMs }: Pick<CallerRights, 'expiresAtMs'>, nowMs: number) {
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) throw unauthorized('EXPIRED')
}

function unauthorized(error: 'UNKNOWN' | 'REVOKED' | 'EXPIRED'): ObjectQueryError {
  return new ObjectQueryError('Default:Unauthorized', { error })
}

/** Returns the API token whose secret has this hash. */
export async function lookUpToken(
  secretHash: string,
  address: string,
  { store, admission }: Pick<Services, 'store' | 'admission'>,
): Promise<ApiToken | undefined> {
  return admission.lookUp(secretHash, address, () => store.findApiToken(secretHash))
}

/** Throws `ApiUsageDenied` if the caller has none of the scopes; the error names the first. */
export function requireScope(caller: Caller, scopes: Scope | readonly Scope[]): void {
  const [first, isAllowed] =
    typeof scopes === 'string'
      ? [scopes, caller.mayUse(scopes)]
      : [scopes[0], scopes.some(caller.mayUse)]
  if (!isAllowed) throw new ObjectQueryError('ApiUsageDenied', { missingScope: first })
}

/**
 * All access tokens of an OAuth client, for itself or for one person, are the same caller: a walk
 * continues with a refreshed token, and a new token has no new limits.
 */
function callerIdOf({ id, issue }: ApiToken): string {
  if (issue === undefined) return id
  return issue.subjectId === undefined ? issue.clientId : `${issue.clientId}.${issue.subjectId}`
}

/** Returns the caller with these rights. Its policies, which are not read yet, still limit them. */
export function toCaller(rights: CallerRights, credential: Credential): Caller {
  const { id, name, scopes, ontologies, policies, expiresAtMs, userId, profile, claims } = rights
  return {
    id,
    name,
    scopes,
    ontologies,
    policies,
    expiresAtMs,
    userId,
    profile,
    claims,
    credential,
    mayUse: (scope) => scopes.includes(scope),
    maySee: ({ rid, apiName }) =>
      ontologies === undefined || ontologies.includes(rid) || ontologies.includes(apiName),
    mayAdminister: () => policies === undefined,
  }
}

/** The caller of the token in `OQS_ADMIN_TOKEN`. */
export const ADMIN: Caller = toCaller(
  {
    id: 'admin',
    name: 'admin',
    scopes: Object.keys(SCOPES) as Scope[],
    ontologies: undefined,
    expiresAtMs: undefined,
  },
  { kind: 'adminToken' },
)

/** Compares two hashes of `hashSecret` in constant time. */
export function sameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
