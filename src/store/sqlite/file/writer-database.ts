/** The connection of the writer thread, with what its jobs reuse. */
import { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { TypeConverter } from '../../sql/stored-change.ts'
import { type ArrayStatement, SqliteSession, StatementCache } from './sqlite-session.ts'
import type { StagedWrite } from './time-slice.ts'

/**
 * The size of the WAL in pages from which a step of a long write moves it to the database. Before
 * that, the checkpoint thread does so, while the next write runs.
 */
const STEP_CHECKPOINT_PAGES = 8000

export class WriterDatabase extends DatabaseSync {
  /** How the objects of types that are being rewritten are read, by number and definition. */
  readonly converters = new LRUCache<string, TypeConverter>({ max: 8 })
  /** How rows of tables are written, see `planOfChanges`. */
  readonly rowPlans = new LRUCache<string, object>({ max: 100 })
  /** The staged writes that this connection carries out, by owner. */
  readonly stagedWrites = new Map<string, StagedWrite<WriterDatabase>>()
  /** Runs the operations that both stores share. */
  readonly session: SqliteSession
  readonly #statements = new StatementCache(this)

  constructor(...options: ConstructorParameters<typeof DatabaseSync>) {
    super(...options)
    this.session = new SqliteSession(this, this.#statements)
  }

  /** Runs a step of a long write, which leaves the WAL to the checkpoint thread. */
  withoutCheckpoint<T>(run: () => T): T {
    const pages = this.cached('PRAGMA wal_autocheckpoint').get()?.[0]
    this.exec(`PRAGMA wal_autocheckpoint = ${STEP_CHECKPOINT_PAGES}`)
    try {
      return run()
    } finally {
      this.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
    }
  }

  /** Returns a statement that is prepared once: a small write would spend much of its time on that. */
  cached(sql: string): ArrayStatement {
    return this.#statements.prepare(sql)
  }
}
