/** The range of texts that begin like a pattern, for an index. */
import { endOfPrefix, literalPrefix } from '../../query/matching/pattern.ts'
import type { Pattern } from '../../query/query.ts'
import { combine, type SqlCondition } from './sql-condition.ts'

/** Returns the condition that a column, which is sorted by code point, begins like the pattern. */
export function prefixRange(column: string, pattern: Pattern): SqlCondition {
  const prefix = literalPrefix(pattern)
  const end = endOfPrefix(prefix)
  if (prefix === '') return { sql: `${column} IS NOT NULL`, values: [] }
  const from = { sql: `${column} >= ?`, values: [prefix] }
  return combine(
    'and',
    end === undefined ? [from] : [from, { sql: `${column} < ?`, values: [end] }],
  )
}
