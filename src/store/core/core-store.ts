/** The part of the store port that is the same on both databases. */
import { randomBytes } from 'node:crypto'
import { KEY_BYTES } from '../../paging/token-keys.ts'
import type { Retention } from '../object-store.ts'
import type { ApiToken, AuditLog, Documents } from '../port/credentials.ts'
import type { Commit, IdempotencyKey, IdempotencyNote } from '../port/writes.ts'
import { StoredAuditLog } from './audit/stored-audit-log.ts'
import {
  createApiToken,
  deleteApiTokens,
  findApiTokenById,
  listApiTokens,
  revokeApiTokens,
  revokeIssuedTokens,
} from './credentials/api-tokens.ts'
import { readPageTokenKeys, savePageTokenKey } from './credentials/page-token-keys.ts'
import { StoredDocuments } from './documents/stored-documents.ts'
import { findEarlierCommit, toKeyMessage } from './idempotency/idempotency-keys.ts'
import { type ReclaimSteps, reclaim } from './maintenance/reclaim.ts'
import type { StoreOperations } from './session/store-operations.ts'

export class CoreStore {
  readonly documents: Documents
  readonly audit: AuditLog
  readonly #operations: StoreOperations
  readonly #reclaimSteps: ReclaimSteps
  #reclaims = 0

  constructor(
    operations: StoreOperations,
    reclaimSteps: ReclaimSteps,
    documents: Documents = new StoredDocuments(operations),
  ) {
    this.#operations = operations
    this.#reclaimSteps = reclaimSteps
    this.documents = documents
    this.audit = new StoredAuditLog(operations)
  }

  /** Whether `reclaim` runs. */
  protected get isReclaiming(): boolean {
    return this.#reclaims > 0
  }

  async reclaim(retention: Retention): Promise<number> {
    this.#reclaims += 1
    try {
      return await reclaim(this.#operations, this.#reclaimSteps, retention)
    } finally {
      this.#reclaims -= 1
    }
  }

  async readPageTokenKeys(): Promise<readonly Uint8Array[]> {
    const keys = await this.#operations.read(readPageTokenKeys)
    if (keys.length > 0) return keys
    return this.#operations.write(savePageTokenKey, randomBytes(KEY_BYTES))
  }

  findEarlierCommit(key: IdempotencyKey): Promise<Commit | undefined> {
    const message = toKeyMessage(key)
    return this.#operations.read((session) => findEarlierCommit(session, message))
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
