/** Looks up API tokens, and remembers those that were valid. */
import { LRUCache } from 'lru-cache'
import type { ApiToken, RecalledToken } from '../../object-store.ts'
import type { Database } from '../driver/database.ts'
import { findApiToken } from './secrets.ts'

const MAX_TOKENS = 10_000

export class KnownTokens {
  readonly #database: Database
  readonly #tokens = new LRUCache<string, RecalledToken>({ max: MAX_TOKENS })

  constructor(database: Database) {
    this.#database = database
  }

  async find(secretHash: string): Promise<ApiToken | undefined> {
    const found = await findApiToken(this.#database, secretHash)
    if (found === undefined || found.token.revokedAtMs !== undefined) {
      this.#tokens.delete(secretHash)
    } else this.#tokens.set(secretHash, found)
    return found?.token
  }

  recall(secretHash: string): RecalledToken | undefined {
    return this.#tokens.get(secretHash)
  }
}
