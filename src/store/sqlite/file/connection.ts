import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/** How this store opens its database file: the same way for the reader and the writer. */

/** How long a statement waits for another process that writes. */
const BUSY_TIMEOUT_MS = 10_000
/** Reading through the memory map saves a copy of every page. */
const MMAP_BYTES = 64 * 1024 ** 3
const CACHE_KIB = 32 * 1024

/** Opens a database whose file exists, see `createDatabaseFile`. */
export function openConnection(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  // SQLite would create a missing file, readable by others; and a thread that starts after its file
  // was moved away would write to a new one.
  url.searchParams.set('mode', 'rw')
  const db = new DatabaseSync(url, { timeout: BUSY_TIMEOUT_MS })
  try {
    const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
    if (mode !== 'wal') throw new Error(`the file system of ${path} does not allow WAL`)
    // FULL: a commit is on disk before it is acknowledged, whatever happens to the machine.
    db.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA mmap_size = ${MMAP_BYTES};
      PRAGMA cache_size = -${CACHE_KIB};
      -- Finds damage of a page when it is loaded; see docs/decisions/013-damaged-files.md.
      PRAGMA cell_size_check = ON;
    `)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Runs a function in a transaction of its own. */
export function inTransaction<T>(db: DatabaseSync, kind: 'read' | 'write', run: () => T): T {
  // A writer takes its place at once: a reader that turns writer midway can fail.
  db.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN')
  try {
    const result = run()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
