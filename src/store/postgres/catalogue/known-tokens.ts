/** Looks up API tokens, and remembers those that were valid. */
import { LRUCache } from 'lru-cache'
import { findApiToken } from '../../core/credentials/api-tokens.ts'
import type { ApiToken, FoundToken } from '../../port/credentials.ts'
import type { Database } from '../driver/database.ts'
import { readIn } from '../driver/postgres-session.ts'

const MAX_BYTES = 8 * 1024 * 1024
const TOKEN_BYTES = 500

export class KnownTokens {
  readonly #database: Database
  readonly #tokens = new LRUCache<string, FoundToken>({
    maxSize: MAX_BYTES,
    // Its lists of ontologies and policies can be long.
    sizeCalculation: ({ token }) => TOKEN_BYTES + JSON.stringify(token).length,
  })

  constructor(database: Database) {
    this.#database = database
  }

  async find(secretHash: string): Promise<ApiToken | undefined> {
    const found = await readIn(this.#database, (session) => findApiToken(session, secretHash))
    const { token, generation } = found ?? {}
    if (token === undefined || generation === undefined || token.revokedAtMs !== undefined) {
      this.#tokens.delete(secretHash)
    } else this.#tokens.set(secretHash, { token, generation })
    return token
  }

  cached(secretHash: string): FoundToken | undefined {
    return this.#tokens.get(secretHash)
  }
}
