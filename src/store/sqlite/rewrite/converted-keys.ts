/**
 * The keys of copies whose originals have other ones, while a change of the definition is carried
 * out. Without such a change a copy has the key of its original, and nothing is stored.
 */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { removeFromIndexes } from '../catalogue/object-table.ts'
import type { WriterDatabase } from '../file/writer-database.ts'

export interface CopiedType {
  readonly typeId: number
  readonly toTable: number
}

const IS_LISTED = 'IN (SELECT value FROM json_each(?))'

/** Removes copies by their keys, and returns how many there were. */
export function removeCopies(
  db: WriterDatabase,
  { toTable }: CopiedType,
  keys: readonly string[],
): number {
  const removed = db
    .cached(
      `DELETE FROM ${objectTable(toTable)} WHERE valid_to = ${NEVER_CLOSED} AND pk ${IS_LISTED} RETURNING id`,
    )
    .all(JSON.stringify(keys))
    .map(({ id }) => Number(id))
  removeFromIndexes(db, removed)
  return removed.length
}

/** Returns the keys of the copies of some originals, and deletes their entries. */
export function takeKeys(
  db: WriterDatabase,
  { typeId }: CopiedType,
  originals: readonly string[],
): string[] {
  return db
    .cached(
      `DELETE FROM oqs_converted_key WHERE object_type_id = ? AND source_pk ${IS_LISTED} RETURNING pk`,
    )
    .all(typeId, JSON.stringify(originals))
    .map(({ pk }) => String(pk))
}

/**
 * Gives a key to the copy of an original, and returns how many copies had to be removed for it: one
 * whose original has changed since is copied again later, perhaps with another key. Returns undefined
 * if another object has the key.
 */
export function claimKey(
  db: WriterDatabase,
  type: CopiedType,
  original: string,
  key: string,
): number | undefined {
  const owner = db
    .cached(
      `SELECT source_pk, EXISTS (
         SELECT 1 FROM oqs_rewrite_key AS c
         WHERE c.object_type_id = k.object_type_id AND c.pk = k.source_pk
       ) AS isChanged FROM oqs_converted_key AS k WHERE object_type_id = ? AND pk = ?`,
    )
    .get(type.typeId, key)
  if (owner !== undefined && owner['isChanged'] !== 1) return undefined
  const removed =
    owner === undefined
      ? 0
      : removeCopies(db, type, takeKeys(db, type, [String(owner['source_pk'])]))
  db.cached('INSERT INTO oqs_converted_key (object_type_id, source_pk, pk) VALUES (?, ?, ?)').run(
    type.typeId,
    original,
    key,
  )
  return removed
}
