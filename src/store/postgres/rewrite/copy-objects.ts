/** Copies objects between tables of a type. Everything but the text of an object is derived again. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { objectSteps, type StoredObject } from '../../../ontology/values/read-object.ts'
import { finishInTurns } from '../../../ontology/values/steps.ts'
import { recordBytes } from '../../batch.ts'
import { OPEN } from '../../sql/new-table.ts'
import { readFieldColumns } from '../catalogue/field-columns.ts'
import { allowLongTexts } from '../catalogue/long-text-indexes.ts'
import { objectTable } from '../catalogue/object-table.ts'
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
  readonly objectType: ObjectType
  readonly sourceId: number
  readonly tableId: number
}

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
         WHERE valid_to = ${OPEN} AND pk > ? ORDER BY pk LIMIT ${OBJECTS_PER_STEP}
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
    WHERE copy.pk = source.pk AND copy.valid_to = ${OPEN}`
  let rows: readonly Row[]
  do {
    rows = await session.query(
      `SELECT ${COLUMNS} FROM ${objectTable(tables.sourceId)} AS source
       WHERE valid_to = ${OPEN} AND NOT EXISTS (${isCopied}) ORDER BY pk LIMIT ${OBJECTS_PER_STEP}`,
    )
    if (rows.length > 0) await addCopies(session, tables, rows, 0)
  } while (rows.length > 0)
}

/** Copies the current state of some objects, which may have been copied before or deleted since. */
export async function copyAgain(
  session: WriteSession,
  tables: CopiedTables,
  keys: readonly string[],
): Promise<void> {
  const removed = await session.run(
    `DELETE FROM ${objectTable(tables.tableId)} WHERE pk = ANY(?::text[])`,
    [keys],
  )
  const rows = await session.query(
    `SELECT ${COLUMNS} FROM ${objectTable(tables.sourceId)}
     WHERE valid_to = ${OPEN} AND pk = ANY(?::text[]) ORDER BY pk`,
    [keys],
  )
  await addCopies(session, tables, rows, removed)
}

async function addCopies(
  session: WriteSession,
  { typeId, objectType, tableId }: CopiedTables,
  rows: readonly Row[],
  removed: number,
): Promise<void> {
  const objects = await readObjectsOf(objectType, rows)
  const fields = await readFieldColumns(session, typeId)
  const before = await readTable(session, tableId)
  await allowLongTexts(session, typeId, before, await findLongTexts(fields, objects))
  const table = await readTable(session, tableId)
  await copyRows(session, objects, { table, version: table.loadedAs, fields })
  await saveTableCounts(session, {
    table: tableId,
    liveCount: table.liveCount + objects.length - removed,
    maxRecordBytes: Math.max(table.maxRecordBytes, ...objects.map(recordBytes)),
  })
}

/** Reads objects as if clients had sent them. Throws `RefusedObject` if the definition forbids one. */
async function readObjectsOf(
  objectType: ObjectType,
  rows: readonly Row[],
): Promise<readonly StoredObject[]> {
  const readSteps = objectSteps(objectType)
  const objects: StoredObject[] = []
  for (const [pk, objectId, key, title, body] of rows) {
    const { searchable } = await finishInTurns(readSteps(JSON.parse(String(body))), nextTurn)
    objects.push({
      pk: String(pk),
      objectId: String(objectId),
      key: String(key),
      title: title === null ? null : String(title),
      body: String(body),
      searchable,
    })
  }
  return objects
}
