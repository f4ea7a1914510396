/** Scopes as OAuth clients name them, and the scopes of API tokens that they stand for. */
import type { Scope } from '../../contract/scopes.ts'
import { OAuthError } from './oauth-error.ts'

/** Asks for a refresh token. */
export const OFFLINE_ACCESS = 'offline_access'

/** The names that the official SDKs and their documentation use. */
export const OAUTH_SCOPES: Readonly<Record<string, Scope>> = {
  'api:ontologies-read': 'api:ontologies-read',
  'api:use-ontologies-read': 'api:ontologies-read',
  'api:read-data': 'api:ontologies-read',
  'api:ontologies-write': 'api:ontologies-write',
  'api:use-ontologies-write': 'api:ontologies-write',
  'api:write-data': 'api:ontologies-write',
  'api:metrics-read': 'api:metrics-read',
  'api:audit-read': 'api:audit-read',
  'api:admin': 'api:admin',
}

/** What a client asked for, limited to what it may have. */
export interface RequestedScopes {
  readonly scopes: readonly Scope[]
  /** The names of the request that were granted. */
  readonly names: readonly string[]
  /** Whether the client wants a refresh token. */
  readonly isOffline: boolean
}

/**
 * Reads the `scope` of a request. Scopes that the client does not have are left out, as RFC 6749,
 * 3.3 allows: the official SDKs ask for all of them by default. Without a `scope`, the request is
 * for everything that the client may have.
 */
export function readScopes(text: string | undefined, allowed: readonly Scope[]): RequestedScopes {
  const names = [...new Set((text ?? '').split(' ').filter((name) => name !== ''))]
  if (names.length === 0) {
    return { scopes: allowed, names: [...allowed, OFFLINE_ACCESS], isOffline: true }
  }
  const unknown = names.find((name) => name !== OFFLINE_ACCESS && !isOAuthScope(name))
  if (unknown !== undefined) {
    throw new OAuthError('invalid_scope', `The scope ${printable(unknown)} does not exist.`)
  }
  const limited = limitScopes({ names, isOffline: names.includes(OFFLINE_ACCESS) }, allowed)
  if (limited !== undefined) return limited
  throw new OAuthError('invalid_scope', `None of these scopes is allowed: ${names.join(' ')}.`)
}

/** Leaves out what is not allowed. Returns undefined if nothing remains. */
export function limitScopes(
  { names, isOffline }: Omit<RequestedScopes, 'scopes'>,
  allowed: readonly Scope[],
): RequestedScopes | undefined {
  const granted = names.filter((name) => {
    const scope = OAUTH_SCOPES[name]
    return scope === undefined || allowed.includes(scope)
  })
  const scopes = [...new Set(granted.flatMap((name) => OAUTH_SCOPES[name] ?? []))]
  return scopes.length === 0 ? undefined : { scopes, names: granted, isOffline }
}

function isOAuthScope(name: string): boolean {
  return Object.hasOwn(OAUTH_SCOPES, name)
}

/** Descriptions of errors may contain printable ASCII only (RFC 6749, 5.2). */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]|["\\]/g, '?').slice(0, 100)
}
