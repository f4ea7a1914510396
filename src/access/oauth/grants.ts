/**
 * Grants: what a person allowed a client to do. A code is exchanged for a grant, whose access tokens
 * are ordinary API tokens of the store, and whose refresh tokens are used once each. Codes and
 * refresh tokens are stored as hashes.
 */
import {
  ACCESS_TOKEN_SECONDS,
  AUTHORIZATION_CODE_SECONDS,
  REFRESH_TOKEN_IDLE_SECONDS,
  REFRESH_TOKEN_REUSE_SECONDS,
} from '../../contract/limits.ts'
import type { ApiToken, StoredDocument } from '../../store/object-store.ts'
import type { AccessServices } from '../access-services.ts'
import { tokenState } from '../api-tokens.ts'
import { hashSecret, newSecret } from '../credentials.ts'
import { createAccessToken } from './access-token.ts'
import { findOAuthClient, type OAuthClient } from './clients.ts'
import { OAuthError } from './oauth-error.ts'
import { OFFLINE_ACCESS, type RequestedScopes, readScopes } from './oauth-scopes.ts'
import { checkVerifier } from './pkce.ts'

const REFRESH_PREFIX = 'oqs_refresh_'

/** What a person allowed a client to do. */
interface Grant extends RequestedScopes {
  readonly clientId: string
  /** The id of the API token that the person signed in with. */
  readonly subjectId: string
  readonly ontologies: readonly string[] | undefined
}

/** A code that waits to be exchanged. */
export interface PendingGrant extends Grant {
  readonly redirectUri: string
  readonly challenge: string | undefined
}

export interface IssuedTokens {
  readonly accessToken: string
  readonly expiresInSeconds: number
  readonly refreshToken: string | undefined
  readonly names: readonly string[]
}

/** A code as it is stored: kept after its use, so that a second use is recognised. */
interface CodeBody extends PendingGrant {
  readonly use?: 'once' | 'again'
}

interface RefreshBody {
  readonly grantId: string
  readonly usedAtMs: number | undefined
}

export type GrantServices = Pick<AccessServices, 'store' | 'now' | 'newUuid' | 'emit'>

/** Stores a code and returns it. */
export async function createCode(
  { store, now }: GrantServices,
  grant: PendingGrant,
): Promise<string> {
  const code = newSecret('')
  const expiresAtMs = now() + 1000 * AUTHORIZATION_CODE_SECONDS
  await store.documents.put({ kind: 'oauthCode', id: hashSecret(code), body: grant, expiresAtMs })
  return code
}

/** What a client sends to exchange a code. */
export interface CodeExchange {
  readonly code: string
  readonly redirectUri: string
  readonly verifier: string | undefined
}

/** Exchanges a code for tokens. */
export async function exchangeCode(
  services: GrantServices,
  client: OAuthClient,
  { code, redirectUri, verifier }: CodeExchange,
): Promise<IssuedTokens> {
  const { grantId, pending } = await takeCode(services, code)
  const { redirectUri: expected, challenge, ...grant } = pending
  if (grant.clientId !== client.id) {
    throw new OAuthError('invalid_grant', 'The code belongs to another client.')
  }
  if (redirectUri !== expected) {
    throw new OAuthError('invalid_grant', 'redirect_uri differs from the one of the code.')
  }
  checkVerifier(challenge, verifier)
  return startGrant(services, client, grantId, grant)
}

/**
 * Uses a code, which works once. If a code is used again, the tokens of its first use may be in the
 * wrong hands, so the grant ends (RFC 6749, 4.1.2).
 */
async function takeCode(
  services: GrantServices,
  code: string,
): Promise<{ readonly grantId: string; readonly pending: PendingGrant }> {
  const { store, now, emit } = services
  const grantId = hashSecret(code)
  const found = await store.documents.find('oauthCode', grantId, now())
  const { use, ...pending } = (found?.body ?? {}) as Partial<CodeBody>
  if (found !== undefined && use === undefined) {
    const isFirst = await markCode(services, found, 'once')
    return isFirst ? { grantId, pending: pending as PendingGrant } : takeCode(services, code)
  }
  // First the mark, then the end: the first use may still be issuing tokens. If it does not see the
  // mark, then its tokens exist by now.
  if (found !== undefined) await markCode(services, found, 'again')
  const clientId = pending.clientId ?? (await findGrant(services, grantId))?.clientId
  if (clientId !== undefined) {
    await endGrant(services, grantId)
    emit({ event: 'oauthReuseRefused', clientId, reused: 'code' })
  }
  throw new OAuthError('invalid_grant', 'The code is unknown, expired or already used.')
}

/** Marks a code as used. Of several concurrent first uses, one returns true. */
function markCode(
  { store, now }: GrantServices,
  found: StoredDocument,
  use: 'once' | 'again',
): Promise<boolean> {
  const body: CodeBody = { ...(found.body as PendingGrant), use }
  // Kept for longer than a request takes.
  const expiresAtMs = now() + 1000 * AUTHORIZATION_CODE_SECONDS
  const guard = use === 'once' ? { expected: found } : {}
  return store.documents.put({ ...found, body, expiresAtMs }, undefined, guard)
}

/** Starts a grant and issues its first tokens, unless its code was used again meanwhile. */
async function startGrant(
  services: GrantServices,
  client: OAuthClient,
  grantId: string,
  grant: Grant,
): Promise<IssuedTokens> {
  const { store, now } = services
  const lifeSeconds = grant.isOffline ? REFRESH_TOKEN_IDLE_SECONDS : ACCESS_TOKEN_SECONDS
  await store.documents.put({
    kind: 'oauthGrant',
    id: grantId,
    body: grant,
    expiresAtMs: now() + 1000 * lifeSeconds,
  })
  const tokens = await issueForGrant(services, client, grantId, grant)
  const code = await store.documents.find('oauthCode', grantId, now())
  if ((code?.body as CodeBody | undefined)?.use === 'again') {
    await endGrant(services, grantId)
    throw new OAuthError('invalid_grant', 'The code was used more than once; the grant has ended.')
  }
  return tokens
}

/** Exchanges a refresh token for new tokens. `scope` can ask for less than the grant allows. */
export async function refreshGrant(
  services: GrantServices,
  client: OAuthClient,
  refreshToken: string,
  scope: string | undefined,
): Promise<IssuedTokens> {
  const { store, now } = services
  const nowMs = now()
  const id = hashSecret(refreshToken)
  const found = await store.documents.find('oauthRefreshToken', id, nowMs)
  const { grantId, usedAtMs } = (found?.body ?? {}) as Partial<RefreshBody>
  const grant = grantId === undefined ? undefined : await findGrant(services, grantId)
  if (found === undefined || grantId === undefined || grant?.clientId !== client.id) {
    throw new OAuthError('invalid_grant', 'The refresh token is unknown, expired or revoked.')
  }
  if (usedAtMs !== undefined && nowMs - usedAtMs > 1000 * REFRESH_TOKEN_REUSE_SECONDS) {
    await endGrant(services, grantId)
    services.emit({ event: 'oauthReuseRefused', clientId: client.id, reused: 'refreshToken' })
    throw new OAuthError('invalid_grant', 'The refresh token was used before; the grant has ended.')
  }
  const requested = scope === undefined ? undefined : readScopes(scope, grant.scopes)
  await store.documents.put({
    ...found,
    body: { grantId, usedAtMs: usedAtMs ?? nowMs } satisfies RefreshBody,
  })
  const narrowed = requested === undefined ? grant : { ...grant, ...requested, isOffline: true }
  return issueForGrant(services, client, grantId, narrowed)
}

async function issueForGrant(
  services: GrantServices,
  client: OAuthClient,
  grantId: string,
  grant: Grant,
): Promise<IssuedTokens> {
  const { store, now } = services
  const nowMs = now()
  const subject = await findSubject(services, grant.subjectId)
  if (subject === undefined) {
    await endGrant(services, grantId)
    throw new OAuthError('invalid_grant', 'The token that signed in has expired or was revoked.')
  }
  const refreshToken = grant.isOffline ? newSecret(REFRESH_PREFIX) : undefined
  if (refreshToken !== undefined) {
    const expiresAtMs = nowMs + 1000 * REFRESH_TOKEN_IDLE_SECONDS
    const body: RefreshBody = { grantId, usedAtMs: undefined }
    const id = hashSecret(refreshToken)
    await store.documents.put({ kind: 'oauthRefreshToken', id, body, expiresAtMs })
    // Not with `put`, which would create the grant again if it was ended meanwhile.
    await store.documents.extend('oauthGrant', grantId, expiresAtMs, nowMs)
  }
  const access = await createAccessToken(services, client, {
    scopes: grant.scopes,
    ontologies: grant.ontologies,
    grantId,
    subject,
  })
  // After the token was created: a revocation either revokes this token, or is noticed here.
  const isAlive =
    (await findGrant(services, grantId)) !== undefined &&
    (await findSubject(services, grant.subjectId)) !== undefined &&
    (await findOAuthClient(store.documents, client.id, nowMs)) !== undefined
  if (!isAlive) {
    await endGrant(services, grantId)
    throw new OAuthError('invalid_grant', 'The grant has ended.')
  }
  return { ...access, refreshToken, names: grant.names }
}

/** Issues an access token to a client that acts for itself. */
export async function issueForClient(
  services: GrantServices,
  client: OAuthClient,
  scope: string | undefined,
): Promise<IssuedTokens> {
  if (client.isPublic) {
    const description = 'A public client has no credentials of its own.'
    throw new OAuthError('unauthorized_client', description)
  }
  const { store, now } = services
  const { scopes, names } = readScopes(scope, client.scopes)
  const spec = { scopes, ontologies: client.ontologies, grantId: undefined, subject: undefined }
  const access = await createAccessToken(services, client, spec)
  // After the token was created: a revocation either revokes this token, or is noticed here.
  if ((await findOAuthClient(store.documents, client.id, now())) === undefined) {
    await store.revokeIssuedTokens(client.id, now())
    throw new OAuthError('invalid_client', 'The client was revoked.')
  }
  return {
    ...access,
    refreshToken: undefined,
    names: names.filter((name) => name !== OFFLINE_ACCESS),
  }
}

/** Ends what a token of this client belongs to. Does nothing for any other token (RFC 7009, 2.2). */
export async function revokeToken(
  services: GrantServices,
  client: OAuthClient,
  token: string,
): Promise<void> {
  const { store, now } = services
  const id = hashSecret(token)
  const refresh = await store.documents.find('oauthRefreshToken', id, now())
  const access = refresh === undefined ? await store.findApiToken(id) : undefined
  const grantId = (refresh?.body as RefreshBody | undefined)?.grantId ?? access?.issue?.grantId
  if (grantId !== undefined) {
    const grant = await findGrant(services, grantId)
    if (grant?.clientId === client.id) await endGrant(services, grantId)
  } else if (access?.issue?.clientId === client.id) {
    await store.revokeApiTokens([access.id], now())
  }
}

async function findGrant({ store, now }: GrantServices, id: string): Promise<Grant | undefined> {
  return (await store.documents.find('oauthGrant', id, now()))?.body as Grant | undefined
}

/** Ends a grant: its access tokens are revoked, and its refresh tokens no longer work. */
async function endGrant({ store, now }: GrantServices, grantId: string): Promise<void> {
  await store.documents.delete('oauthGrant', grantId)
  await store.revokeIssuedTokens(grantId, now())
}

/** Returns the token that signed in, if it is still valid. */
async function findSubject(
  { store, now }: GrantServices,
  id: string,
): Promise<ApiToken | undefined> {
  const token = await store.findApiTokenById(id)
  return token !== undefined && tokenState(token, now()) === 'active' ? token : undefined
}
