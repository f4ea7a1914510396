/** Deletes row versions and tables that no reader can need any more, and everything that expires. */

import type { Retention } from '../../object-store.ts'
import { columnList, integer, type Operation, type ReadSession } from '../session/session.ts'
import type { StoreOperations, WriteOperation } from '../session/store-operations.ts'
import { readUnseen, saveTimes } from './version-times.ts'

/** What each store does in its own way, in transactions that are short. */
export interface ReclaimSteps {
  /** Completes or removes writes that were left unfinished. */
  finishWrites(): Promise<unknown>
  /**
   * Deletes some of the rows of a table that were closed by a version, and returns how many;
   * undefined if none is left, or if another node is reclaiming.
   */
  deleteClosedRows(table: number, closedBy: number): Promise<number | undefined>
  /**
   * Removes an abandoned table, or some of its rows. Returns the number of objects; undefined if
   * there is no such table.
   */
  removeAbandoned(): Promise<number | undefined>
}

/**
 * Deletes row versions that were superseded, and replacements that were idle, for long enough, and
 * everything that has expired. Saves the oldest version that is still needed first, so that a reader
 * with an older snapshot is refused before the first of its rows is gone. Returns the number of
 * deleted rows.
 */
export async function reclaim(
  operations: StoreOperations,
  steps: ReclaimSteps,
  retention: Retention,
): Promise<number> {
  await steps.finishWrites()
  const unseen = await operations.read(readUnseen)
  const nowMs = retention.now()
  const isAlone = await operations.write(saveTimes, { ...unseen, nowMs })
  const deleted = isAlone ? await deleteUnneeded(operations, steps, retention, nowMs) : 0
  return deleted + (await deleteExpired(operations, retention))
}

async function deleteUnneeded(
  operations: StoreOperations,
  steps: ReclaimSteps,
  { rowVersionsMs, idleReplacementsMs }: Retention,
  nowMs: number,
): Promise<number> {
  await expireVersions(operations, nowMs - rowVersionsMs)
  let total = 0
  const tables = await operations.read(findTables)
  for (const { tableId, oldest } of tables) {
    total += await untilDone(() => steps.deleteClosedRows(tableId, oldest))
  }
  await operations.write(abandonTables, { idleSinceMs: nowMs - idleReplacementsMs })
  return total + (await untilDone(() => steps.removeAbandoned()))
}

/** Repeats a step until nothing is left, and returns the sum of its results. */
async function untilDone(step: () => Promise<number | undefined>): Promise<number> {
  let total = 0
  for (;;) {
    const deleted = await step()
    if (deleted === undefined) return total
    total += deleted
  }
}

/** Saves for each type the oldest version that can be read from now on. */
async function expireVersions(operations: StoreOperations, seenByMs: number): Promise<void> {
  for (const expired of await operations.read((session) => findExpired(session, seenByMs))) {
    try {
      await operations.write(expireOlderVersions, expired)
    } catch (error) {
      // A type with a long-running writer is left to the next run.
      if (!operations.isBusy(error)) throw error
    }
  }
}

const EXPIRED = { typeId: integer, version: integer } as const

/** Returns the types that have older versions than a snapshot taken after the given time can have. */
function findExpired(session: ReadSession, seenByMs: number) {
  return session.query(
    `SELECT t.id, max(s.version) FROM oqs_object_type AS t
     JOIN oqs_version_time AS s ON s.object_type_id = t.id
     WHERE s.seen_at_ms <= ? AND s.version > t.oldest GROUP BY t.id ORDER BY t.id`,
    [seenByMs],
    EXPIRED,
  )
}

/**
 * Waits for the lock like any writer of the type: while one batch follows the other, the row of the
 * type is never unlocked.
 */
const expireOlderVersions: WriteOperation<
  { readonly typeId: number; readonly version: number },
  void
> = {
  name: 'expireOlderVersions',
  *run(session, { typeId, version }) {
    const sql = 'UPDATE oqs_object_type SET oldest = ? WHERE id = ? AND oldest < ?'
    yield* session.run(sql, [version, typeId, version])
    for (const table of ['oqs_commit_log', 'oqs_version_time']) {
      const old = `DELETE FROM ${table} WHERE object_type_id = ? AND version < ?`
      yield* session.run(old, [typeId, version])
    }
  },
}

const TABLE = { tableId: integer, oldest: integer } as const

function findTables(session: ReadSession) {
  return session.query(
    `SELECT ${columnList(TABLE, 't')} FROM oqs_object_type AS t
     JOIN oqs_object_table AS o ON o.id = t.table_id
     WHERE t.oldest > 0 AND o.is_created ORDER BY t.id`,
    [],
    TABLE,
  )
}

/**
 * Abandons replacements that have been idle for long, and replaced tables once the first version of
 * the next table is the oldest needed.
 */
const abandonTables: WriteOperation<{ readonly idleSinceMs: number }, void> = {
  name: 'abandonTables',
  *run(session, { idleSinceMs }): Operation<void> {
    yield* session.run(
      `UPDATE oqs_object_table AS earlier SET state = 'abandoned'
       FROM oqs_object_type AS t
       WHERE earlier.object_type_id = t.id AND earlier.state = 'published'
         AND earlier.id <> t.table_id AND EXISTS (
           SELECT 1 FROM oqs_object_table AS later
           WHERE later.object_type_id = t.id AND later.state = 'published'
             AND later.first_version > earlier.first_version AND later.first_version <= t.oldest
         )`,
      [],
    )
    // A locked replacement is in use.
    yield* session.run(
      `UPDATE oqs_object_table SET state = 'abandoned' WHERE id IN (
         SELECT id FROM oqs_object_table
         WHERE state = 'loading' AND idle_since_ms <= ?${session.dialect.lock.skipLocked})`,
      [idleSinceMs],
    )
  },
}

/** Rows that are deleted in one transaction, so that writers never wait long. */
const ROWS_AT_ONCE = 5000
/** How long an issued token is kept after its expiry, so that its user learns why it is refused. */
const ISSUED_TOKENS_KEPT_MS = 3_600_000

/** By table: its primary key, and which rows have expired; the placeholder is a time. */
const EXPIRING = {
  oqs_idempotency_key: { key: 'caller, key', condition: 'expires_at_ms <= ?' },
  oqs_document: { key: 'kind, id', condition: 'expires_at_ms <= ?' },
  oqs_api_token: { key: 'id', condition: 'client_id IS NOT NULL AND expires_at_ms <= ?' },
  oqs_audit_record: { key: 'id', condition: 'at_ms < ?' },
} as const

type ExpiringTable = keyof typeof EXPIRING

/** Deletes some of the rows that have expired, and returns how many; 0 if none is left. */
const deleteSomeExpired: WriteOperation<
  { readonly table: ExpiringTable; readonly timeMs: number },
  number
> = {
  name: 'deleteSomeExpired',
  run(session, { table, timeMs }) {
    const { key, condition } = EXPIRING[table]
    const some = `SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE}`
    return session.run(`DELETE FROM ${table} WHERE (${key}) IN (${some})`, [timeMs])
  },
}

/** Returns the number of deleted rows. */
async function deleteExpired(
  operations: StoreOperations,
  { now, auditRecordsMs }: Pick<Retention, 'now' | 'auditRecordsMs'>,
): Promise<number> {
  const nowMs = now()
  const times: [ExpiringTable, number][] = [
    ['oqs_idempotency_key', nowMs],
    ['oqs_document', nowMs],
    ['oqs_api_token', nowMs - ISSUED_TOKENS_KEPT_MS],
  ]
  if (auditRecordsMs !== undefined) times.push(['oqs_audit_record', nowMs - auditRecordsMs])
  let total = 0
  for (const [table, timeMs] of times) {
    for (;;) {
      const deleted = await operations.write(deleteSomeExpired, { table, timeMs })
      if (deleted === 0) break
      total += deleted
    }
  }
  return total
}

export const MAINTENANCE_WRITES = [
  saveTimes,
  expireOlderVersions,
  abandonTables,
  deleteSomeExpired,
] as const
