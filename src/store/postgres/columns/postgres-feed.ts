/** The feed of columns from PostgreSQL. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import { sortableDecimal } from '../../../ontology/values/column-value.ts'
import type { ColumnFeed } from '../../columns/feed/column-feed.ts'
import type { FeedDatabase, FeedSession } from '../../core/columns/feed-database.ts'
import type { ValueForm } from '../../core/columns/feed-fields.ts'
import { StoreFeed } from '../../core/columns/store-feed.ts'
import { CatalogueReader } from '../../core/definitions/catalogue-reader.ts'
import {
  awaited,
  type Operation,
  type ReadSession,
  runAwaited,
} from '../../core/session/session.ts'
import type { WriteOperation } from '../../core/session/store-operations.ts'
import { SharedCatalogue } from '../catalogue/shared-catalogue.ts'
import { Database, type Session } from '../driver/database.ts'
import { PostgresReader, readIn, runIn } from '../driver/postgres-session.ts'

/** Opens the feed of a database, which must have the schema of this release. */
export function openPostgresFeed(url: string): ColumnFeed {
  return new StoreFeed(new PostgresFeedDatabase(url))
}

class PostgresFeedDatabase implements FeedDatabase {
  readonly catalogue: CatalogueReader
  readonly visibleAt = 'o.valid_from <= ? AND o.valid_to > ?'
  readonly #database: Database

  constructor(url: string) {
    this.#database = new Database(url)
    this.catalogue = new CatalogueReader(new SharedCatalogue(this.#database), undefined)
  }

  formOf(type: ScalarType): ValueForm {
    switch (type) {
      case 'float':
      case 'double':
        return { decode: (cell) => (Number.isNaN(cell) ? 'NaN' : (cell as number)) }
      case 'decimal':
        return { decode: (cell) => sortableDecimal(cell as string) }
      default:
        return {}
    }
  }

  query<Result>(operation: (session: ReadSession) => Operation<Result>): Promise<Result> {
    return readIn(this.#database, operation)
  }

  read<Result>(operation: (session: FeedSession) => Operation<Result>): Promise<Result> {
    return this.#database.read((session) => runAwaited(operation(new PostgresFeedSession(session))))
  }

  write<Input>(operation: WriteOperation<Input, void>, input: Input): Promise<void> {
    return this.#database.write((session) => runIn(session, (core) => operation.run(core, input)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]()
  }
}

class PostgresFeedSession extends PostgresReader implements FeedSession {
  readonly #session: Session

  constructor(session: Session) {
    super(session)
    this.#session = session
  }

  rows(sql: string, parameters: readonly (string | number)[]) {
    const options = { isPrepared: true, inTurns: true }
    return awaited(this.#session.query(sql, parameters, options))
  }
}
