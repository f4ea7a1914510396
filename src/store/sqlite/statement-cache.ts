import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** A statement and the values of its first placeholders. */
export interface Prepared {
  readonly statement: StatementSync
  readonly values: readonly string[]
}

/** Prepared statements, kept by name; the least recently used ones give way. */
export class StatementCache {
  readonly #db: DatabaseSync
  readonly #capacity: number
  readonly #prepared = new Map<string, Prepared>()

  constructor(db: DatabaseSync, capacity = 1000) {
    this.#db = db
    this.#capacity = capacity
  }

  /** A statement that is its own name. */
  prepare(sql: string): StatementSync {
    return this.named(sql, () => ({ sql, values: [] })).statement
  }

  /** A statement with a short name, for where its text takes longer to write than to find. */
  named(name: string, write: () => { sql: string; values: readonly string[] }): Prepared {
    let prepared = this.#prepared.get(name)
    if (prepared === undefined) {
      prepared = this.#make(write())
      if (this.#prepared.size >= this.#capacity) {
        const [oldest] = this.#prepared.keys()
        this.#prepared.delete(oldest ?? '')
      }
    } else if (this.#prepared.size <= this.#capacity / 2) {
      // As long as there is room, it does not matter which are used.
      return prepared
    } else {
      // Moves to the end of the map's order.
      this.#prepared.delete(name)
    }
    this.#prepared.set(name, prepared)
    return prepared
  }

  /** Rows come as arrays: cheaper than objects, and nobody outside the store sees them. */
  #make({ sql, values }: { sql: string; values: readonly string[] }): Prepared {
    const statement = this.#db.prepare(sql)
    statement.setReturnArrays(true)
    return { statement, values }
  }
}
