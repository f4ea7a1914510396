/** API tokens in PostgreSQL, shared by all nodes. */
import type { ApiToken, CachedToken, OnceNote } from '../../object-store.ts'
import type { Database } from '../driver/database.ts'
import { KnownTokens } from './known-tokens.ts'
import {
  createApiToken,
  deleteApiTokens,
  findApiTokenById,
  listApiTokens,
  revokeApiTokens,
  revokeIssuedTokens,
} from './secrets.ts'

/** The part of the store port about API tokens. */
export class PostgresTokens {
  readonly #database: Database
  readonly #tokens: KnownTokens

  constructor(database: Database) {
    this.#database = database
    this.#tokens = new KnownTokens(database)
  }

  createApiToken(token: ApiToken, secretHash: string, once?: OnceNote): Promise<void> {
    return createApiToken(this.#database, token, secretHash, once)
  }

  findApiToken(secretHash: string): Promise<ApiToken | undefined> {
    return this.#tokens.find(secretHash)
  }

  cachedApiToken(secretHash: string): CachedToken | undefined {
    return this.#tokens.cached(secretHash)
  }

  findApiTokenById(id: string): Promise<ApiToken | undefined> {
    return findApiTokenById(this.#database, id)
  }

  listApiTokens(): Promise<readonly ApiToken[]> {
    return listApiTokens(this.#database)
  }

  revokeApiTokens(ids: readonly string[], nowMs: number): Promise<number> {
    return revokeApiTokens(this.#database, ids, nowMs)
  }

  deleteApiTokens(ids: readonly string[]): Promise<void> {
    return deleteApiTokens(this.#database, ids)
  }

  revokeIssuedTokens(clientOrGrantId: string, nowMs: number): Promise<number> {
    return revokeIssuedTokens(this.#database, clientOrGrantId, nowMs)
  }
}
