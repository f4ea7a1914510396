import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { WriteTable } from '../../core/commits/locked-type.ts'
import type { CurrentObject } from '../../object-store.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import type { Session } from '../driver/database.ts'

/** Reads the current objects with the given keys. The type must be locked. */
export async function readCurrent(
  session: Session,
  { id, isCreated }: WriteTable,
  keys: readonly string[],
): Promise<ReadonlyMap<string, CurrentObject>> {
  if (!isCreated || keys.length === 0) return new Map()
  const rows = await session.query(
    `SELECT pk, object_id, key, title, body FROM ${objectTable(id)}
     WHERE pk = ANY(?::text[]) AND valid_to = ${NEVER_CLOSED}`,
    [keys],
  )
  return new Map(
    rows.map(([pk, objectId, key, title, body]) => [
      String(pk),
      {
        pk: String(pk),
        objectId: String(objectId),
        key: String(key),
        title: title === null ? null : String(title),
        body: String(body),
      },
    ]),
  )
}
