/** SQL conditions with their bound values. Values never appear in the SQL text. */
import type { Comparison } from '../../../query/query.ts'

/** A value of a column. */
export type SqlValue = string | number | bigint
/** A value that can be bound to a placeholder. */
export type BoundValue = SqlValue | Uint8Array

export interface SqlCondition {
  readonly sql: string
  readonly values: readonly BoundValue[]
}

export const TRUE: SqlCondition = { sql: 'TRUE', values: [] }
export const FALSE: SqlCondition = { sql: 'FALSE', values: [] }

export const OPERATORS: Readonly<Record<Comparison, string>> = {
  eq: '=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}

export function combine(kind: 'and' | 'or', parts: readonly SqlCondition[]): SqlCondition {
  if (parts.length === 0) return kind === 'and' ? TRUE : FALSE
  return {
    sql: balanced(
      parts.map(({ sql }) => sql),
      kind === 'and' ? ' AND ' : ' OR ',
    ),
    values: parts.flatMap(({ values }) => values),
  }
}

/** Two-valued negation: a condition that is unknown because of a null counts as false. */
export function negate({ sql, values }: SqlCondition): SqlCondition {
  return { sql: `(${sql}) IS NOT TRUE`, values }
}

/** Joins conditions as a balanced tree, because databases limit the depth of an expression. */
function balanced(parts: readonly string[], operator: string): string {
  if (parts.length <= 2) return `(${parts.join(operator)})`
  const middle = parts.length >> 1
  return `(${balanced(parts.slice(0, middle), operator)}${operator}${balanced(parts.slice(middle), operator)})`
}
