/** Caches the prepared statements of a connection, and evicts the least recently used. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { Prepares } from './writer-database.ts'

const CAPACITY = 1000
const MAX_BYTES = 32 * 1024 * 1024
/** A prepared statement takes several times the length of its text; a rough measure. */
const STATEMENT_BYTES = 3000
const BYTES_PER_CHARACTER = 8
/** Functions of the catalogue have only a few statements. */
const OBJECT_CAPACITY = 20

/** A statement, with the values of its first placeholders. */
export interface Prepared {
  readonly statement: StatementSync
  readonly values: readonly string[]
}

export class StatementCache {
  readonly #db: DatabaseSync
  readonly #prepared = new LRUCache<string, Prepared>({ max: CAPACITY, maxSize: MAX_BYTES })
  readonly #withObjects = new LRUCache<string, StatementSync>({ max: OBJECT_CAPACITY })

  /** Prepares statements once whose rows are objects, for functions that otherwise get a connection. */
  readonly withObjects: Prepares = {
    prepare: (sql) => {
      const known = this.#withObjects.get(sql)
      if (known !== undefined) return known
      const statement = this.#db.prepare(sql)
      this.#withObjects.set(sql, statement)
      return statement
    },
  }

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Returns the prepared statement of a text. Its rows are arrays. */
  prepare(sql: string): StatementSync {
    return this.#prepared.get(sql)?.statement ?? this.#add(sql, { sql, values: [] }).statement
  }

  /** Returns a statement by a short key: writing its SQL would take a fifth of a small page's time. */
  prepareByKey(key: string, write: () => { sql: string; values: readonly string[] }): Prepared {
    return this.#prepared.get(key) ?? this.#add(key, write())
  }

  #add(key: string, { sql, values }: { sql: string; values: readonly string[] }): Prepared {
    const statement = this.#db.prepare(sql)
    // Arrays are cheaper than objects, and rows do not leave the store.
    statement.setReturnArrays(true)
    const prepared = { statement, values }
    const characters = sql.length + (key === sql ? 0 : key.length)
    const size = STATEMENT_BYTES + characters * BYTES_PER_CHARACTER
    this.#prepared.set(key, prepared, { size })
    return prepared
  }
}
