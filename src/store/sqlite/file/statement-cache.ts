/** Caches the prepared statements of a connection, and evicts the least recently used. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'

const CAPACITY = 1000

/** A statement and the values of its first placeholders. */
export interface Prepared {
  readonly statement: StatementSync
  readonly values: readonly string[]
}

export class StatementCache {
  readonly #db: DatabaseSync
  readonly #prepared: LRUCache<string, Prepared>

  constructor(db: DatabaseSync, capacity = CAPACITY) {
    this.#db = db
    this.#prepared = new LRUCache({ max: capacity })
  }

  /** Returns the statement of a text, prepared. */
  prepare(sql: string): StatementSync {
    return this.named(sql, () => ({ sql, values: [] })).statement
  }

  /** Returns a statement by a key that takes less time to make than the statement's text. */
  named(key: string, write: () => { sql: string; values: readonly string[] }): Prepared {
    const cached = this.#prepared.get(key)
    if (cached !== undefined) return cached
    const { sql, values } = write()
    const statement = this.#db.prepare(sql)
    // Arrays are cheaper than objects, and rows do not leave the store.
    statement.setReturnArrays(true)
    const prepared = { statement, values }
    this.#prepared.set(key, prepared)
    return prepared
  }
}
