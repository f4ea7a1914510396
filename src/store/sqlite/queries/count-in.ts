import type { BoundValue } from '../../sql/compile/sql-condition.ts'
import type { StatementCache } from '../file/sqlite-session.ts'

/** Counts the rows of a `FROM` clause. */
export function countIn(
  statements: StatementCache,
  from: string,
  values: readonly BoundValue[],
): number {
  const row = statements.prepare(`SELECT count(*) FROM ${from}`).get(...values)
  return (row as [number])[0]
}
