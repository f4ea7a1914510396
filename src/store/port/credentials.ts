/** What callers have and do, as it crosses the port: tokens, documents, keys, the audit log. */
import type { ApiToken, CachedToken } from '../api-token.ts'
import type { AuditLog } from '../audit-log.ts'
import type { Documents } from '../documents.ts'
import type { Commit, IdempotencyKey, IdempotencyNote } from '../write-request.ts'

export interface Credentials {
  /** Small documents beside the objects, see `Documents`. */
  readonly documents: Documents

  readonly audit: AuditLog

  /**
   * Returns the result of the write that was committed with a key, or undefined if there is none.
   * Throws `IdempotencyKeyReused` if it was another request.
   */
  findEarlierCommit(idempotencyKey: IdempotencyKey): Promise<Commit | undefined>

  /** The keys that seal page tokens, created once for all nodes of the store. */
  readPageTokenKeys(): Promise<readonly Uint8Array[]>

  createApiToken(
    token: ApiToken,
    secretHash: string,
    idempotencyKey?: IdempotencyNote,
  ): Promise<void>
  findApiToken(secretHash: string): Promise<ApiToken | undefined>
  /** Returns a token that was found before, under the same terms as `cachedCatalogue`. */
  cachedApiToken?(secretHash: string): CachedToken | undefined
  findApiTokenById(id: string): Promise<ApiToken | undefined>
  /** Returns all tokens except those that were issued to OAuth clients. */
  listApiTokens(): Promise<readonly ApiToken[]>
  /**
   * Revokes tokens, and all tokens that were issued to OAuth clients on their behalf. Returns how
   * many were revoked, without the latter.
   */
  revokeApiTokens(ids: readonly string[], nowMs: number): Promise<number>
  /** Deletes tokens, which nobody can use or list any more. */
  deleteApiTokens(ids: readonly string[]): Promise<void>
  /** Revokes the tokens that were issued to an OAuth client, or for one of its grants. */
  revokeIssuedTokens(clientOrGrantId: string, nowMs: number): Promise<number>
}
