import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../file/connection.ts'
import type { StatementCache } from '../file/statement-cache.ts'

/**
 * Sightings tell since when a version is superseded, or a replacement idle. Maintenance makes them
 * in three steps: it reads the database, then the clock, then notes what it read with that time.
 * What it read was committed before the clock was read, so no noted time is earlier than the event,
 * however long a commit took, and however long the writer is busy before the note is written.
 *
 * A version that is seen published proves that every earlier one was superseded, and with it that
 * every snapshot of an earlier one was taken before the noted time.
 */
export interface Sightings {
  /** Types with a version that was not seen before. */
  readonly versions: readonly SeenVersion[]
  /** Replacements that were used since maintenance last looked. */
  readonly replacements: readonly SeenReplacement[]
}

interface SeenVersion {
  readonly typeId: number
  readonly version: number
}

interface SeenReplacement {
  readonly table: number
  readonly touches: number
}

type Pair = readonly [number, number]

const VERSIONS_SQL = `SELECT id, published FROM object_type AS t
  WHERE published > coalesce(
    (SELECT max(version) FROM version_sighting WHERE object_type_id = t.id), oldest)`
const REPLACEMENTS_SQL = `SELECT id, touches FROM object_table
  WHERE state = 'loading' AND idle_since_ms IS NULL`

export function readSightings(statements: StatementCache): Sightings {
  const pairs = (sql: string) => statements.prepare(sql).all() as unknown as Pair[]
  return {
    versions: pairs(VERSIONS_SQL).map(([typeId, version]) => ({ typeId, version })),
    replacements: pairs(REPLACEMENTS_SQL).map(([table, touches]) => ({ table, touches })),
  }
}

export function saveSightings(
  db: DatabaseSync,
  { versions, replacements, nowMs }: Sightings & { readonly nowMs: number },
): void {
  inTransaction(db, 'write', () => {
    // A clock that was set back: what was seen before was also seen by now. Waiting for the clock to
    // come to the noted time again could take for ever.
    db.prepare('UPDATE version_sighting SET seen_at_ms = ?1 WHERE seen_at_ms > ?1').run(nowMs)
    db.prepare('UPDATE object_table SET idle_since_ms = ?1 WHERE idle_since_ms > ?1').run(nowMs)
    // A type may have been dropped since it was seen.
    const addVersion = db.prepare(
      `INSERT INTO version_sighting (object_type_id, version, seen_at_ms)
       SELECT id, ?2, ?3 FROM object_type WHERE id = ?1 ON CONFLICT DO NOTHING`,
    )
    for (const { typeId, version } of versions) addVersion.run(typeId, version, nowMs)
    // One that was used since it was seen is seen again by the next run.
    const addIdle = db.prepare(
      `UPDATE object_table SET idle_since_ms = ?3
       WHERE id = ?1 AND touches = ?2 AND idle_since_ms IS NULL`,
    )
    for (const { table, touches } of replacements) addIdle.run(table, touches, nowMs)
  })
}

/** The oldest version that a snapshot taken after the given time can have; 0 if any can. */
export function oldestNeeded(db: DatabaseSync, typeId: number, sinceMs: number): number {
  const row = db
    .prepare(
      `SELECT max(version) AS version FROM version_sighting
       WHERE object_type_id = ? AND seen_at_ms <= ?`,
    )
    .get(typeId, sinceMs)
  return Number(row?.['version'] ?? 0)
}
