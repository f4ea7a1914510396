/** The versions of object types, and what their commits have changed. */
import { IN_USE } from '../maintenance/version-times.ts'
import type { CoreSession, Dialect, Operation, Statement } from '../session/session.ts'

/** A version with the numbers of objects that its commit has written, deleted and left as they were. */
export interface PublishedVersion {
  readonly version: number
  readonly put: number
  readonly deleted: number
  readonly kept: number
}

/**
 * Makes versions visible, in ascending order; readers see the last one as the newest. No time is
 * stored: a time from before the end of this transaction would make the previous version look
 * superseded too early, see version-times.ts.
 */
export function publication(
  dialect: Dialect,
  typeId: number,
  versions: readonly PublishedVersion[],
): readonly Statement[] {
  const newest = versions.at(-1)?.version ?? 0
  const publish = `UPDATE oqs_object_type SET published = ?,
    last_version = CASE WHEN last_version < ? THEN ? ELSE last_version END WHERE id = ?`
  return [
    { sql: publish, parameters: [newest, newest, newest, typeId] },
    logEntries(dialect, typeId, versions),
  ]
}

function logEntries(
  dialect: Dialect,
  typeId: number,
  versions: readonly PublishedVersion[],
): Statement {
  const counts = versions.map(({ version, put, deleted, kept }) => [version, put, deleted, kept])
  const [first] = counts
  // Most commits are alone: to bind four numbers costs less than to read them from JSON.
  if (first !== undefined && counts.length === 1) {
    return { sql: `${ADD_TO_LOG} VALUES (?, ?, ?, ?, ?)`, parameters: [typeId, ...first] }
  }
  const rows = dialect.rows({
    version: 'integer',
    put: 'integer',
    deleted: 'integer',
    kept: 'integer',
  })
  return {
    sql: `${ADD_TO_LOG} SELECT CAST(? AS bigint), version, put, deleted, kept FROM ${rows} AS published`,
    parameters: [typeId, JSON.stringify(counts)],
  }
}

const ADD_TO_LOG = 'INSERT INTO oqs_commit_log (object_type_id, version, put, deleted, kept)'

/** The counts of a table after a commit. */
export interface TableCounts {
  readonly liveCount: number
  readonly maxRecordBytes: number
  /** The number of rows that the commit has closed, and that are kept for snapshots. */
  readonly closed: number
}

/** Saves the counts of a table, and marks a replacement as used. */
export function countsUpdate(
  table: number,
  { liveCount, maxRecordBytes, closed }: TableCounts,
): Statement {
  return {
    sql: `UPDATE oqs_object_table SET live_count = ?, max_record_bytes = ?,
       closed_count = closed_count + ?, ${IN_USE} WHERE id = ?`,
    parameters: [liveCount, maxRecordBytes, closed, table],
  }
}

/** Marks a replacement as used by a batch that changes nothing. */
export function* markUsed(session: CoreSession, table: number): Operation<void> {
  yield* session.run(`UPDATE oqs_object_table SET ${IN_USE} WHERE id = ?`, [table], {
    isPrepared: true,
  })
}
