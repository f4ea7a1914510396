/** Connections to the database file, with the same settings for readers and the writer. */
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { endsWithinPage, hasWal, isEmptied } from './database-file.ts'
import { StoreDamage } from './store-failure.ts'
import { WriterDatabase } from './writer-database.ts'

/** How long a statement waits while another process writes. */
const BUSY_TIMEOUT_MS = 10_000
/** The memory map avoids a copy of every page that is read. */
const MMAP_BYTES = 64 * 1024 ** 3
const CACHE_KIB = 32 * 1024
/** The page size of new files. Others keep theirs, see docs/decisions/032-page-size.md. */
const PAGE_BYTES = 8192
/**
 * SQLite moves the WAL to the database at this size, while the commit that has reached it waits, and
 * starts the WAL again. Most of it is moved by then, see `checkpoints.ts`. SQLite counts in pages.
 */
const CHECKPOINT_BYTES = 8_192_000
/** What remains of the WAL when it starts again after a large commit. A file that grows costs more. */
const WAL_BYTES = CHECKPOINT_BYTES + 256 * 1024

/** Opens a database file, which must exist, see `createDatabaseFile`. */
export function openConnection(path: string): DatabaseSync {
  return open(path, (url, options) => new DatabaseSync(url, options))
}

/**
 * Opens the connection of the writer thread. It checks each page when it is loaded, so that no write
 * builds on a damaged one. Readers do not, because SQLite would repeat the check whenever they use a
 * page of the memory map, see docs/decisions/013-damaged-files.md.
 */
export function openWriterConnection(path: string): WriterDatabase {
  const db = open(path, (url, options) => new WriterDatabase(url, options))
  db.exec('PRAGMA cell_size_check = ON')
  return db
}

function open<Db extends DatabaseSync>(
  path: string,
  create: (url: URL, options: { readonly timeout: number }) => Db,
): Db {
  const url = pathToFileURL(path)
  // Otherwise SQLite would create a missing file, readable by others, and a thread that starts after
  // the file was moved would write to a new one.
  url.searchParams.set('mode', 'rw')
  const db = create(url, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Has an effect only on an empty file, and only before WAL mode, which writes the first page.
    db.exec(`PRAGMA page_size = ${PAGE_BYTES}`)
    const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
    if (mode !== 'wal') throw new Error(`the file system of ${path} does not support WAL`)
    // FULL: an acknowledged commit survives a crash of the machine.
    db.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA mmap_size = ${MMAP_BYTES};
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA wal_autocheckpoint = ${Math.floor(CHECKPOINT_BYTES / pageBytesOf(db))};
    `)
    db.exec(`PRAGMA journal_size_limit = ${WAL_BYTES}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Returns the page size of a database. */
export function pageBytesOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA page_size').get()?.['page_size'])
}

/** Runs a function in a transaction, and rolls it back if the function or the commit fails. */
export function inTransaction<T>(db: DatabaseSync, kind: 'read' | 'write', run: () => T): T {
  // IMMEDIATE takes the write lock now: upgrading a read transaction later can fail.
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

/** Returns the number of the last migration; 0 for a database that is not a store. */
export function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}

/**
 * Opens a database file, which must exist. Throws `StoreDamage` if a part of it was lost: SQLite
 * itself would not notice, and might delete the rest.
 */
export function openChecked(path: string): DatabaseSync {
  // SQLite would treat it as a new database and delete the WAL.
  if (isEmptied(path)) throw new StoreDamage(new Error(`${path} is empty, but its WAL is not`))
  const hadWal = hasWal(path)
  const db = openConnection(path)
  try {
    if (!hadWal && endsWithinPage(path, pageBytesOf(db))) {
      throw new StoreDamage(new Error(`${path} ends within a page`))
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
