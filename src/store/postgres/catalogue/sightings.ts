import type { WriteSession } from '../driver/database.ts'

/**
 * Sightings tell since when a version is superseded, or a replacement idle. Maintenance reads the
 * database, then the clock, then notes what it read with that time. What it read was committed
 * before the clock was read, so no noted time is earlier than the event, however long a commit took.
 *
 * A version that is seen published proves that every earlier one was superseded, and with it that
 * every snapshot of an earlier one was taken before the noted time.
 *
 * Gives the time.
 */
export async function saveSightings(session: WriteSession, now: () => number): Promise<number> {
  const versions = await session.query(
    `SELECT id, published FROM oqs_object_type AS t
     WHERE published > coalesce(
       (SELECT max(version) FROM oqs_version_sighting WHERE object_type_id = t.id), oldest)`,
  )
  // A batch or an index build locks the row of its replacement, so one that is locked is not idle.
  const replacements = await session.query(
    `SELECT id FROM oqs_object_table
     WHERE state = 'loading' AND idle_since_ms IS NULL FOR UPDATE SKIP LOCKED`,
  )
  const nowMs = now()
  await correctClock(session, nowMs)
  await session.run(
    `INSERT INTO oqs_version_sighting (object_type_id, version, seen_at_ms)
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
 * After a clock was set back: what was seen before was also seen by now. Waiting for the clock to
 * come to the noted time again could take for ever.
 */
async function correctClock(session: WriteSession, nowMs: number): Promise<void> {
  await session.run('UPDATE oqs_version_sighting SET seen_at_ms = ? WHERE seen_at_ms > ?', [
    nowMs,
    nowMs,
  ])
  await session.run(
    `UPDATE oqs_object_table SET idle_since_ms = ? WHERE id IN (
       SELECT id FROM oqs_object_table WHERE idle_since_ms > ? FOR UPDATE SKIP LOCKED)`,
    [nowMs, nowMs],
  )
}

/** Forgets sightings of versions that are gone, and of types that are. */
export async function deleteSightings(session: WriteSession): Promise<void> {
  await session.run(
    `DELETE FROM oqs_version_sighting AS s WHERE NOT EXISTS (
       SELECT 1 FROM oqs_object_type AS t WHERE t.id = s.object_type_id AND t.oldest <= s.version)`,
  )
}
