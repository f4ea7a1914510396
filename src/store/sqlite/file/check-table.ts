/** Checks the structure of a database that is in use, table by table. */
import type { DatabaseSync } from 'node:sqlite'
import { checksumOf } from '../../object-checksum.ts'
import { KEY_JSON } from './row-texts.ts'

/**
 * Prepares a connection for checks. Without the memory map, a truncated file is an error of SQLite
 * and does not kill the process, and each page is checked once and not at every use.
 */
export function prepareChecks(db: DatabaseSync): void {
  db.exec('PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON')
}

/**
 * Returns the names of all tables, including those of the catalogue and of full text. Virtual tables
 * are last: if the tables that hold their data are damaged, they fail with errors of their own.
 */
export function tablesToCheck(db: DatabaseSync): string[] {
  const rows = db
    .prepare(`SELECT name FROM pragma_table_list WHERE ${IS_CHECKED} ORDER BY type = 'virtual'`)
    .all()
  return rows.map(({ name }) => String(name))
}

const IS_CHECKED = `schema = 'main' AND type <> 'view'`

/**
 * Checks a table and its indexes in one read transaction. Returns the first problem in one line;
 * undefined if there is none, or no such table any more. Throws if a page could not be read.
 */
export function findProblem(db: DatabaseSync, table: string): string | undefined {
  const row = db
    .prepare(
      `SELECT found.quick_check AS problem FROM (
         SELECT name FROM pragma_table_list WHERE ${IS_CHECKED} AND name = ?
       ) AS listed, pragma_quick_check(listed.name) AS found WHERE problem <> 'ok'`,
    )
    .get(table)
  if (row === undefined) return undefined
  const problem = String(row['problem']).replaceAll(/\s+/g, ' ')
  const errcode = readErrorOf(problem)
  if (errcode === undefined) return problem
  throw Object.assign(new Error(problem), { errcode })
}

const IO_ERROR = 10

/**
 * Returns the result code of a page that could not be read, which SQLite reports like damage: the
 * disk may have failed only this once, or memory was short.
 */
export function readErrorOf(problem: string): number | undefined {
  const code = /unable to get the page\. error code=(\d+)/.exec(problem)?.[1]
  if (code !== undefined) return Number(code)
  return problem.includes('failed to get page') ? IO_ERROR : undefined
}

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
      `SELECT id, checksum, CAST(concat(object_id, ${KEY_JSON}, pk, body) AS BLOB) AS covered FROM ${table} AS o
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
  const [key] = Object.values(
    db.prepare(`SELECT ${KEY_JSON} FROM ${table} AS o WHERE id = ?`).get(row) ?? {},
  )
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
