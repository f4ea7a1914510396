import type { WriteSession } from './database.ts'

export interface PublishedVersion {
  readonly typeId: number
  readonly version: number
  readonly put: number
  readonly deleted: number
  readonly nowMs: number
}

/** Lets readers see a version, and notes when that was. */
export async function publishVersion(
  session: WriteSession,
  published: PublishedVersion,
): Promise<void> {
  const { typeId, version, put, deleted, nowMs } = published
  await session.run(
    `UPDATE oqs_object_type SET published = ?::bigint, last_version = greatest(last_version, ?::bigint)
     WHERE id = ?`,
    [version, version, typeId],
  )
  // A clock that was set back must not make a commit older than the one before it.
  await session.run(
    `INSERT INTO oqs_commit_log (object_type_id, version, committed_at_ms, put, deleted)
     VALUES (?, ?, greatest(?::bigint, (
       SELECT committed_at_ms FROM oqs_commit_log WHERE object_type_id = ?
       ORDER BY version DESC LIMIT 1
     )), ?, ?)`,
    [typeId, version, nowMs, typeId, put, deleted],
  )
}

export interface WrittenTable {
  readonly table: number
  readonly liveCount: number
  readonly maxRecordBytes: number
  readonly nowMs: number
}

/** Notes what a table holds after a batch. */
export async function noteWritten(session: WriteSession, written: WrittenTable): Promise<void> {
  const { table, liveCount, maxRecordBytes, nowMs } = written
  await session.run(
    `UPDATE oqs_object_table SET live_count = ?, max_record_bytes = ?, touched_at_ms = ?
     WHERE id = ?`,
    [liveCount, maxRecordBytes, nowMs, table],
  )
}
