/** The entry point of the thread that moves the WAL to the database while the writer thread goes on. */
import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../../../admission/background-priority.ts'
import { openConnection } from '../file/connection.ts'
import { databasePath, serveJobs } from './serve-jobs.ts'

lowerThreadPriority()
if (parentPort !== null) {
  const db = openConnection(databasePath())
  // PASSIVE waits for nobody, and nobody waits for it.
  serveJobs(parentPort, db, () => db.exec('PRAGMA wal_checkpoint(PASSIVE)'))
}
