/** Runs the write jobs that arrive at a port, one after the other, on a connection of their own. */

import { changesOf, freeItems } from '../changes/received-change.ts'
import { openWriterConnection } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { commitGroup } from '../writes/commit-group.ts'
import { type JobPort, serveJobs } from './serve-jobs.ts'
import { GROUPED_JOBS, KEEPS_ITEMS, WRITE_JOBS } from './write-jobs.ts'

type WriteJob = (db: WriterDatabase, input: unknown, items: unknown, free?: () => void) => unknown
type Items = Parameters<typeof changesOf>[0]

/** Opens the database and serves writes until the port is told to close. */
export function serveWrites(path: string, port: JobPort): void {
  const db = openWriterConnection(path)
  serveJobs(
    port,
    db,
    (name, input, items) => {
      const job = WRITE_JOBS[name as keyof typeof WRITE_JOBS] as WriteJob
      const free = () => freeItems(items as Items)
      if (KEEPS_ITEMS.has(name)) return job(db, input, changesOf(items as Items), free)
      try {
        return job(db, input, changesOf(items as Items))
      } finally {
        free()
      }
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
}
