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
 * Checks a table and its indexes in one read transaction. Returns the first problem in one line, and undefined
 * if there is none, or no such table any more.
 */
export function findProblem(db: DatabaseSync, table: string): string | undefined {
  const row = db
    .prepare(
      `SELECT found.quick_check AS problem FROM (
         SELECT name FROM pragma_table_list WHERE ${IS_CHECKED} AND name = ?
       ) AS listed, pragma_quick_check(listed.name) AS found WHERE problem <> 'ok'`,
    )
    .get(table)
  return row && String(row['problem']).replaceAll(/\s+/g, ' ')
}
