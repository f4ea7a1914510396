/** The writer thread's side of replacements: each job is a transaction. */

import { replacementTableId } from '../../batch.ts'
import type { AuditMessage } from '../../core/audit/audit-records.ts'
import { auditCommit } from '../../core/audit/stored-audit-log.ts'
import type { KeyMessage } from '../../core/idempotency/idempotency-keys.ts'
import { recordNote } from '../../core/idempotency/idempotency-keys.ts'
import { type Operation, runNow } from '../../core/session/operation.ts'
import type { TableBuilder } from '../../core/tables/construction.ts'
import {
  abandonReplacement as abandon,
  indexReplacement as buildIndex,
  type Publication,
  publishReplacement as publish,
  type ReplacementOfType,
  startReplacement as start,
  touchReplacement as touch,
} from '../../core/tables/replacements.ts'
import type { Commit } from '../../write-request.ts'
import { inTransaction } from '../file/connection.ts'
import { runIn } from '../file/sqlite-session.ts'
import type { StagedRecord } from '../file/staged-write.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { readStaged } from '../writes/staged-record.ts'
import { SqliteTableBuilder } from './sqlite-table-builder.ts'

function build<Result>(
  db: WriterDatabase,
  run: (builder: TableBuilder) => Operation<Result>,
): Result {
  return inTransaction(db, 'write', () => runNow(run(new SqliteTableBuilder(db))))
}

export function startReplacement(
  db: WriterDatabase,
  {
    typeRid,
    idempotencyKey,
  }: { readonly typeRid: string; readonly idempotencyKey: KeyMessage | undefined },
): string {
  return build(db, function* (builder) {
    const name = yield* start(builder, typeRid)
    yield* recordNote(builder.session, idempotencyKey && { ...idempotencyKey, note: name })
    return name
  })
}

export function touchReplacement(db: WriterDatabase, replacement: string): void {
  inTransaction(db, 'write', () => runIn(db, (session) => touch(session, replacement)))
}

/** Builds one missing index of a replacement. Returns false if there is none. */
export function indexReplacement(db: WriterDatabase, target: Publication): boolean {
  return build(db, (builder) => buildIndex(builder, target))
}

export interface AuditedPublication extends Publication {
  readonly audit?: AuditMessage | undefined
}

export function publishReplacement(
  db: WriterDatabase,
  target: AuditedPublication,
): Commit | { readonly blockedBy: StagedRecord } {
  return build(db, function* (builder) {
    // Another process writes a batch to the replacement, or did not complete it.
    const blockedBy = readStaged(db, replacementTableId(target.replacement))
    if (blockedBy !== undefined) return { blockedBy }
    const { commit, isRepeated } = yield* publish(builder, target)
    return isRepeated ? commit : yield* auditCommit(builder.session, target.audit, commit)
  })
}

export function abandonReplacement(db: WriterDatabase, target: ReplacementOfType): void {
  build(db, (builder) => abandon(builder, target))
}
