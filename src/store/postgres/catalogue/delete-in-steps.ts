import type { Database } from '../driver/database.ts'

/** The number of rows to delete per transaction. */
const ROWS_AT_ONCE = 5000

/** Rows to delete: a table, its key, and a condition with placeholders. */
export interface ExpiredRows {
  readonly table: string
  readonly key: string
  readonly condition: string
  readonly values: readonly unknown[]
}

/** Deletes all rows of a condition, step by step, and returns how many. */
export async function deleteInSteps(database: Database, rows: ExpiredRows): Promise<number> {
  const { table, key, condition, values } = rows
  const sql = `DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE}
  )`
  let total = 0
  for (;;) {
    const deleted = await database.write((session) => session.run(sql, values))
    total += deleted
    if (deleted === 0) return total
  }
}
