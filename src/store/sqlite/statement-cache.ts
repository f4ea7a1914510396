import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Prepared statements, kept by their text; the least recently used ones give way. */
export class StatementCache {
  readonly #db: DatabaseSync
  readonly #capacity: number
  readonly #statements = new Map<string, StatementSync>()

  constructor(db: DatabaseSync, capacity = 1000) {
    this.#db = db
    this.#capacity = capacity
  }

  /** Rows come as arrays: cheaper than objects, and nobody outside the store sees them. */
  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#db.prepare(sql)
      statement.setReturnArrays(true)
      if (this.#statements.size >= this.#capacity) {
        const [oldest] = this.#statements.keys()
        this.#statements.delete(oldest ?? '')
      }
    } else {
      // Moves to the end of the map's order.
      this.#statements.delete(sql)
    }
    this.#statements.set(sql, statement)
    return statement
  }
}
