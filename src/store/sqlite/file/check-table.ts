/** Checks the structure of a database that is in use, table by table. */
import type { DatabaseSync } from 'node:sqlite'

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
