/** How tables are built in PostgreSQL. */
import { nextTurn } from '../../../admission/next-turn.ts'
import { finishInTurns, type Steps } from '../../../ontology/pausable-work.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import type { TableDialect, TableOfType } from '../../core/catalogue/build-table.ts'
import { readTableFields } from '../../core/catalogue/fields.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { readTable } from '../../core/commits/locked-type.ts'
import { awaited, type CoreSession, type Operation, settled } from '../../core/session/session.ts'
import {
  type ChangedSource,
  endConstruction,
  type NewRows,
  type SeparatePublication,
  type TableBuilder,
} from '../../core/tables/construction.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { ColumnType } from '../catalogue/column-codec.ts'
import { objectTablesOf } from '../catalogue/object-table.ts'
import { ONE_CONNECTION_PER_MACHINE } from '../citus/capabilities.ts'
import {
  addPending,
  type PostgresContext,
  refuseUnfinished,
  waitForRows,
} from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'
import { Vocabulary } from '../text/save-terms.ts'
import { addRows, closeNothing, encodeObjects } from '../writes/copy-rows.ts'

/** Converting this many objects takes a few milliseconds. */
const OBJECTS_PER_TURN = 100

/** Selects the rows of the published version of a type. */
function currentRows(): Operation<SqlCondition> {
  return settled({ sql: `valid_to = ${NEVER_CLOSED}`, values: [] })
}

class PostgresTableBuilder implements TableBuilder {
  readonly session: CoreSession
  readonly tables: TableDialect<ColumnType>
  readonly separately: SeparatePublication | undefined
  readonly portion = { objects: 500, bytes: 4 * 1024 * 1024 }
  readonly #session: WriteSession
  readonly #store: PostgresContext
  /**
   * All terms of a transaction are saved at once, in their order, because other writers add terms at
   * the same time: saved in parts, they could deadlock.
   */
  #vocabulary = new Vocabulary()
  #converted = 0
  #hasRows = false

  constructor(session: WriteSession, core: CoreSession, store: PostgresContext) {
    this.session = core
    this.tables = objectTablesOf(store.capabilities)
    this.separately = separatePublication(session, core, store)
    this.#session = session
    this.#store = store
  }

  /** Each portion is a step: nobody waits for its transaction. */
  isStepOver(): boolean {
    return true
  }

  refuseUnfinished(typeId: number): Operation<void> {
    if (this.separately === undefined) return settled(undefined)
    return awaited(refuseUnfinished(this.#session, typeId))
  }

  findUnfinished(): Operation<undefined> {
    return settled(undefined)
  }

  *analyze({ id }: TableOfType): Operation<void> {
    yield* this.session.execute(`ANALYZE ${objectTable(id)}`)
  }

  currentRows(): Operation<SqlCondition> {
    return currentRows()
  }

  *addRows({ typeId, id }: TableOfType, { version, objects }: NewRows): Operation<void> {
    if (objects.length === 0) return
    yield* this.#prepareForRows()
    const session = this.#session
    const { fields } = yield* readTableFields<ColumnType>(this.session, { typeId, id })
    const table = yield* readTable(this.session, id)
    const encoded = yield* awaited(encodeObjects(fields, objects, this.#vocabulary))
    const target = { ...table, typeId, version, fields }
    yield* awaited(addRows(session, this.#store.capabilities, target, encoded, closeNothing))
  }

  *removeRows({ id }: Pick<TableOfType, 'id'>, keys: readonly string[]): Operation<number> {
    if (keys.length === 0) return 0
    yield* this.#prepareForRows()
    return yield* this.session.run(
      `DELETE FROM ${objectTable(id)} WHERE valid_to = ${NEVER_CLOSED} AND pk = ANY(?::text[])`,
      [keys],
    )
  }

  /** Indexes may follow the rows. Without rows, they are built on all shards at once. */
  *#prepareForRows(): Operation<void> {
    if (this.#hasRows || !this.#store.capabilities.isDistributed) return
    this.#hasRows = true
    yield* this.session.execute(ONE_CONNECTION_PER_MACHINE)
  }

  /**
   * By the versions of the rows: a commit cannot list its keys, because it does not see how far a
   * step has come that is not committed yet.
   */
  *listChanges({
    typeId,
    phase,
    sourceId,
    copiedTo,
    notedVersion,
  }: ChangedSource): Operation<void> {
    const isCopied = phase === 'copying' ? 'pk <= ?' : '?::text IS NOT NULL'
    const source = objectTable(sourceId)
    yield* this.session.run(
      `INSERT INTO oqs_rewrite_key (object_type_id, pk)
       SELECT ?::bigint, pk FROM (
         SELECT pk FROM ${source} WHERE valid_from > ?
         UNION SELECT pk FROM ${source} WHERE valid_to > ? AND valid_to < ${NEVER_CLOSED}
       ) AS changed WHERE ${isCopied}
       ON CONFLICT DO NOTHING`,
      [typeId, notedVersion, notedVersion, copiedTo],
    )
  }

  *convert(steps: Steps<StoredObject>): Operation<StoredObject> {
    this.#converted += 1
    if (this.#converted % OBJECTS_PER_TURN === 0) yield* awaited(nextTurn())
    return yield* awaited(finishInTurns(steps, nextTurn))
  }

  *finish(): Operation<void> {
    const vocabulary = this.#vocabulary
    this.#vocabulary = new Vocabulary()
    yield* awaited(vocabulary.save(this.#session))
  }
}

function separatePublication(
  session: WriteSession,
  core: CoreSession,
  store: PostgresContext,
): SeparatePublication | undefined {
  const { database, capabilities } = store
  if (!capabilities.needsSeparatePublication) return undefined
  return {
    write: (run) => awaited(database.writeBeside((beside) => buildIn(store, beside, run))),
    waitForRows: (id) => awaited(waitForRows(store, id)),
    *publish({ typeId, id: tableId }, { lastVersion, mode, ...counts }) {
      const version = lastVersion + 1
      yield* endConstruction(core, tableId, version, mode)
      const table = yield* readTable(core, tableId)
      yield* awaited(addPending(session, { ...table, ...counts, typeId, tableId, version }))
      return version
    },
  }
}

/** Runs an operation that builds tables, within a transaction. */
export function buildIn<Result>(
  store: PostgresContext,
  session: WriteSession,
  run: (builder: TableBuilder) => Operation<Result>,
): Promise<Result> {
  return runIn(session, function* (core) {
    const builder = new PostgresTableBuilder(session, core, store)
    const result = yield* run(builder)
    yield* builder.finish()
    return result
  })
}
