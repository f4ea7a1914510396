import { objectTable } from '../catalogue/object-table.ts'
import type { Database } from '../driver/database.ts'

/**
 * PostgreSQL plans by statistics that it renews by itself, but only minutes after a table has
 * grown. Until then it would plan as if the table were still small.
 */

/** Smaller tables are read quickly whatever the plan. */
const SMALL_COUNT = 1000

export function hasGrownMuch(count: number, before: number): boolean {
  return stepOf(count) > stepOf(before)
}

/** Each step is four times as large as the one before. */
function stepOf(count: number): number {
  return count < SMALL_COUNT ? 0 : 1 + Math.floor(Math.log2(count / SMALL_COUNT) / 2)
}

/** Nobody waits for it, and nothing depends on it. */
export function analyzeLater(database: Database, table: number): void {
  database
    .write(
      async (session) => {
        await session.extendTimeout()
        await session.query(`ANALYZE ${objectTable(table)}`)
      },
      { key: 'analyze' },
    )
    .catch(() => {})
}
