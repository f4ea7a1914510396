/** Creates and revokes bearer tokens. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Scope } from '../../contract/scopes.ts'
import type { ApiToken, ObjectStore, OnceNote } from '../../store/object-store.ts'
import { hashSecret } from './authenticate.ts'

export interface ApiTokenSpec {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly ontologies: readonly string[] | undefined
  /** Names of policies; undefined if none limits the token. */
  readonly policies?: readonly string[] | undefined
  readonly expiresAtMs: number | undefined
}

/** Lets people and secret scanners recognise a leaked token. */
const PREFIX = 'oqs_'
const SECRET_BYTES = 32

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
  spec: ApiTokenSpec,
  nowMs: number,
  record?: (created: CreatedToken) => Promise<OnceNote | undefined>,
): Promise<CreatedToken> {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  const token: ApiToken = {
    id: randomUUID(),
    ...spec,
    policies: spec.policies && [spec.policies],
    createdAtMs: nowMs,
    revokedAtMs: undefined,
  }
  const once = await record?.({ secret, token })
  await store.createApiToken(token, hashSecret(secret), once)
  return { secret, token }
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
