/** The entry point of the thread that moves the WAL to the database while the writer thread goes on. */
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../../../admission/background-priority.ts'
import { openConnection } from '../file/connection.ts'
import { databasePath, serveJobs } from './serve-jobs.ts'

lowerThreadPriority()
if (parentPort !== null) {
  const db = openConnection(databasePath())
  // Counts the pages of the WAL, and does nothing else.
  const count = db.prepare('PRAGMA wal_checkpoint(NOOP)')
  serveJobs(parentPort, db, (_, minPages) => {
    const { log, checkpointed } = count.get() ?? {}
    // PASSIVE waits for nobody, and nobody waits for it.
    if (Number(log) - Number(checkpointed) >= Number(minPages)) {
      db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    }
  })
}
