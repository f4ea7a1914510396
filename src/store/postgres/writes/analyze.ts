/**
 * Updates planner statistics after a table has grown. Autovacuum does this too, but minutes later;
 * until then PostgreSQL plans as if the table were still small.
 */
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { Database } from '../driver/database.ts'

/** Smaller tables are fast with any plan. */
const SMALL_COUNT = 1000

export function hasGrownMuch(count: number, before: number): boolean {
  return stepOf(count) > stepOf(before)
}

/** Each step is four times the previous one. */
function stepOf(count: number): number {
  return count < SMALL_COUNT ? 0 : 1 + Math.floor(Math.log2(count / SMALL_COUNT) / 2)
}

/** Analyzes a table in the background. A failure is ignored: only plans depend on it. */
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
