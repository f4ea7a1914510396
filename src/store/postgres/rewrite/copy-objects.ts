/** Copies objects between tables of a type. Their columns are derived again from their bodies. */

import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { recordBytes } from '../../batch.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { UnfitObject } from '../../definition-change.ts'
import { NEVER_CLOSED } from '../../sql/row-versions.ts'
import { readTableFields } from '../catalogue/field-columns.ts'
import { allowLongTexts } from '../catalogue/long-text-indexes.ts'
import type { Row, WriteSession } from '../driver/database.ts'
import { findLongTexts } from '../text/long-texts.ts'
import { copyRows } from '../writes/copy-rows.ts'
import { readTable } from '../writes/lock-type.ts'
import { saveTableCounts } from '../writes/publish-version.ts'

/** A step copies at most this many objects and, unless one is larger, bytes. */
export const OBJECTS_PER_STEP = 500
const BYTES_PER_STEP = 4 * 1024 * 1024

export interface CopiedTables {
  readonly typeId: number
  readonly sourceId: number
  readonly tableId: number
  readonly copier: ObjectCopier
}

/** How stored objects become copies. */
export interface ObjectCopier {
  /** Reads or converts rows of `COLUMNS`. Leaves out objects that do not fit. */
  readonly read: (rows: readonly Row[]) => Promise<readonly CopiedObject[]>
  /** The objects that did not fit. */
  readonly unfit: UnfitObject[]
  /** The keys of copies, if they are not those of their originals. */
  readonly keys?: CopiedKeys
}

export interface CopiedObject {
  /** The key of the original. */
  readonly original: string
  /** The primary key of the original as JSON. */
  readonly key: string
  readonly object: StoredObject
}

export interface CopiedKeys {
  /** Returns the keys of the copies of some originals, and deletes their entries. */
  readonly take: (session: WriteSession, originals: readonly string[]) => Promise<readonly string[]>
  /** Gives keys to copies. Returns those that got one, and keys whose earlier copies must go. */
  readonly claim: (
    session: WriteSession,
    objects: readonly CopiedObject[],
  ) => Promise<{ readonly objects: readonly CopiedObject[]; readonly freed: readonly string[] }>
}

/** The columns of the rows that are copied. */
const COLUMNS = 'pk, object_id, key, title, body'

export interface CopiedRange {
  /** The last key that was copied. */
  readonly lastKey: string
  /** Whether it was the last one of all. Objects that are added later count as changed. */
  readonly isLast: boolean
}

/** Copies the current objects after a key. */
export async function copyNext(
  session: WriteSession,
  tables: CopiedTables,
  after: string,
): Promise<CopiedRange> {
  // The size of a long text is known without reading it.
  const rows = await session.query(
    `SELECT ${COLUMNS}, total FROM (
       SELECT *, row_number() OVER () AS position, count(*) OVER () AS total,
         sum(octet_length(body)) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
       FROM (
         SELECT ${COLUMNS} FROM ${objectTable(tables.sourceId)}
         WHERE valid_to = ${NEVER_CLOSED} AND pk > ? ORDER BY pk LIMIT ${OBJECTS_PER_STEP}
       ) AS next
     ) AS sized WHERE position = 1 OR bytes <= ${BYTES_PER_STEP} ORDER BY pk`,
    [after],
  )
  await addCopies(session, tables, rows, 0)
  const [lastKey = after, , , , , total = 0] = rows.at(-1) ?? []
  const isLast = Number(total) < OBJECTS_PER_STEP && Number(total) === rows.length
  return { lastKey: String(lastKey), isLast }
}

/** Copies the current objects that the other table does not have. */
export async function copyMissing(session: WriteSession, tables: CopiedTables): Promise<void> {
  const isCopied = `SELECT 1 FROM ${objectTable(tables.tableId)} AS copy
    WHERE copy.pk = source.pk AND copy.valid_to = ${NEVER_CLOSED}`
  let rows: readonly Row[]
  do {
    rows = await session.query(
      `SELECT ${COLUMNS} FROM ${objectTable(tables.sourceId)} AS source
       WHERE valid_to = ${NEVER_CLOSED} AND NOT EXISTS (${isCopied}) ORDER BY pk LIMIT ${OBJECTS_PER_STEP}`,
    )
    if (rows.length > 0) await addCopies(session, tables, rows, 0)
  } while (rows.length > 0)
}

/** Copies the current state of some objects, which may have been copied before or deleted since. */
export async function copyAgain(
  session: WriteSession,
  tables: CopiedTables,
  originals: readonly string[],
): Promise<void> {
  const keys = (await tables.copier.keys?.take(session, originals)) ?? originals
  const removed = await removeCopies(session, tables, keys)
  const rows = await session.query(
    `SELECT ${COLUMNS} FROM ${objectTable(tables.sourceId)}
     WHERE valid_to = ${NEVER_CLOSED} AND pk = ANY(?::text[]) ORDER BY pk`,
    [originals],
  )
  await addCopies(session, tables, rows, removed)
}

function removeCopies(
  session: WriteSession,
  { tableId }: CopiedTables,
  keys: readonly string[],
): Promise<number> {
  return session.run(`DELETE FROM ${objectTable(tableId)} WHERE pk = ANY(?::text[])`, [keys])
}

async function addCopies(
  session: WriteSession,
  tables: CopiedTables,
  rows: readonly Row[],
  removed: number,
): Promise<void> {
  const { typeId, tableId, copier } = tables
  const read = await copier.read(rows)
  const claimed = await copier.keys?.claim(session, read)
  const freed = claimed === undefined ? 0 : await removeCopies(session, tables, claimed.freed)
  const objects = (claimed?.objects ?? read).map(({ object }) => object)
  const fields = await readTableFields(session, typeId, tableId)
  const before = await readTable(session, tableId)
  await allowLongTexts(session, typeId, before, await findLongTexts(fields, objects))
  const table = await readTable(session, tableId)
  await copyRows(session, objects, { table, version: table.loadedAs, fields })
  await saveTableCounts(session, {
    table: tableId,
    liveCount: table.liveCount + objects.length - removed - freed,
    maxRecordBytes: Math.max(table.maxRecordBytes, ...objects.map(recordBytes)),
  })
}
