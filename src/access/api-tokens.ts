/** Creates and revokes API tokens. */
import { randomUUID } from 'node:crypto'
import type { ApiToken, IdempotencyNote, ObjectStore } from '../store/object-store.ts'
import { hashSecret, newSecret } from './credentials.ts'

/** What a new token or client allows. */
export interface CredentialSpec
  extends Pick<ApiToken, 'name' | 'scopes' | 'ontologies' | 'expiresAtMs'> {
  /** Names of policies; undefined if none limits it. */
  readonly policies?: readonly string[] | undefined
}

const PREFIX = 'oqs_'

export interface CreatedToken {
  readonly secret: string
  readonly token: ApiToken
}

/**
 * Creates a token. The secret is returned once and stored only as a hash. `record` returns what the
 * store records with the token.
 */
export async function createApiToken(
  store: Pick<ObjectStore, 'createApiToken'>,
  spec: CredentialSpec,
  nowMs: number,
  record?: (created: CreatedToken) => Promise<IdempotencyNote | undefined>,
): Promise<CreatedToken> {
  const secret = newSecret(PREFIX)
  const token: ApiToken = {
    id: randomUUID(),
    ...spec,
    policies: spec.policies && [spec.policies],
    createdAtMs: nowMs,
    revokedAtMs: undefined,
  }
  const idempotencyKey = await record?.({ secret, token })
  await store.createApiToken(token, hashSecret(secret), idempotencyKey)
  return { secret, token }
}

/** Revokes the token with an id, and returns it; undefined if there is no such token that is active. */
export async function revokeApiToken(
  store: Pick<ObjectStore, 'findApiTokenById' | 'revokeApiTokens'>,
  id: string,
  nowMs: number,
): Promise<ApiToken | undefined> {
  const token = await store.findApiTokenById(id)
  if (token === undefined || token.issue !== undefined) return undefined
  if ((await store.revokeApiTokens([id], nowMs)) === 0) return undefined
  return { ...token, revokedAtMs: nowMs }
}

/**
 * Revokes the token with an id, or every token with a name, and returns their ids. Only for the
 * command line: over HTTP the name of one token could be the id of another.
 */
export async function revokeApiTokensNamed(
  store: Pick<ObjectStore, 'listApiTokens' | 'revokeApiTokens'>,
  idOrName: string,
  nowMs: number,
): Promise<readonly string[]> {
  const ids = (await store.listApiTokens())
    .filter(
      ({ id, name, revokedAtMs }) => [id, name].includes(idOrName) && revokedAtMs === undefined,
    )
    .map(({ id }) => id)
  await store.revokeApiTokens(ids, nowMs)
  return ids
}

/** Returns whether a token can still be used. */
export function tokenState(
  { expiresAtMs, revokedAtMs }: ApiToken,
  nowMs: number,
): 'active' | 'expired' | 'revoked' {
  if (revokedAtMs !== undefined) return 'revoked'
  return expiresAtMs !== undefined && expiresAtMs <= nowMs ? 'expired' : 'active'
}
