/** How tables are built in SQLite, by the writer thread. */
import { finish, type Steps } from '../../../ontology/pausable-work.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import type { TableOfType } from '../../core/catalogue/build-table.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import { type Operation, settled } from '../../core/session/session.ts'
import type { NewRows, StagedRecord, TableBuilder } from '../../core/tables/construction.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { SQLITE_TABLES } from '../catalogue/object-table.ts'
import { startSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { currentRows, readStaged } from '../writes/staged-record.ts'
import { writeObjects } from '../writes/write-row.ts'

/** The objects, and the portions of large ones, of a step that takes about 20 milliseconds. */
const STEP = { objects: 400, portions: 4 } as const

export class SqliteTableBuilder implements TableBuilder {
  readonly session
  readonly tables = SQLITE_TABLES
  readonly separately = undefined
  // A few large objects can take longer than many others.
  readonly portion = { objects: STEP.objects, bytes: 128 * 1024 }
  readonly #db: WriterDatabase
  readonly #slice = startSlice()
  #objects = 0
  #portions = 0

  constructor(db: WriterDatabase) {
    this.#db = db
    this.session = db.session
  }

  isStepOver(): boolean {
    this.#portions += 1
    const isFull = this.#objects >= STEP.objects || this.#portions >= STEP.portions
    return isFull || this.#slice.isOver()
  }

  /** A commit is published in its transaction. */
  refuseUnfinished(): Operation<void> {
    return settled(undefined)
  }

  findUnfinished(id: number): Operation<StagedRecord | undefined> {
    return settled(readStaged(this.#db, id))
  }

  /** The statistics of SQLite are not used. */
  analyze(): Operation<void> {
    return settled(undefined)
  }

  currentRows(typeId: number): Operation<SqlCondition> {
    return currentRows(this.session, typeId)
  }

  addRows({ typeId, id }: TableOfType, { objects, ...rows }: NewRows): Operation<void> {
    return settled(writeObjects(this.#db, { typeId, table: id, ...rows }, objects))
  }

  removeRows({ id }: Pick<TableOfType, 'id'>, keys: readonly string[]): Operation<number> {
    if (keys.length === 0) return settled(0)
    const { changes } = this.#db
      .cached(
        `DELETE FROM ${objectTable(id)}
         WHERE valid_to = ${NEVER_CLOSED} AND pk IN (SELECT value FROM json_each(?))`,
      )
      .run(JSON.stringify(keys))
    return settled(Number(changes))
  }

  /** Commits list the keys that they change, see changed-keys.ts. */
  listChanges(): Operation<void> {
    return settled(undefined)
  }

  convert(steps: Steps<StoredObject>): Operation<StoredObject> {
    this.#objects += 1
    return settled(finish(steps))
  }

  finish(): Operation<void> {
    return settled(undefined)
  }
}
