/** Runs the write jobs that arrive at a port, one after the other, on a connection of their own. */

import { changesOf, freeItems } from '../changes/encoded-rows.ts'
import { inTransaction, openWriterConnection } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
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

/** The result of a write, or why it was refused. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown }

/**
 * Runs writes, none of which opens a transaction, and commits them together. A write that is refused
 * before it changed anything fails alone. After any other failure the transaction is rolled back,
 * and each write gets its own. There are no savepoints, because each would flush the full-text
 * index, which is half the cost of a small write.
 */
export function commitGroup(db: WriterDatabase, writes: readonly (() => unknown)[]): Outcome[] {
  const [first] = writes
  if (first !== undefined && writes.length === 1) return [commitAlone(db, first)]
  let hasFailedMidway = false
  try {
    return inTransaction(db, 'write', () =>
      writes.map((write): Outcome => {
        const before = countChanges(db)
        try {
          return { result: write() }
        } catch (error) {
          if (db.isTransaction && countChanges(db) === before) return { error }
          hasFailedMidway = true
          throw error
        }
      }),
    )
  } catch (error) {
    // If committing failed, none of them may run again: the error does not tell what is on disk.
    if (!hasFailedMidway) return writes.map(() => ({ error }))
    return writes.map((write) => commitAlone(db, write))
  }
}

function commitAlone(db: WriterDatabase, write: () => unknown): Outcome {
  try {
    return { result: inTransaction(db, 'write', write) }
  } catch (error) {
    return { error }
  }
}

function countChanges(db: WriterDatabase): number {
  return Number(db.cached('SELECT total_changes()').get()?.[0])
}
