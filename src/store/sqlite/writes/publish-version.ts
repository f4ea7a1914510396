import type { WriterDatabase } from '../file/writer-database.ts'

export interface PublishedVersion {
  readonly typeId: number
  readonly version: number
  readonly put: number
  readonly deleted: number
  /** Objects that were left as they are. */
  readonly kept: number
}

/**
 * Makes a version visible to readers. No time is stored: a time from before the end of this
 * transaction would make the previous version look superseded too early, see `version-times.ts`.
 */
export function publishVersion(db: WriterDatabase, published: PublishedVersion): void {
  const { typeId, version, put, deleted, kept } = published
  db.cached('UPDATE oqs_object_type SET published = ?1, last_version = ?1 WHERE id = ?2').run(
    version,
    typeId,
  )
  db.cached(
    'INSERT INTO oqs_commit_log (object_type_id, version, put, deleted, kept) VALUES (?, ?, ?, ?, ?)',
  ).run(typeId, version, put, deleted, kept)
}
