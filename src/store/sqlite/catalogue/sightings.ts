/**
 * Sightings record since when a version is superseded, or a replacement idle. Maintenance reads the
 * database, then the clock, then saves both. What it read was committed before the clock was read,
 * so the saved time is never too early, however long a commit or the queue of the writer took.
 *
 * A published version proves that every earlier one was superseded, and that every snapshot of an
 * earlier version was taken before the saved time.
 */
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../file/connection.ts'
import type { StatementCache } from '../file/statement-cache.ts'

export interface Sightings {
  /** Published versions without a sighting. */
  readonly versions: readonly SeenVersion[]
  /** Replacements that were used since the last run. */
  readonly replacements: readonly SeenReplacement[]
}

interface SeenVersion {
  readonly typeId: number
  readonly version: number
}

interface SeenReplacement {
  readonly table: number
  readonly useCount: number
}

type Pair = readonly [number, number]

const VERSIONS_SQL = `SELECT id, published FROM oqs_object_type AS t
  WHERE published > coalesce(
    (SELECT max(version) FROM oqs_version_time WHERE object_type_id = t.id), oldest)`
const REPLACEMENTS_SQL = `SELECT id, use_count FROM oqs_object_table
  WHERE state = 'loading' AND idle_since_ms IS NULL`

export function readSightings(statements: StatementCache): Sightings {
  const pairs = (sql: string) => statements.prepare(sql).all() as unknown as Pair[]
  return {
    versions: pairs(VERSIONS_SQL).map(([typeId, version]) => ({ typeId, version })),
    replacements: pairs(REPLACEMENTS_SQL).map(([table, useCount]) => ({ table, useCount })),
  }
}

export function saveSightings(
  db: DatabaseSync,
  { versions, replacements, nowMs }: Sightings & { readonly nowMs: number },
): void {
  inTransaction(db, 'write', () => {
    // The clock was set back if a saved time is in the future. Waiting for the clock to reach it
    // again could take forever.
    db.prepare('UPDATE oqs_version_time SET seen_at_ms = ?1 WHERE seen_at_ms > ?1').run(nowMs)
    db.prepare('UPDATE oqs_object_table SET idle_since_ms = ?1 WHERE idle_since_ms > ?1').run(nowMs)
    // A type may have been dropped since it was read.
    const addVersion = db.prepare(
      `INSERT INTO oqs_version_time (object_type_id, version, seen_at_ms)
       SELECT id, ?2, ?3 FROM oqs_object_type WHERE id = ?1 ON CONFLICT DO NOTHING`,
    )
    for (const { typeId, version } of versions) addVersion.run(typeId, version, nowMs)
    // A replacement that was used since it was read is left to the next run.
    const addIdle = db.prepare(
      `UPDATE oqs_object_table SET idle_since_ms = ?3
       WHERE id = ?1 AND use_count = ?2 AND idle_since_ms IS NULL`,
    )
    for (const { table, useCount } of replacements) addIdle.run(table, useCount, nowMs)
  })
}

/** Returns the oldest version that a snapshot taken after the given time can have; 0 if unknown. */
export function oldestNeeded(db: DatabaseSync, typeId: number, sinceMs: number): number {
  const row = db
    .prepare(
      `SELECT max(version) AS version FROM oqs_version_time
       WHERE object_type_id = ? AND seen_at_ms <= ?`,
    )
    .get(typeId, sinceMs)
  return Number(row?.['version'] ?? 0)
}
