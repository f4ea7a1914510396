/**
 * Sightings record since when a version is superseded, or a replacement idle. Maintenance reads the
 * database, then the clock, then saves both. What it read was committed before the clock was read,
 * so the saved time is never too early, however long a commit took.
 *
 * A published version proves that every earlier one was superseded, and that every snapshot of an
 * earlier version was taken before the saved time.
 */
import type { WriteSession } from '../driver/database.ts'

/** Saves the versions and idle replacements that are new, and returns the time that was saved. */
export async function saveSightings(session: WriteSession, now: () => number): Promise<number> {
  const versions = await session.query(
    `SELECT id, published FROM oqs_object_type AS t
     WHERE published > coalesce(
       (SELECT max(version) FROM oqs_version_time WHERE object_type_id = t.id), oldest)`,
  )
  // A batch or an index build locks the row of its replacement, so a locked one is not idle.
  const replacements = await session.query(
    `SELECT id FROM oqs_object_table
     WHERE state = 'loading' AND idle_since_ms IS NULL FOR UPDATE SKIP LOCKED`,
  )
  const nowMs = now()
  await correctClock(session, nowMs)
  await session.run(
    `INSERT INTO oqs_version_time (object_type_id, version, seen_at_ms)
     SELECT type, version, ?::bigint FROM unnest(?::bigint[], ?::bigint[]) AS seen (type, version)`,
    [nowMs, versions.map(([type]) => type), versions.map(([, version]) => version)],
  )
  await session.run('UPDATE oqs_object_table SET idle_since_ms = ? WHERE id = ANY(?::bigint[])', [
    nowMs,
    replacements.map(([table]) => table),
  ])
  return nowMs
}

/**
 * Corrects saved times that are in the future, because the clock was set back. Waiting for the clock
 * to reach them again could take forever.
 */
async function correctClock(session: WriteSession, nowMs: number): Promise<void> {
  await session.run('UPDATE oqs_version_time SET seen_at_ms = ? WHERE seen_at_ms > ?', [
    nowMs,
    nowMs,
  ])
  await session.run(
    `UPDATE oqs_object_table SET idle_since_ms = ? WHERE id IN (
       SELECT id FROM oqs_object_table WHERE idle_since_ms > ? FOR UPDATE SKIP LOCKED)`,
    [nowMs, nowMs],
  )
}

/** Deletes sightings of expired versions and dropped types. */
export async function deleteSightings(session: WriteSession): Promise<void> {
  await session.run(
    `DELETE FROM oqs_version_time AS s WHERE NOT EXISTS (
       SELECT 1 FROM oqs_object_type AS t WHERE t.id = s.object_type_id AND t.oldest <= s.version)`,
  )
}
