/**
 * When we first saw that a version was superseded, or that a replacement was idle. Maintenance reads
 * the database, then the clock, then saves both. What it read was committed before the clock was
 * read, so the saved time is never too early, however long a commit or a queue of writes took.
 *
 * A published version proves that every earlier one was superseded, and that every snapshot of an
 * earlier version was taken before the saved time.
 */

import { integer, type Operation, type ReadSession } from '../session/session.ts'
import type { WriteOperation } from '../session/store-operations.ts'

/** What a batch or an index build sets in the row of its replacement. */
export const IN_USE = 'use_count = use_count + 1, idle_since_ms = NULL'

/** What has no time yet, as rows of two numbers. */
export interface Unseen {
  /** The types whose published version has none, with that version. */
  readonly versions: readonly Pair[]
  /** The replacements that were used since the last run, with the number of their uses. */
  readonly replacements: readonly Pair[]
}

type Pair = readonly [id: number, of: number]

const PAIR = { id: integer, of: integer } as const

export function* readUnseen(session: ReadSession): Operation<Unseen> {
  const versions = yield* session.query(
    `SELECT id, published FROM oqs_object_type AS t WHERE published > coalesce(
       (SELECT max(version) FROM oqs_version_time WHERE object_type_id = t.id), oldest)`,
    [],
    PAIR,
  )
  const replacements = yield* session.query(
    `SELECT id, use_count FROM oqs_object_table WHERE state = 'loading' AND idle_since_ms IS NULL`,
    [],
    PAIR,
  )
  const pairs = (rows: readonly { id: number; of: number }[]) =>
    rows.map(({ id, of }): Pair => [id, of])
  return { versions: pairs(versions), replacements: pairs(replacements) }
}

/** Saves the time for what has none yet. Returns false if another node is reclaiming. */
export const saveTimes: WriteOperation<Unseen & { readonly nowMs: number }, boolean> = {
  name: 'saveTimes',
  *run(session, { versions, replacements, nowMs }) {
    if (!(yield* session.tryLock('reclaim'))) return false
    const { lock, rows } = session.dialect
    yield* session.run(
      `DELETE FROM oqs_version_time WHERE NOT EXISTS (
         SELECT 1 FROM oqs_object_type AS t WHERE t.id = object_type_id)`,
      [],
    )
    // The clock was set back if a saved time is in the future. Waiting for the clock to reach it
    // again could take forever.
    yield* session.run('UPDATE oqs_version_time SET seen_at_ms = ? WHERE seen_at_ms > ?', [
      nowMs,
      nowMs,
    ])
    yield* session.run(
      `UPDATE oqs_object_table SET idle_since_ms = ? WHERE id IN (
         SELECT id FROM oqs_object_table WHERE idle_since_ms > ?${lock.skipLocked})`,
      [nowMs, nowMs],
    )
    // A type may have been dropped since it was read.
    yield* session.run(
      `INSERT INTO oqs_version_time (object_type_id, version, seen_at_ms)
       SELECT t.id, seen.version, CAST(? AS bigint)
       FROM ${rows({ id: 'integer', version: 'integer' })} AS seen
       JOIN oqs_object_type AS t ON t.id = seen.id WHERE TRUE ON CONFLICT DO NOTHING`,
      [nowMs, JSON.stringify(versions)],
    )
    // One that was used since it was read is left to the next run. So is one that is locked: a batch
    // or an index build uses it.
    yield* session.run(
      `UPDATE oqs_object_table SET idle_since_ms = ? WHERE id IN (
         SELECT id FROM oqs_object_table WHERE idle_since_ms IS NULL AND (id, use_count) IN (
           SELECT id, uses FROM ${rows({ id: 'integer', uses: 'integer' })} AS seen
         )${lock.skipLocked})`,
      [nowMs, JSON.stringify(replacements)],
    )
    return true
  },
}
