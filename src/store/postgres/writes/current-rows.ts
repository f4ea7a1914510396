/**
 * Closes the current rows of the objects that a batch changes. Keys are sent in slices, because the
 * driver serialises each list of values synchronously on the main thread.
 */

import { refuseLargeEdit } from '../../batch-rules.ts'
import { NEVER_CLOSED, objectTable } from '../../core/catalogue/object-tables.ts'
import type { WriteTable } from '../../core/commits/locked-type.ts'
import type { CurrentObject } from '../../object-store.ts'
import type { Session, WriteSession } from '../driver/database.ts'

const KEYS_PER_STATEMENT = 10_000

interface RowsToClose {
  readonly id: number
  readonly liveCount: number
  readonly version: number
  readonly isLoading: boolean
}

export const NO_KEYS: ReadonlySet<string> = new Set()

/** Returns the keys that have a current row. */
export function existingKeys(
  session: WriteSession,
  { id, liveCount }: Pick<RowsToClose, 'id' | 'liveCount'>,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (liveCount === 0) return Promise.resolve(NO_KEYS)
  return keysOf(keys, (some) =>
    session.query(
      `SELECT pk FROM ${objectTable(id)} WHERE pk = ANY(?::text[]) AND valid_to = ${NEVER_CLOSED}`,
      [some],
    ),
  )
}

/** Closes the current rows of the given keys, and returns the keys that had one. */
export function closeRows(
  session: WriteSession,
  { id, liveCount, version, isLoading }: RowsToClose,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  // An empty table has no rows to close; skipping the lookup halves the work of a first load.
  if (liveCount === 0) return Promise.resolve(NO_KEYS)
  const where = `WHERE pk = ANY(?::text[]) AND valid_to = ${NEVER_CLOSED} RETURNING pk`
  return keysOf(keys, (some) =>
    // Rows of a replacement all have the same version and were never visible, so they are deleted.
    isLoading
      ? session.query(`DELETE FROM ${objectTable(id)} ${where}`, [some])
      : session.query(`UPDATE ${objectTable(id)} SET valid_to = ?::bigint ${where}`, [
          version,
          some,
        ]),
  )
}

/** Closes the current row of each key with a version of its own, and returns the keys that had one. */
export async function closeRowsAt(
  session: WriteSession,
  { id, liveCount }: Pick<RowsToClose, 'id' | 'liveCount'>,
  changed: readonly (readonly [key: string, version: number])[],
): Promise<ReadonlySet<string>> {
  if (liveCount === 0 || changed.length === 0) return NO_KEYS
  const rows = await session.query(
    `UPDATE ${objectTable(id)} AS o SET valid_to = changed.version
     FROM unnest(?::text[], ?::bigint[]) AS changed (pk, version)
     WHERE o.pk = changed.pk AND o.valid_to = ${NEVER_CLOSED} RETURNING o.pk`,
    [changed.map(([key]) => key), changed.map(([, version]) => version)],
    { isPrepared: true },
  )
  return new Set(rows.map(([pk]) => String(pk)))
}

async function keysOf(
  keys: readonly string[],
  read: (keys: readonly string[]) => Promise<readonly (readonly unknown[])[]>,
): Promise<ReadonlySet<string>> {
  const existing = new Set<string>()
  for (let at = 0; at < keys.length; at += KEYS_PER_STATEMENT) {
    const rows = await read(keys.slice(at, at + KEYS_PER_STATEMENT))
    for (const [pk] of rows) existing.add(String(pk))
  }
  return existing
}

/** Reads the current objects with the given keys. The type must be locked. */
export async function readCurrent(
  session: Session,
  { id, isCreated, maxRecordBytes }: WriteTable,
  keys: readonly string[],
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<ReadonlyMap<string, CurrentObject>> {
  if (!isCreated || keys.length === 0) return new Map()
  // Summing reads all of them, so it is done only for objects that can have so many bytes.
  if (keys.length * maxRecordBytes > maxBytes) {
    const [sum] = await session.query(
      `SELECT coalesce(sum(octet_length(body)), 0)::bigint FROM ${objectTable(id)}
       WHERE pk = ANY(?::text[]) AND valid_to = ${NEVER_CLOSED}`,
      [keys],
    )
    refuseLargeEdit(Number(sum?.[0]), maxBytes)
  }
  const rows = await session.query(
    `SELECT pk, object_id, key, title, body FROM ${objectTable(id)}
     WHERE pk = ANY(?::text[]) AND valid_to = ${NEVER_CLOSED}`,
    [keys],
    { isPrepared: true },
  )
  return new Map(
    rows.map(([pk, objectId, key, title, body]) => [
      String(pk),
      {
        pk: String(pk),
        objectId: String(objectId),
        key: String(key),
        title: title === null ? null : String(title),
        body: String(body),
      },
    ]),
  )
}
