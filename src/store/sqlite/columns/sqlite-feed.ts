/** The feed of columns from a SQLite file. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColumnFeed } from '../../columns/feed/column-feed.ts'
import type { FeedDatabase, FeedSession } from '../../core/columns/feed-database.ts'
import { StoreFeed } from '../../core/columns/store-feed.ts'
import type { CatalogueReader } from '../../core/definitions/catalogue-reader.ts'
import { type Operation, type ReadSession, runNow, settled } from '../../core/session/session.ts'
import type { WriteOperation } from '../../core/session/store-operations.ts'
import { openCatalogue } from '../catalogue/open-catalogue.ts'
import { VISIBLE_AT_VERSION } from '../catalogue/table-layout.ts'
import { inTransaction, openConnection, openWriterConnection } from '../file/connection.ts'
import { SqliteSession, type StatementCache } from '../file/sqlite-session.ts'
import { isBusy, toStoreFailure } from '../file/store-failure.ts'
import {
  inReadTransaction,
  type ReadConnection,
  toReadConnection,
} from '../queries/read-connection.ts'
import { valueForm } from '../queries/value-form.ts'

/** Opens the feed of a database file, which must exist. */
export function openSqliteFeed(path: string): ColumnFeed {
  return new StoreFeed(new SqliteFeedDatabase(path))
}

/** How long a write waits for another one, and how long until it tries again. */
const MAX_WAIT_MS = 30_000
const RETRY_MS = 20

class SqliteFeedDatabase implements FeedDatabase {
  readonly catalogue: CatalogueReader
  readonly visibleAt = VISIBLE_AT_VERSION
  readonly formOf = valueForm
  readonly #path: string
  readonly #reading: ReadConnection
  readonly #session: FeedSession

  constructor(path: string) {
    this.#path = path
    this.#reading = toReadConnection(openConnection(path))
    this.#session = new SqliteFeedSession(this.#reading)
    this.catalogue = openCatalogue(this.#reading, undefined)
  }

  query<Result>(operation: (session: ReadSession) => Operation<Result>): Promise<Result> {
    return this.read(operation)
  }

  async read<Result>(operation: (session: FeedSession) => Operation<Result>): Promise<Result> {
    try {
      return inReadTransaction(this.#reading, () => runNow(operation(this.#session)))
    } catch (error) {
      throw toStoreFailure(error)
    }
  }

  /** Uses a connection of its own: the timeout of SQLite would block the thread while it waits. */
  async write<Input>(operation: WriteOperation<Input, void>, input: Input): Promise<void> {
    using db = openWriterConnection(this.#path)
    db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_autocheckpoint = 0')
    for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
      try {
        inTransaction(db, 'write', () => runNow(operation.run(db.session, input)))
        return
      } catch (error) {
        if (!isBusy(error) || waitedMs >= MAX_WAIT_MS) throw toStoreFailure(error)
      }
      await sleep(RETRY_MS)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reading.db.close()
  }
}

class SqliteFeedSession extends SqliteSession implements FeedSession {
  readonly #statements: StatementCache

  constructor({ db, statements }: Pick<ReadConnection, 'db' | 'statements'>) {
    super(db, statements)
    this.#statements = statements
  }

  rows(sql: string, parameters: readonly (string | number)[]) {
    return settled(this.#statements.prepare(sql).all(...parameters))
  }
}
