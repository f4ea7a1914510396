import type { DatabaseSync } from 'node:sqlite'

/** The number of rows to change per transaction, so that writers never wait long. */
export const ROWS_AT_ONCE = 5000

interface ExpiredRows {
  readonly table: string
  /** The columns of the primary key. */
  readonly key: string
  /** Which rows have expired; its only value is a time. */
  readonly condition: string
}

/** Deletes some of the rows that have expired, and returns how many; 0 if none is left. */
export function deleteSome(
  db: DatabaseSync,
  { table, key, condition }: ExpiredRows,
  timeMs: number,
): number {
  const { changes } = db
    .prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (
         SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE}
       )`,
    )
    .run(timeMs)
  return Number(changes)
}
