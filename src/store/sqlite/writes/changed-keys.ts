/**
 * Notes which objects a commit changes while their type is being rewritten. Objects that are not
 * copied yet are left out: they will be copied as they are then.
 */

import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import type { WriterDatabase } from '../file/writer-database.ts'

const ADD_KEYS = 'INSERT OR IGNORE INTO oqs_rewrite_key (object_type_id, pk)'
const IS_COPIED = `r.phase IN ('indexing', 'catchingUp') OR (r.phase = 'copying' AND pk <= r.copied_to)`

export function noteChangedKeys(db: WriterDatabase, typeId: number, keys: readonly string[]): void {
  db.cached(
    `${ADD_KEYS} SELECT r.object_type_id, pk
     FROM oqs_rewrite AS r, (SELECT value AS pk FROM json_each(?))
     WHERE r.object_type_id = ? AND (${IS_COPIED})`,
  ).run(JSON.stringify(keys), typeId)
}

/** Does the same for the objects of which a version closed the rows. */
export function noteClosedKeys(
  db: WriterDatabase,
  { typeId, table, version }: { readonly typeId: number; table: number; version: number },
): void {
  db.cached(
    `${ADD_KEYS} SELECT r.object_type_id, pk
     FROM oqs_rewrite AS r, ${objectTable(table)} AS o
     WHERE r.object_type_id = ? AND o.valid_to = ? AND o.valid_to < ${NEVER_CLOSED} AND (${IS_COPIED})`,
  ).run(typeId, version)
}
