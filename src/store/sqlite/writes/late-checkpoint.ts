/**
 * Checkpoints after large commits. SQLite moves the pages of a commit from the WAL to the database
 * before the commit returns. It is on disk without that, so a response need not wait for it.
 */
import type { WriterDatabase } from '../file/writer-database.ts'

/** Runs a transaction whose checkpoint is left to `checkpointLate`. */
export function withLateCheckpoint<T>(db: WriterDatabase, run: () => T): T {
  const pages = db.prepare('PRAGMA wal_autocheckpoint').get()?.['wal_autocheckpoint']
  db.exec('PRAGMA wal_autocheckpoint = 0')
  db.needsCheckpoint = true
  try {
    return run()
  } finally {
    db.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
  }
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
