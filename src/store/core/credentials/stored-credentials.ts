/** The part of the store port about API tokens and the keys of page tokens. */
import { randomBytes } from 'node:crypto'
import { KEY_BYTES } from '../../../paging/token-keys.ts'
import type { ApiToken } from '../../port/credentials.ts'
import type { IdempotencyNote } from '../../port/writes.ts'
import { toKeyMessage } from '../idempotency/idempotency-keys.ts'
import type { StoreOperations } from '../session/store-operations.ts'
import {
  createApiToken,
  deleteApiTokens,
  findApiTokenById,
  listApiTokens,
  readPageTokenKeys,
  revokeApiTokens,
  revokeIssuedTokens,
  savePageTokenKey,
} from './api-tokens.ts'

export class StoredCredentials {
  readonly #operations: StoreOperations

  constructor(operations: StoreOperations) {
    this.#operations = operations
  }

  async readPageTokenKeys(): Promise<readonly Uint8Array[]> {
    const keys = await this.#operations.read(readPageTokenKeys)
    if (keys.length > 0) return keys
    return this.#operations.write(savePageTokenKey, randomBytes(KEY_BYTES))
  }

  createApiToken(
    token: ApiToken,
    secretHash: string,
    idempotencyKey?: IdempotencyNote,
  ): Promise<void> {
    const input = { token, secretHash, idempotencyKey: toKeyMessage(idempotencyKey) }
    return this.#operations.write(createApiToken, input)
  }

  findApiTokenById(id: string): Promise<ApiToken | undefined> {
    return this.#operations.read((session) => findApiTokenById(session, id))
  }

  listApiTokens(): Promise<readonly ApiToken[]> {
    return this.#operations.read(listApiTokens)
  }

  revokeApiTokens(ids: readonly string[], nowMs: number): Promise<number> {
    return this.#operations.write(revokeApiTokens, { ids, nowMs })
  }

  deleteApiTokens(ids: readonly string[]): Promise<void> {
    return this.#operations.write(deleteApiTokens, ids)
  }

  revokeIssuedTokens(clientOrGrantId: string, nowMs: number): Promise<number> {
    return this.#operations.write(revokeIssuedTokens, { clientOrGrantId, nowMs })
  }
}
