/** Prepared statements of one connection. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RecentMap } from '../../../contract/recent-map.ts'
import { type Rings, ringsOf } from '../queries/rings.ts'

/** A statement and the values of its first placeholders. */
export interface Prepared {
  readonly statement: StatementSync
  readonly values: readonly string[]
}

/** Prepared statements by name; the least recently used one is evicted. */
export class StatementCache {
  /** The rings of statements that call `within_ring`. */
  readonly rings: Rings
  readonly #db: DatabaseSync
  readonly #prepared: RecentMap<Prepared>

  constructor(db: DatabaseSync, capacity = 1000) {
    this.rings = ringsOf(db)
    this.#db = db
    this.#prepared = new RecentMap(capacity)
  }

  /** Returns a statement that is named by its text. */
  prepare(sql: string): StatementSync {
    return this.named(sql, () => ({ sql, values: [] })).statement
  }

  /** Returns a statement by a short name, whose text is built only if it is not prepared yet. */
  named(name: string, write: () => { sql: string; values: readonly string[] }): Prepared {
    const known = this.#prepared.get(name)
    if (known !== undefined) return known
    const prepared = this.#make(write())
    this.#prepared.set(name, prepared)
    return prepared
  }

  /** Returns rows as arrays, which are cheaper than objects. */
  #make({ sql, values }: { sql: string; values: readonly string[] }): Prepared {
    const statement = this.#db.prepare(sql)
    statement.setReturnArrays(true)
    return { statement, values }
  }
}
