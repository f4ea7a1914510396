import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RecentMap } from '../../../contract/recent-map.ts'
import { type Rings, ringsOf } from '../queries/rings.ts'

/** A statement and the values of its first placeholders. */
export interface Prepared {
  readonly statement: StatementSync
  readonly values: readonly string[]
}

/** Prepared statements, kept by name; those that went unused longest give way. */
export class StatementCache {
  /** What statements with `within_ring` test points against. */
  readonly rings: Rings
  readonly #db: DatabaseSync
  readonly #prepared: RecentMap<Prepared>

  constructor(db: DatabaseSync, capacity = 1000) {
    this.rings = ringsOf(db)
    this.#db = db
    this.#prepared = new RecentMap(capacity)
  }

  /** A statement that is its own name. */
  prepare(sql: string): StatementSync {
    return this.named(sql, () => ({ sql, values: [] })).statement
  }

  /** A statement with a short name, for where its text takes longer to write than to find. */
  named(name: string, write: () => { sql: string; values: readonly string[] }): Prepared {
    const known = this.#prepared.get(name)
    if (known !== undefined) return known
    const prepared = this.#make(write())
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
