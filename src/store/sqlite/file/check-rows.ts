/** Checks the rows of object tables against their checksums. */
import type { DatabaseSync } from 'node:sqlite'
import { checksumOf } from '../../object-checksum.ts'

/** The rows of one step, which takes about a tenth of a second. */
const ROWS_PER_STEP = 50_000

export interface CheckedRows {
  readonly rows: number
  /** The row to continue after; undefined if there is none. */
  readonly lastId: number | undefined
  readonly damaged?: DamagedRow
}

/** A row that does not match its checksum. */
export interface DamagedRow {
  readonly objectType: string
  readonly row: number
  /** The primary key as it is stored, which may be what is damaged. */
  readonly key: string
}

/** True for the name of a table that holds objects. */
export function isObjectTable(table: string): boolean {
  return /^oqs_object_\d+$/.test(table)
}

/**
 * Checks the rows of a table that follow a row, up to the size of a step. Returns no rows if there is
 * no such table any more.
 */
export function checkNextRows(db: DatabaseSync, table: string, after: number): CheckedRows {
  const isThere = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`)
  if (!isObjectTable(table) || isThere.get(table) === undefined) return END
  // Not by an index: the row itself is checked.
  const found = db
    .prepare(
      `SELECT id, checksum, CAST(concat(object_id, key, pk, body) AS BLOB) AS covered FROM ${table}
       WHERE id > ? ORDER BY id LIMIT ${ROWS_PER_STEP}`,
    )
    .iterate(after)
  let [rows, lastId] = [0, after]
  for (const { id, checksum, covered } of found) {
    rows += 1
    lastId = Number(id)
    if (checksumOf(covered as Uint8Array) !== Number(checksum)) {
      return { rows, lastId, damaged: describeRow(db, table, lastId) }
    }
  }
  return { rows, lastId: rows < ROWS_PER_STEP ? undefined : lastId }
}

const END: CheckedRows = { rows: 0, lastId: undefined }

function describeRow(db: DatabaseSync, table: string, row: number): DamagedRow {
  const [key] = Object.values(db.prepare(`SELECT key FROM ${table} WHERE id = ?`).get(row) ?? {})
  const type = db
    .prepare(
      `SELECT definition ->> 'apiName' AS name FROM oqs_object_type WHERE id = (
         SELECT object_type_id FROM oqs_object_table WHERE id = ?
       )`,
    )
    .get(Number(table.slice('oqs_object_'.length)))
  return { objectType: String(type?.['name'] ?? table), row, key: String(key) }
}

/** Describes a damaged row for the log, without its key. */
export function describeDamage({ objectType, row }: DamagedRow): string {
  return `row ${row} of object type ${objectType} does not match its checksum`
}
