/**
 * Checkpoints after large commits. SQLite moves the pages of a commit from the WAL to the database
 * before the commit returns. It is on disk without that, so a response need not wait for it.
 *
 * The WAL keeps its size for a while, because large commits often follow each other: to truncate it
 * and let it grow again takes a tenth of the CPU time of such a commit.
 */
import { limitWal } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'

/** How long the WAL keeps its size after a large commit. */
const WAL_KEPT_MS = 60_000

/** Runs a transaction whose checkpoint is left to `checkpointLate`. */
export function withLateCheckpoint<T>(db: WriterDatabase, run: () => T): T {
  const pages = db.prepare('PRAGMA wal_autocheckpoint').get()?.['wal_autocheckpoint']
  db.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = -1')
  db.needsCheckpoint = true
  try {
    return run()
  } finally {
    db.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
    limitWalLater(db)
  }
}

/** Lets the first commit after a while truncate the WAL. */
function limitWalLater(db: WriterDatabase): void {
  clearTimeout(db.walTimer)
  const limit = () => {
    if (db.isOpen) limitWal(db)
  }
  db.walTimer = setTimeout(limit, WAL_KEPT_MS).unref()
}

/**
 * Moves the pages of large commits to the database. Ignores a failure, as SQLite does after a commit:
 * the pages stay in the WAL, and the next checkpoint moves them.
 */
export function checkpointLate(db: WriterDatabase): void {
  if (!db.needsCheckpoint) return
  db.needsCheckpoint = false
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)')
  } catch {}
}
