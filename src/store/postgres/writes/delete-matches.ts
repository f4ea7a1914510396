/** Deletes the matches of a query: one statement closes their rows. */

import { AUDIT_KEYS_MAX } from '../../../contract/limits.ts'
import type { AuditedWrite } from '../../core/audit/audit-records.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import {
  type CommitTarget,
  NOTHING_WRITTEN,
  type Written,
} from '../../core/commits/commit-write.ts'
import type { Commit, DeleteRequest } from '../../object-store.ts'
import type { RequestContext } from '../../port/request-context.ts'
import { readObjects } from '../catalogue/missing-tables.ts'
import { readTypeHead } from '../catalogue/type-head.ts'
import type { PostgresContext } from '../citus/pending-commit.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import { BATCH_TIMEOUT_MS } from '../driver/session.ts'
import { countRows, readQuerySql } from '../queries/find-rows.ts'
import type { LinksStore } from '../queries/queried-types.ts'
import { NO_LINKS, readTypeFields } from '../queries/queried-types.ts'
import { commitWrite } from './commit-write.ts'

type DeleteStore = PostgresContext & LinksStore

/** Deletes the objects that match when the type is locked. */
export async function deleteMatches(
  store: DeleteStore,
  request: DeleteRequest & AuditedWrite,
  context: RequestContext,
): Promise<Commit> {
  await refuseSlowQuery(store, request, context)
  return commitWrite(store, request, { callerId: context.callerId }, (session, target) =>
    closeMatches(session, request, target),
  )
}

/**
 * Counts the matches before the type is locked, with the timeout of queries. A query that is too
 * slow is refused here, instead of delaying other writers of the type.
 */
async function refuseSlowQuery(
  store: DeleteStore,
  { objectType, query }: DeleteRequest,
  context: RequestContext,
): Promise<void> {
  const count = async (session: Session) => {
    const head = await readTypeHead(session, objectType)
    const fields = await store.fields.read(session, head, objectType, head.current)
    const condition = await readQuerySql(session, query, fields, NO_LINKS)
    return countRows(session, head.current.table, condition)
  }
  await store.database.readSlowly(context, (pool) => readObjects(store, objectType, count, pool))
}

async function closeMatches(
  session: WriteSession,
  { objectType, query, audit }: DeleteRequest & AuditedWrite,
  target: CommitTarget,
): Promise<Written> {
  const { liveCount, maxRecordBytes } = target
  if (!target.isCreated) return { ...NOTHING_WRITTEN, liveCount, maxRecordBytes }
  await session.extendTimeout(BATCH_TIMEOUT_MS)
  const fields = await readTypeFields(session, target.typeId, objectType, target)
  const { sql, values } = await readQuerySql(session, query, fields, NO_LINKS)
  const closed = await session.run(
    `UPDATE ${objectTable(target.id)} AS o SET valid_to = ?::bigint
     WHERE o.valid_to = ${NEVER_CLOSED} AND ${sql}`,
    [target.version, ...values],
  )
  const keys = audit === undefined ? [] : await deletedKeys(session, target)
  const counts = { deleted: closed, closed, liveCount: liveCount - closed }
  return { ...NOTHING_WRITTEN, ...counts, maxRecordBytes, keys }
}

/** Returns the first keys that a version has deleted, as many as the audit log keeps. */
async function deletedKeys(
  session: WriteSession,
  { id, version }: CommitTarget,
): Promise<readonly string[]> {
  const rows = await session.query(
    `SELECT pk FROM ${objectTable(id)} WHERE valid_to = ?::bigint AND valid_to < ${NEVER_CLOSED}
     ORDER BY pk LIMIT ${AUDIT_KEYS_MAX}`,
    [version],
  )
  return rows.map(([pk]) => String(pk))
}
