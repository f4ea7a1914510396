import type { Comparison } from '../../query/query.ts'

/** SQL with the values of its placeholders. Values are bound, never written. */

/** What a column holds. */
export type SqlValue = string | number | bigint
/** What can be bound to a placeholder. */
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

/** Two-valued: what is unknown, because a value is missing, counts as false. */
export function negate({ sql, values }: SqlCondition): SqlCondition {
  return { sql: `(${sql}) IS NOT TRUE`, values }
}

/** Joined two by two, because databases limit how deep an expression may be. */
function balanced(parts: readonly string[], word: string): string {
  if (parts.length <= 2) return `(${parts.join(word)})`
  const middle = parts.length >> 1
  return `(${balanced(parts.slice(0, middle), word)}${word}${balanced(parts.slice(middle), word)})`
}
