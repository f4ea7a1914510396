/** The entry point of the writer thread: a large batch does not block readers on the main thread. */
import type { DatabaseSync } from 'node:sqlite'
import { openConnection } from '../file/connection.ts'
import { lowerThreadPriority } from './background-priority.ts'
import { databasePath, serveJobs } from './serve-jobs.ts'
import { WRITE_JOBS } from './write-jobs.ts'

type WriteJob = (db: DatabaseSync, input: unknown, items: unknown) => unknown

lowerThreadPriority()
const db = openConnection(databasePath())
serveJobs(db, (name, input, items) => {
  const job = WRITE_JOBS[name as keyof typeof WRITE_JOBS] as WriteJob
  return job(db, input, items)
})
