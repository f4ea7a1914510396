/** Caches the prepared statements of a connection, and evicts the least recently used. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'

const CAPACITY = 1000

export class StatementCache {
  readonly #db: DatabaseSync
  readonly #statements = new LRUCache<string, StatementSync>({ max: CAPACITY })

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Returns the prepared statement of a text. Its rows are arrays. */
  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#db.prepare(sql)
      // Arrays are cheaper than objects, and rows do not leave the store.
      statement.setReturnArrays(true)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}
