/** The process that checks a copy of a database. Prints `ok`, or the problem in one line. */
import { DatabaseSync } from 'node:sqlite'
import {
  type CheckedRows,
  checkNextRows,
  describeDamage,
  isObjectTable,
  tablesToCheck,
} from '../file/check-table.ts'

function checkCopy(path: string): string {
  using db = new DatabaseSync(path)
  // Programs that only read the copy should not create a WAL beside it.
  db.exec('PRAGMA cell_size_check = ON; PRAGMA journal_mode = DELETE')
  // Not integrity_check, which looks up every row in every index: twice as slow if the file fits
  // into memory, and far slower if it does not.
  const structure = String(db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'])
  return structure === 'ok' ? checkRows(db) : structure
}

function checkRows(db: DatabaseSync): string {
  for (const table of tablesToCheck(db).filter(isObjectTable)) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const checked: CheckedRows = checkNextRows(db, table, after)
      if (checked.damaged !== undefined) return describeDamage(checked.damaged)
      after = checked.lastId
    }
  }
  return 'ok'
}

function findProblem(path: string): string {
  try {
    return checkCopy(path)
  } catch (error) {
    return (error as Error).message
  }
}

const [, , path = ''] = process.argv
process.stdout.write(`${findProblem(path).replaceAll(/\s+/g, ' ')}\n`)
