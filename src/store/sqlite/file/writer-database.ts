/** The connection of the writer thread, with what its jobs reuse. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { TypeConverter } from '../../sql/stored-change.ts'
import { TermCutter } from '../../sql/term-cutter.ts'
import { WordCutter } from '../../sql/word-cutter.ts'
import type { StagedWrite } from '../staged/staged-write.ts'

/** A write of one object uses about twenty statements. */
const CAPACITY = 500

/** Prepares statements: a connection, or one that prepares each statement only once. */
export type Prepares = Pick<DatabaseSync, 'prepare'>

export class WriterDatabase extends DatabaseSync {
  /** By the rules of a table. */
  readonly cutters = { separators: new TermCutter(), analyser: new WordCutter() } as const
  /** How the objects of types that are being rewritten are read, by number and definition. */
  readonly converters = new LRUCache<string, TypeConverter>({ max: 8 })
  /** The staged writes that this connection carries out, by owner. */
  readonly stagedWrites = new Map<string, StagedWrite<WriterDatabase>>()
  readonly #prepared = new LRUCache<string, StatementSync>({ max: CAPACITY })

  /**
   * This connection, for functions that prepare their statements each time: each is prepared once.
   */
  readonly reusing: Prepares = { prepare: (sql) => this.cached(sql) }

  /** Returns a statement that is prepared once: a small write would spend much of its time on that. */
  cached(sql: string): StatementSync {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }
}
