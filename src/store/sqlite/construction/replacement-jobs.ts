/** The writer thread's side of replacements: each job is a transaction. */
import { replacementTableId } from '../../batch.ts'
import { type Operation, runNow } from '../../core/session/operation.ts'
import type { TableBuilder } from '../../core/tables/construction.ts'
import {
  abandonReplacement as abandon,
  indexReplacement as buildIndex,
  type Publication,
  publishReplacement as publish,
  startReplacement as start,
  touchReplacement as touch,
} from '../../core/tables/replacements.ts'
import type { Commit } from '../../port/writes.ts'
import { inTransaction } from '../file/connection.ts'
import { runIn } from '../file/sqlite-session.ts'
import type { StagedRecord } from '../file/staged-write.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { readStaged } from '../writes/staged-record.ts'
import { SqliteTableBuilder } from './sqlite-table-builder.ts'

/** Returns a job that builds the table of a replacement. */
function job<Input, Result>(run: (builder: TableBuilder, input: Input) => Operation<Result>) {
  return (db: WriterDatabase, input: Input): Result =>
    inTransaction(db, 'write', () => runNow(run(new SqliteTableBuilder(db), input)))
}

export const startReplacement = job(start)
export const indexReplacement = job(buildIndex)
export const abandonReplacement = job(abandon)

export function touchReplacement(db: WriterDatabase, replacement: string): void {
  inTransaction(db, 'write', () => runIn(db, (session) => touch(session, replacement)))
}

export function publishReplacement(
  db: WriterDatabase,
  target: Publication,
): Commit | { readonly blockedBy: StagedRecord } {
  return inTransaction(db, 'write', () => {
    // Another process writes a batch to the replacement, or did not complete it.
    const blockedBy = readStaged(db, replacementTableId(target.replacement))
    return blockedBy ? { blockedBy } : runNow(publish(new SqliteTableBuilder(db), target))
  })
}
