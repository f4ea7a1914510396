import { IN_USE } from '../../core/maintenance/version-times.ts'
import type { WriteSession } from '../driver/database.ts'

export interface PublishedVersion {
  readonly typeId: number
  readonly version: number
  readonly put: number
  readonly deleted: number
  /** Objects that a replacement left as they were; 0 if undefined. */
  readonly kept?: number
}

/**
 * Makes a version visible to readers. No time is stored: a time from before the end of this
 * transaction would make the previous version look superseded too early, see `version-times.ts`.
 */
export async function publishVersion(
  session: WriteSession,
  { typeId, ...version }: PublishedVersion,
): Promise<void> {
  await publishVersions(session, typeId, [version])
}

/** Makes several versions visible, in ascending order; readers see the last one as the newest. */
export async function publishVersions(
  session: WriteSession,
  typeId: number,
  versions: readonly Omit<PublishedVersion, 'typeId'>[],
): Promise<void> {
  const newest = versions.at(-1)?.version
  await session.run(
    `UPDATE oqs_object_type SET published = ?::bigint, last_version = greatest(last_version, ?::bigint)
     WHERE id = ?`,
    [newest, newest, typeId],
  )
  await session.run(
    `INSERT INTO oqs_commit_log (object_type_id, version, put, deleted, kept)
     SELECT ?::bigint, * FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])`,
    [
      typeId,
      versions.map(({ version }) => version),
      versions.map(({ put }) => put),
      versions.map(({ deleted }) => deleted),
      versions.map(({ kept = 0 }) => kept),
    ],
  )
}

export interface TableCounts {
  readonly table: number
  readonly liveCount: number
  readonly maxRecordBytes: number
}

/** Saves the counts of a table after a batch, and marks a replacement as used. */
export async function saveTableCounts(session: WriteSession, written: TableCounts): Promise<void> {
  const { table, liveCount, maxRecordBytes } = written
  await session.run(
    `UPDATE oqs_object_table SET live_count = ?, max_record_bytes = ?, ${IN_USE} WHERE id = ?`,
    [liveCount, maxRecordBytes, table],
  )
}
