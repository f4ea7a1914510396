/** Creates bearer tokens. The secret is returned once and stored only as a hash. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Scope } from '../../contract/scopes.ts'
import type { ApiToken, ObjectStore } from '../../store/object-store.ts'
import { hashSecret } from './caller.ts'

export interface ApiTokenSpec {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly ontologies: readonly string[] | undefined
  readonly expiresAtMs: number | undefined
}

/** Lets people and secret scanners recognise a leaked token. */
const PREFIX = 'oqs_'
const SECRET_BYTES = 32

export async function createApiToken(
  store: Pick<ObjectStore, 'createApiToken'>,
  spec: ApiTokenSpec,
  nowMs: number,
): Promise<{ readonly secret: string; readonly token: ApiToken }> {
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  const token: ApiToken = {
    id: randomUUID(),
    ...spec,
    createdAtMs: nowMs,
    revokedAtMs: undefined,
  }
  await store.createApiToken(token, hashSecret(secret))
  return { secret, token }
}
