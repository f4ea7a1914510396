/** Commits several small writes in one transaction. */
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'

/** The result of a write, or why it was refused. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown }

/**
 * Runs writes, none of which opens a transaction, and commits them together. A write that is refused
 * before it changed anything fails alone. After any other failure the transaction is rolled back,
 * and each write gets its own. There are no savepoints, because each would flush the full-text
 * index, which is half the cost of a small write.
 */
export function commitGroup(db: WriterDatabase, writes: readonly (() => unknown)[]): Outcome[] {
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
  return Number(db.cached('SELECT total_changes() AS changes').get()?.['changes'])
}
