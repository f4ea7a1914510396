/**
 * The current rows of objects that a batch changes. Keys are sent in slices: the driver writes each
 * list of values in one go, on the main thread.
 */
import { OPEN } from '../../sql/new-table.ts'
import { objectTable } from '../catalogue/object-table.ts'
import type { WriteSession } from '../driver/database.ts'

const KEYS_PER_STATEMENT = 10_000

export interface RowsToClose {
  readonly id: number
  readonly liveCount: number
  readonly version: number
  readonly isLoading: boolean
}

const NO_KEYS: ReadonlySet<string> = new Set()

/** Which of the keys have a current row. */
export function existingKeys(
  session: WriteSession,
  { id, liveCount }: RowsToClose,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (liveCount === 0) return Promise.resolve(NO_KEYS)
  return keysOf(keys, (some) =>
    session.query(
      `SELECT pk FROM ${objectTable(id)} WHERE pk = ANY(?::text[]) AND valid_to = ${OPEN}`,
      [some],
    ),
  )
}

/** Ends the current rows of some objects; gives which of them had one. */
export function closeRows(
  session: WriteSession,
  { id, liveCount, version, isLoading }: RowsToClose,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  // Nothing to find in an empty table: a first load is half as much work.
  if (liveCount === 0) return Promise.resolve(NO_KEYS)
  const where = `WHERE pk = ANY(?::text[]) AND valid_to = ${OPEN} RETURNING pk`
  return keysOf(keys, (some) =>
    // All rows of a replacement carry one version, and nobody saw those before: they just go.
    isLoading
      ? session.query(`DELETE FROM ${objectTable(id)} ${where}`, [some])
      : session.query(`UPDATE ${objectTable(id)} SET valid_to = ?::bigint ${where}`, [
          version,
          some,
        ]),
  )
}

async function keysOf(
  keys: readonly string[],
  read: (keys: readonly string[]) => Promise<readonly (readonly unknown[])[]>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let at = 0; at < keys.length; at += KEYS_PER_STATEMENT) {
    const rows = await read(keys.slice(at, at + KEYS_PER_STATEMENT))
    for (const [pk] of rows) found.add(String(pk))
  }
  return found
}
