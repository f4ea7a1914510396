/**
 * Keyset pagination in SQL. Rows with a value in the first order property and rows without one are
 * read by two queries, one after the other (the *arms*), because each of them can walk an index; a
 * single query that puts nulls last could not. The key, in the direction of the last term, makes
 * every order total.
 */
import type { Direction, OrderTerm } from '../../query/query.ts'
import { columnOf, type FieldNumbers } from './field-numbers.ts'
import { FALSE, type SqlCondition, type SqlValue, TRUE } from './sql-condition.ts'

/** An order term with its column. */
export interface OrderColumn extends OrderTerm {
  readonly column: string
}

export function orderColumn(term: OrderTerm, numbers: FieldNumbers): OrderColumn {
  const number = numbers.of({ property: term.property, structField: undefined })
  return { ...term, column: `o.${columnOf(number)}` }
}

/** The last row of the previous page: its key, and its value for each order term. */
export interface KeysetCursor {
  readonly pk: string
  readonly values: readonly (SqlValue | null)[]
  /**
   * Which rows with equal values follow the cursor: those after its key, or for a row of another
   * table `all` or `none`. By key if absent.
   */
  readonly ties?: 'byKey' | 'all' | 'none'
}

/** One of the queries that together return the rows in order. */
export interface OrderArm extends SqlCondition {
  readonly orderBy: string
}

export function orderArms(
  terms: readonly OrderColumn[],
  cursor: KeysetCursor | undefined,
): OrderArm[] {
  const [first, ...rest] = terms
  const pkDirection = terms.at(-1)?.direction ?? 'asc'
  if (first === undefined) {
    return [{ ...afterKey(cursor, pkDirection), orderBy: `o.pk ${pkDirection}` }]
  }
  const groups =
    first.nulls === 'last' ? (['values', 'nulls'] as const) : (['nulls', 'values'] as const)
  const cursorGroup = cursor?.values[0] === null ? 'nulls' : 'values'
  // The arms before the cursor are complete.
  const remaining = cursor === undefined ? groups : groups.slice(groups.indexOf(cursorGroup))
  return remaining.map((group) => {
    const groupCursor = group === cursorGroup ? cursor : undefined
    if (group === 'nulls') {
      const after = afterRest(rest, groupCursor, pkDirection, 1)
      return {
        sql: `${first.column} IS NULL AND ${after.sql}`,
        values: after.values,
        orderBy: orderBy(rest, pkDirection),
      }
    }
    const after = afterFirst(first, rest, groupCursor, pkDirection)
    return {
      sql: `${first.column} IS NOT NULL AND ${after.sql}`,
      values: after.values,
      orderBy: `${first.column} ${first.direction}, ${orderBy(rest, pkDirection)}`,
    }
  })
}

function orderBy(terms: readonly OrderColumn[], pkDirection: Direction): string {
  const columns = terms.map(
    ({ column, direction, nulls }) => `${column} ${direction} NULLS ${nulls}`,
  )
  return [...columns, `o.pk ${pkDirection}`].join(', ')
}

function beyond(direction: Direction): '>' | '<' {
  return direction === 'asc' ? '>' : '<'
}

function afterKey(cursor: KeysetCursor | undefined, direction: Direction): SqlCondition {
  if (cursor === undefined || cursor.ties === 'all') return TRUE
  if (cursor.ties === 'none') return FALSE
  return { sql: `o.pk ${beyond(direction)} ?`, values: [cursor.pk] }
}

/** Rows after the cursor that have a value in the first term, in a form that uses its index. */
function afterFirst(
  first: OrderColumn,
  rest: readonly OrderColumn[],
  cursor: KeysetCursor | undefined,
  pkDirection: Direction,
): SqlCondition {
  const value = cursor?.values[0]
  if (cursor === undefined || value === undefined || value === null) return TRUE
  const operator = beyond(first.direction)
  const { ties = 'byKey' } = cursor
  if (rest.length === 0 && ties !== 'byKey') {
    const orEqual = ties === 'all' ? '=' : ''
    return { sql: `${first.column} ${operator}${orEqual} ?`, values: [value] }
  }
  if (rest.length === 0) {
    return { sql: `(${first.column}, o.pk) ${operator} (?, ?)`, values: [value, cursor.pk] }
  }
  const further = afterRest(rest, cursor, pkDirection, 1)
  return {
    sql: `${first.column} ${operator}= ? AND (${first.column} ${operator} ? OR (${first.column} = ? AND ${further.sql}))`,
    values: [value, value, value, ...further.values],
  }
}

/** Rows after the cursor among those that are equal in all previous terms. */
function afterRest(
  terms: readonly OrderColumn[],
  cursor: KeysetCursor | undefined,
  pkDirection: Direction,
  position: number,
): SqlCondition {
  const [term, ...rest] = terms
  if (cursor === undefined) return TRUE
  if (term === undefined) return afterKey(cursor, pkDirection)
  const further = afterRest(rest, cursor, pkDirection, position + 1)
  const { column, direction, nulls } = term
  const value = cursor.values[position] ?? null
  if (value === null) {
    const equal = `(${column} IS NULL AND ${further.sql})`
    return {
      sql: nulls === 'first' ? `(${column} IS NOT NULL OR ${equal})` : equal,
      values: further.values,
    }
  }
  const nullsFollow = nulls === 'last' ? ` OR ${column} IS NULL` : ''
  return {
    sql: `(${column} ${beyond(direction)} ?${nullsFollow} OR (${column} = ? AND ${further.sql}))`,
    values: [value, value, ...further.values],
  }
}
