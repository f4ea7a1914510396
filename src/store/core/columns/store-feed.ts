/** The feed of columns, written once for both databases. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import type {
  ColumnFeed,
  ColumnSegmentRecord,
  FeedHead,
  FeedRow,
  FeedTable,
  RowChanges,
  TooMany,
} from '../../columns/feed/column-feed.ts'
import { INTERNAL_CONTEXT } from '../../port/request-context.ts'
import { FieldNumbers } from '../../sql/compile/field-numbers.ts'
import { readBuiltTable } from '../catalogue/build-table.ts'
import { readFields } from '../catalogue/fields.ts'
import { objectTable } from '../catalogue/object-tables.ts'
import { boolean, integer, type Operation, runAwaited, text } from '../session/session.ts'
import {
  addedBetween,
  CHANGES_AT_ONCE,
  closedRows,
  countChanges,
  NO_KEY,
  type Position,
  type TableState,
  type Versions,
} from './changed-rows.ts'
import type { FeedDatabase, FeedSession } from './feed-database.ts'
import { type FieldSelection, selectFields } from './feed-fields.ts'
import { addSegment, readSegments, removeSegments } from './segment-records.ts'

/** Rows that are read at once: few, because a build pauses only between reads. */
const OBJECTS_AT_ONCE = 250
/** Fewer are read at once if the table has large ones. */
const BYTES_AT_ONCE = 16 * 1024 * 1024
const LARGE_ROWS_AT_ONCE = 16

const HEAD = {
  rid: text,
  typeId: integer,
  generation: integer,
  published: integer,
  oldest: integer,
  table: integer,
  firstVersion: integer,
  loadedAs: integer,
  liveCount: integer,
  isCreated: boolean,
} as const

export class StoreFeed implements ColumnFeed {
  readonly #database: FeedDatabase
  /** What is selected of each table. The columns of a table and a definition never change. */
  readonly #selections = new WeakMap<FeedTable, FieldSelection>()

  constructor(database: FeedDatabase) {
    this.#database = database
  }

  async readHeads(rids: readonly string[]): Promise<readonly (FeedHead | undefined)[]> {
    const heads = await this.#database.query((session) =>
      session.query(
        `SELECT t.rid, t.id, t.generation, t.published, t.oldest,
           o.id, o.first_version, o.loaded_as, o.live_count, o.is_created
         FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
         WHERE t.rid ${session.dialect.isOneOf('text')}`,
        [rids],
        HEAD,
        { isPrepared: true },
      ),
    )
    const byRid = new Map(heads.map(({ rid, ...head }) => [rid, head]))
    return rids.map((rid) => byRid.get(rid))
  }

  async readObjectType(rid: string): Promise<ObjectType | undefined> {
    const type = await this.#database.query((session) =>
      session.find('SELECT ontology_rid FROM oqs_object_type WHERE rid = ?', [rid], {
        ontology: text,
      }),
    )
    if (type === undefined) return undefined
    const { callerId } = INTERNAL_CONTEXT
    const reading = this.#database.catalogue.read({ named: [type], callerId })
    const [ontology] = (await runAwaited(reading)).ontologies
    return ontology?.objectTypes.values().find((one) => one.rid === rid)
  }

  async *readObjects(source: FeedTable, version: number): AsyncGenerator<readonly FeedRow[]> {
    const where = `${this.#database.visibleAt} AND o.pk > ? ORDER BY o.pk`
    for (let after: string | undefined = NO_KEY; after !== undefined; ) {
      const values: (string | number)[] = [version, version, after]
      const rows: readonly FeedRow[] | undefined = await this.#read(
        source,
        version,
        (session, state) =>
          this.#selectRows(session, source, where, values, limitOf(state, OBJECTS_AT_ONCE)),
        [],
      )
      if (rows === undefined) {
        const table = `table ${source.table} of type ${source.typeId}`
        throw new Error(`version ${version} was reclaimed while it was read from ${table}`)
      }
      if (rows.length > 0) yield rows
      after = rows.at(-1)?.key
    }
  }

  async readChanges(
    source: FeedTable,
    since: number,
    until: number,
    maxRows: number,
  ): Promise<RowChanges | TooMany> {
    const versions = { since, until }
    const start = { version: since + 1, key: NO_KEY }
    const selectAdded = this.#addedRows(source, versions)
    const selectClosed = closedRows(source, until)
    // Most commits change few objects, which one transaction reads.
    const first = await this.#read<RowChanges | number>(
      source,
      since,
      function* (session, state) {
        const added = yield* selectAdded(session, state, start)
        const closed = yield* selectClosed(session, start)
        const isAll = added.length < changesAtOnce(state) && closed.length < CHANGES_AT_ONCE
        if (isAll && added.length + closed.length <= maxRows) return { added, closed }
        return yield* countChanges(session, source, state, versions, maxRows)
      },
      { added: [], closed: [] },
    )
    if (typeof first === 'object') return first
    if (first === undefined || first > maxRows) return 'tooMany'
    const added = await this.#collect(source, start, selectAdded, ({ validFrom, key }) => ({
      version: validFrom,
      key,
    }))
    const closed = await this.#collect(
      source,
      start,
      (session, _, from) => selectClosed(session, from),
      ({ validTo, key }) => ({ version: validTo, key }),
    )
    return added === undefined || closed === undefined ? 'tooMany' : { added, closed }
  }

  async readWrites(): Promise<{ readonly rows: number; readonly isLoading: boolean }> {
    const [found] = await this.#database.query((session) =>
      session.query(
        `SELECT CAST(coalesce(sum(live_count + closed_count), 0) AS BIGINT),
           count(CASE WHEN state = 'loading' AND idle_since_ms IS NULL THEN 1 END)
         FROM oqs_object_table WHERE state <> 'abandoned'`,
        [],
        { rows: integer, loading: integer },
        { isPrepared: true },
      ),
    )
    return { rows: found?.rows ?? 0, isLoading: (found?.loading ?? 0) > 0 }
  }

  readSegments(): Promise<readonly ColumnSegmentRecord[]> {
    return this.#database.query(readSegments)
  }

  addSegment(record: ColumnSegmentRecord): Promise<void> {
    return this.#database.write(addSegment, record)
  }

  removeSegments(names: readonly string[]): Promise<void> {
    return this.#database.write(removeSegments, names)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]()
  }

  /**
   * Reads a table in a transaction. Returns undefined if rows of the version may have been
   * reclaimed, and `empty` if the table is not created yet.
   */
  #read<Result>(
    { typeId, table }: FeedTable,
    version: number,
    read: (session: FeedSession, state: TableState) => Operation<Result>,
    empty: Result,
  ): Promise<Result | undefined> {
    return this.#database.read(function* (session) {
      const state = yield* session.find(
        `SELECT t.oldest, o.is_created, o.max_record_bytes, o.indexed_version
         FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.object_type_id = t.id
         WHERE t.id = ? AND o.id = ?`,
        [typeId, table],
        { oldest: integer, isCreated: boolean, maxRecordBytes: integer, indexedVersion: integer },
        { isPrepared: true },
      )
      if (state === undefined || state.oldest > version) return undefined
      return state.isCreated ? yield* read(session, state) : empty
    })
  }

  /** Reads all changes of a kind, in portions. Returns undefined if some may have been reclaimed. */
  async #collect<Row>(
    source: FeedTable,
    start: Position,
    read: (session: FeedSession, state: TableState, from: Position) => Operation<readonly Row[]>,
    positionOf: (row: Row) => Position,
  ): Promise<readonly Row[] | undefined> {
    const all: Row[] = []
    for (let from = start; ; ) {
      const after = from
      const since = start.version - 1
      const rows = await this.#read(source, since, (...at) => read(...at, after), [])
      const last = rows?.at(-1)
      if (rows === undefined || last === undefined) return rows && all
      all.push(...rows)
      from = positionOf(last)
      await nextTurn()
    }
  }

  /** Returns a function that reads the added rows from a position on. */
  #addedRows(source: FeedTable, versions: Versions) {
    return (session: FeedSession, state: TableState, { version, key }: Position) => {
      const where = `${addedBetween(state, versions)} ORDER BY o.valid_from, o.pk`
      const values = [version, key, versions.until]
      return this.#selectRows(session, source, where, values, changesAtOnce(state))
    }
  }

  *#selectRows(
    session: FeedSession,
    source: FeedTable,
    where: string,
    values: readonly (string | number)[],
    limit: number,
  ): Operation<readonly FeedRow[]> {
    const { expressions, parameters, read } = yield* this.#selectionOf(session, source)
    const rows = yield* session.rows(
      `SELECT ${['o.pk', 'o.valid_from', ...expressions].join(', ')}
       FROM ${objectTable(source.table)} AS o WHERE ${where} LIMIT ?`,
      [...parameters, ...values, limit],
    )
    return rows.map((row) => ({
      key: text(row[0]),
      validFrom: integer(row[1]),
      values: read(row, 2),
    }))
  }

  *#selectionOf(session: FeedSession, source: FeedTable): Operation<FieldSelection> {
    const known = this.#selections.get(source)
    if (known !== undefined) return known
    const fields = yield* readFields(session, source.typeId)
    const numbers = new FieldNumbers(fields, yield* readBuiltTable(session, source.table))
    const selection = selectFields(source.specs, numbers, session.dialect, this.#database.formOf)
    this.#selections.set(source, selection)
    return selection
  }
}

function changesAtOnce(state: TableState): number {
  return limitOf(state, CHANGES_AT_ONCE)
}

function limitOf({ maxRecordBytes }: TableState, most: number): number {
  const fitting = Math.floor(BYTES_AT_ONCE / Math.max(1, maxRecordBytes))
  return Math.min(most, Math.max(LARGE_ROWS_AT_ONCE, fitting))
}
