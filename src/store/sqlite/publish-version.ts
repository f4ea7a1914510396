import type { DatabaseSync } from 'node:sqlite'

export interface PublishedVersion {
  readonly typeId: number
  readonly version: number
  readonly put: number
  readonly deleted: number
  readonly nowMs: number
}

/** Lets readers see a version, and notes when that was. */
export function publishVersion(db: DatabaseSync, published: PublishedVersion): void {
  const { typeId, version, put, deleted, nowMs } = published
  db.prepare('UPDATE object_type SET published = ?1, last_version = ?1 WHERE id = ?2').run(
    version,
    typeId,
  )
  // A clock that was set back must not make a commit older than the one before it.
  db.prepare(
    `INSERT INTO commit_log (object_type_id, version, committed_at_ms, put, deleted)
     VALUES (?1, ?2, max(?3, coalesce((
       SELECT committed_at_ms FROM commit_log WHERE object_type_id = ?1 ORDER BY version DESC LIMIT 1
     ), 0)), ?4, ?5)`,
  ).run(typeId, version, nowMs, put, deleted)
}
