/** Removes rows and their entries in the indexes that all types share. */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { TimeSlice } from '../file/time-slice.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { removeFromIndexes } from './object-table.ts'

/** Returns a function that deletes a row, and its entries in the shared indexes. */
export function rowRemover(db: WriterDatabase, table: number): (id: number) => void {
  const remove = db.cached(`DELETE FROM ${objectTable(table)} WHERE id = ?`)
  return (id) => {
    removeFromIndexes(db, [id])
    remove.run(id)
  }
}

/** Array elements that are removed together. */
const ELEMENTS = 1000

/**
 * Removes the array elements of rows, of which a row can have many, until the step must end. Returns
 * whether none is left.
 */
export function removeElements(
  db: WriterDatabase,
  rows: readonly number[],
  slice: TimeSlice,
): boolean {
  const remove = db.cached(
    `DELETE FROM oqs_element WHERE (field, value, row) IN (
       SELECT field, value, row FROM oqs_element
       WHERE row IN (SELECT value FROM json_each(?)) LIMIT ${ELEMENTS}
     )`,
  )
  const list = JSON.stringify(rows)
  while (Number(remove.run(list).changes) === ELEMENTS) {
    if (slice.isOver(0)) return false
  }
  return true
}
