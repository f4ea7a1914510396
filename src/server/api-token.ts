import { randomBytes, randomUUID } from 'node:crypto'
import type { Scope } from '../contract/scopes.ts'
import { hashSecret } from '../http/request/caller.ts'
import type { ApiToken, ObjectStore } from '../store/object-store.ts'

/** Making bearer tokens. The secret is shown once and kept only as a hash. */

export interface TokenWish {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly ontologies: readonly string[] | undefined
  readonly expiresAtMs: number | undefined
}

/** Easy to recognise, for people and for scanners of leaked secrets. */
const PREFIX = 'oqs_'
const SECRET_BYTES = 32

export async function createApiToken(
  store: ObjectStore,
  wish: TokenWish,
  nowMs: number,
): Promise<{ readonly secret: string; readonly token: ApiToken }> {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  const token: ApiToken = {
    id: randomUUID(),
    ...wish,
    createdAtMs: nowMs,
    revokedAtMs: undefined,
  }
  await store.createApiToken(token, hashSecret(secret))
  return { secret, token }
}
