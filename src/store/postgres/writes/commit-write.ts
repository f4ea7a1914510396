/** Runs writes of objects as commits, see core/commits/commit-write.ts. */
import type { AuditedWrite } from '../../core/audit/audit-records.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import {
  type CommitSession,
  type CommitTarget,
  closeCommit,
  openCommit,
  type Written,
} from '../../core/commits/commit-write.ts'
import { toKeyMessage } from '../../core/idempotency/idempotency-keys.ts'
import { awaited, type CoreSession, settled } from '../../core/session/session.ts'
import type { Batch, Commit, WriteTarget } from '../../port/writes.ts'
import {
  addPending,
  type PostgresContext,
  publishCommitted,
  refuseUnfinished,
  writeInTurn,
} from '../citus/pending-commit.ts'
import type { Database, Writer, WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'

/** Runs a write as one commit; it is on disk when the promise resolves. */
export async function commitWrite(
  store: PostgresContext,
  write: WriteTarget & AuditedWrite & Pick<Batch, 'replacement' | 'notes'>,
  writer: Writer,
  writeRows: (session: WriteSession, target: CommitTarget) => Promise<Written>,
): Promise<Commit> {
  const { basedOn, replacement, audit, notes } = write
  const typeRid = write.objectType.rid
  const idempotencyKey = toKeyMessage(write.idempotencyKey)
  const message = { typeRid, basedOn, replacement, idempotencyKey, audit, notes }
  const run = (session: WriteSession) =>
    runIn(session, function* (core) {
      const commit = commitSession(store, session, core)
      const opened = yield* openCommit(commit, message)
      const { typeId, earlier } = opened
      if (earlier !== undefined) return { typeId, commit: earlier, grown: undefined }
      const { target } = opened
      const written = yield* awaited(writeRows(session, target))
      const done = yield* closeCommit(commit, message, target, written)
      // A replacement is analyzed before it is published, and building its indexes waits for ANALYZE.
      const hasGrown = !target.isLoading && hasGrownMuch(written.liveCount, target.liveCount)
      return { typeId, commit: done, grown: hasGrown ? target.id : undefined }
    })
  const { typeId, commit, grown } = await writeInTurn(store, { ...writer, key: typeRid }, run)
  if (grown !== undefined) analyzeLater(store.database, grown)
  if (store.capabilities.needsSeparatePublication) await publishCommitted(store, typeId)
  return commit
}

function commitSession(
  { capabilities }: PostgresContext,
  session: WriteSession,
  core: CoreSession,
): CommitSession {
  const { needsSeparatePublication } = capabilities
  return {
    session: core,
    refuseUnfinished: (typeId) =>
      needsSeparatePublication ? awaited(refuseUnfinished(session, typeId)) : settled(undefined),
    *publishLater({ typeId, id: tableId, version, isLoading }, written) {
      if (isLoading || !needsSeparatePublication) return false
      yield* awaited(addPending(session, { ...written, typeId, version, tableId }))
      return true
    },
  }
}

/** Smaller tables are fast with any plan. */
const SMALL_COUNT = 1000

export function hasGrownMuch(count: number, before: number): boolean {
  return stepOf(count) > stepOf(before)
}

/** Each step is four times the previous one. */
function stepOf(count: number): number {
  return count < SMALL_COUNT ? 0 : 1 + Math.floor(Math.log2(count / SMALL_COUNT) / 2)
}

/**
 * Analyzes a table in the background. Autovacuum does this too, but minutes later; until then
 * PostgreSQL plans as if the table were still small. A failure is ignored: only plans depend on it.
 */
export function analyzeLater(database: Database, table: number): void {
  database
    .write(
      async (session) => {
        await session.extendTimeout()
        await session.query(`ANALYZE ${objectTable(table)}`)
      },
      { key: 'analyze' },
    )
    .catch(() => {})
}
