/**
 * The tables of object types, in the catalogue. A type has one table. A replacement is loaded into a
 * new one, and the old one remains until its versions expire. See docs/decisions/008-replacements.md.
 */

import { type CoreSession, integer, type Operation } from '../session/session.ts'

/** The `valid_to` of a current row: larger than any version, and exact as a double. */
export const NEVER_CLOSED = Number.MAX_SAFE_INTEGER

/** Returns the name of a table. It contains a number, so no name of a user ever appears in SQL. */
export function objectTable(id: number): string {
  if (!Number.isSafeInteger(id)) throw new Error(`not a table number: ${id}`)
  return `oqs_object_${id}`
}

/**
 * Adds a table to the catalogue and returns its number. The table itself is created when it is first
 * used: an ontology can have many unused types, and each table takes files, locks and memory.
 */
export function* addObjectTable(session: CoreSession, table: NewTable): Operation<number> {
  const { typeId, state, firstVersion, loadedAs } = table
  const row = yield* session.find(
    `INSERT INTO oqs_object_table (object_type_id, state, first_version, loaded_as)
     VALUES (?, ?, ?, ?) RETURNING id`,
    [typeId, state, firstVersion, loadedAs],
    { id: integer },
  )
  if (row === undefined) throw new Error('the table has no number')
  return row.id
}

/** Marks all tables of types as abandoned. Reclaim removes them later, in steps. */
export function* abandonTables(session: CoreSession, typeIds: readonly number[]): Operation<void> {
  yield* session.run(
    `UPDATE oqs_object_table SET state = 'abandoned'
     WHERE object_type_id ${session.dialect.isOneOf('integer')}`,
    [typeIds],
  )
}

export type TableState = 'loading' | 'rewriting' | 'published'

/** The catalogue entry of a table that is still empty. */
interface NewTable {
  readonly typeId: number
  readonly state: TableState
  readonly firstVersion: number
  readonly loadedAs: number
}
