/** The entry point of the writer thread: a large batch does not block readers on the main thread. */

import { lowerThreadPriority } from '../../../admission/background-priority.ts'
import { openWriterConnection } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { commitGroup } from '../writes/commit-group.ts'
import { decodeChanges } from './change-encoder.ts'
import { databasePath, serveJobs } from './serve-jobs.ts'
import { GROUPED_JOBS, WRITE_JOBS } from './write-jobs.ts'

type WriteJob = (db: WriterDatabase, input: unknown, items: unknown) => unknown
type Items = Parameters<typeof decodeChanges>[0]

lowerThreadPriority()
const db = openWriterConnection(databasePath())
serveJobs(
  db,
  (name, input, items) => {
    const job = WRITE_JOBS[name as keyof typeof WRITE_JOBS] as WriteJob
    return job(db, input, decodeChanges(items as Items))
  },
  (jobs) => {
    const writes = jobs.map(({ name, input, items }) => {
      const write = GROUPED_JOBS[name as keyof typeof GROUPED_JOBS] as WriteJob
      return () => write(db, input, items)
    })
    return commitGroup(db, writes).map((outcome) => () => {
      if ('error' in outcome) throw outcome.error
      return outcome.result
    })
  },
)
