/** The caller of a request: who it is, and what its credential allows before policies limit it. */
import { ObjectQueryError } from '../contract/errors.ts'
import { LINK_POLICY_PREFIX } from '../contract/link-policy.ts'
import { SCOPES, type Scope } from '../contract/scopes.ts'
import type { Ontology } from '../ontology/ontology.ts'
import type { ApiToken } from '../store/object-store.ts'

/** The identity behind a bearer token, and what the token allows. */
export interface CallerRights
  extends Pick<ApiToken, 'name' | 'scopes' | 'ontologies' | 'policies' | 'expiresAtMs'> {
  /** Page tokens and limits are bound to it. */
  readonly id: string
  /** The person, whichever client acts for them; the caller itself if undefined. */
  readonly userId?: string | undefined
  /** What an OpenID provider says about a person. */
  readonly profile?: CallerProfile | undefined
  /** Further claims of an OpenID provider, for the rules of policies. */
  readonly claims?: Readonly<Record<string, string>> | undefined
}

interface CallerProfile {
  readonly givenName?: string | undefined
  readonly familyName?: string | undefined
  readonly email?: string | undefined
}

/** The caller of a request. Authenticated for every request, including every page [5.1]. */
export interface Caller extends CallerRights {
  readonly credential: Credential
  readonly mayUse: (scope: Scope) => boolean
  readonly maySee: (ontology: Pick<Ontology, 'rid' | 'apiName'>) => boolean
  /** Whether policies, if there are any, allow changing the definition of an ontology. */
  readonly mayAdminister: (ontology: Pick<Ontology, 'rid'>) => boolean
}

/** What a caller authenticated with, so that its rights can be checked again later. */
export type Credential =
  | { readonly kind: 'adminToken' }
  | { readonly kind: 'apiToken'; readonly tokenId: string; readonly clientId?: string | undefined }
  | { readonly kind: 'openId' }

/** Returns the caller with these rights. Its policies, which are not read yet, still limit them. */
export function toCaller(rights: CallerRights, credential: Credential): Caller {
  const { scopes, ontologies, policies } = rights
  return {
    ...rights,
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

/** Returns the caller of an API token. Throws `Default:Unauthorized` if it is not valid any more. */
export function callerOfToken(token: ApiToken | undefined, nowMs: number): Caller {
  if (token === undefined) throw unauthorized('UNKNOWN')
  if (token.revokedAtMs !== undefined) throw unauthorized('REVOKED')
  refuseExpired(token, nowMs)
  const { id: tokenId, name, scopes, ontologies, policies, expiresAtMs, issue } = token
  const id = callerIdOf(token)
  const userId = issue?.subjectId
  return toCaller(
    { id, name, scopes, ontologies, policies, expiresAtMs, userId },
    { kind: 'apiToken', tokenId, clientId: issue?.clientId },
  )
}

/**
 * All access tokens of an OAuth client, for itself or for one person, are the same caller: a walk
 * continues with a refreshed token, and a new token has no new limits.
 */
function callerIdOf({ id, issue }: ApiToken): string {
  if (issue === undefined) return id
  return issue.subjectId === undefined ? issue.clientId : `${issue.clientId}.${issue.subjectId}`
}

/** Throws `Default:Unauthorized` if rights have expired. */
export function refuseExpired({ expiresAtMs }: Pick<CallerRights, 'expiresAtMs'>, nowMs: number) {
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) throw unauthorized('EXPIRED')
}

export function unauthorized(
  error: 'UNKNOWN' | 'REVOKED' | 'EXPIRED' | 'NOT_A_BEARER_TOKEN',
): ObjectQueryError {
  return new ObjectQueryError('Default:Unauthorized', { error })
}

/** Throws `ApiUsageDenied` if the caller has none of the scopes; the error names the first. */
export function requireScope({ mayUse }: Caller, scopes: Scope | readonly Scope[]): void {
  const wanted = typeof scopes === 'string' ? [scopes] : scopes
  if (wanted.some(mayUse)) return
  throw new ObjectQueryError('ApiUsageDenied', { missingScope: wanted[0] })
}

/**
 * Throws `ApiUsageDenied` if the caller is limited to certain ontologies: one that can create tokens
 * could create a token without that limit.
 */
export function refuseLimitedCaller({
  ontologies,
  policies,
}: Pick<Caller, 'ontologies' | 'policies'>): void {
  if (ontologies === undefined && policies === undefined) return
  const reason = 'the token is limited to certain ontologies, and administration is not'
  throw new ObjectQueryError('ApiUsageDenied', { reason })
}

/** Whether a caller may manage what others own: it administers the service, without limits. */
export function isAdministrator({ mayUse, ontologies, policies }: Caller): boolean {
  return mayUse('api:admin') && ontologies === undefined && policies === undefined
}

/** Throws `ApiUsageDenied` if the caller has a read-only link: many people share it. */
export function refuseLink({ policies }: Pick<Caller, 'policies'>): void {
  if (!policies?.flat().some((name) => name.startsWith(LINK_POLICY_PREFIX))) return
  const reason = 'a read-only link can only read'
  throw new ObjectQueryError('ApiUsageDenied', { reason })
}

/**
 * Returns who owns what a caller saves. A token that replaces another has its name, so the name
 * decides; people of an OpenID provider may choose theirs, so there it is the subject.
 */
export function ownerOf({ credential, id, name }: Caller): {
  readonly id: string
  readonly name: string
} {
  return { id: credential.kind === 'openId' ? id : `name ${name}`, name }
}

/** Throws `ApiUsageDenied` if policies do not allow the caller to change a definition. */
export function requireAdministration(caller: Caller, ontology: Ontology | undefined): void {
  if (ontology === undefined || caller.mayAdminister(ontology)) return
  const reason = 'the policies of the token do not allow administering the ontology'
  throw new ObjectQueryError('ApiUsageDenied', { ontology: ontology.apiName, reason })
}
