/** The process that checks a copy of a database: prints `ok`, or what is wrong with it, in one line. */

import { DatabaseSync } from 'node:sqlite'

const PATH = 2

function checkCopy(path: string): string {
  using db = new DatabaseSync(path)
  // A copy has no WAL; programs that only look at it shall not make one.
  db.exec('PRAGMA cell_size_check = ON; PRAGMA journal_mode = DELETE')
  // Not integrity_check, which looks up every row in every index: that takes twice as long in
  // memory, and far longer where the file does not fit there.
  return String(db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'])
}

function checkedCopy(path: string): string {
  try {
    return checkCopy(path)
  } catch (error) {
    return (error as Error).message
  }
}

process.stdout.write(`${checkedCopy(process.argv[PATH] ?? '').replaceAll(/\s+/g, ' ')}\n`)
