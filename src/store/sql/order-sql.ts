import type { Direction, OrderTerm } from '../../query/query.ts'
import { columnOf, type FieldNumbers } from './field-numbers.ts'
import { type SqlCondition, type SqlValue, TRUE } from './sql-condition.ts'

/**
 * Keyset order as SQL. Rows with a value in the first order property and rows without one are read
 * by two queries, one after the other (two *arms*), because each of them can walk an index; a
 * single query that puts nulls last could not. The key, in the direction of the last term, makes
 * every order total.
 */

/** An order term with the column that it reads. */
export interface OrderColumn extends OrderTerm {
  readonly column: string
}

export function orderColumn(term: OrderTerm, numbers: FieldNumbers): OrderColumn {
  const number = numbers.of({ property: term.property, structField: undefined })
  return { ...term, column: `o.${columnOf(number)}` }
}

/** The last row of the page before: its key, and its value for each order term. */
export interface Anchor {
  readonly pk: string
  readonly values: readonly (SqlValue | null)[]
}

export interface Arm extends SqlCondition {
  readonly orderBy: string
}

export function orderArms(terms: readonly OrderColumn[], anchor: Anchor | undefined): Arm[] {
  const [first, ...rest] = terms
  const pkDirection = terms.at(-1)?.direction ?? 'asc'
  if (first === undefined) {
    return [{ ...afterKey(anchor, pkDirection), orderBy: `o.pk ${pkDirection}` }]
  }
  const groups =
    first.nulls === 'last' ? (['values', 'nulls'] as const) : (['nulls', 'values'] as const)
  const anchorGroup = anchor?.values[0] === null ? 'nulls' : 'values'
  // What the walk has passed is not read again.
  const open = anchor === undefined ? groups : groups.slice(groups.indexOf(anchorGroup))
  return open.map((group) => {
    const inAnchorGroup = group === anchorGroup ? anchor : undefined
    if (group === 'nulls') {
      const after = afterRest(rest, inAnchorGroup, pkDirection, 1)
      return {
        sql: `${first.column} IS NULL AND ${after.sql}`,
        values: after.values,
        orderBy: orderBy(rest, pkDirection),
      }
    }
    const after = afterFirst(first, rest, inAnchorGroup, pkDirection)
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

function afterKey(anchor: Anchor | undefined, direction: Direction): SqlCondition {
  if (anchor === undefined) return TRUE
  return { sql: `o.pk ${beyond(direction)} ?`, values: [anchor.pk] }
}

/** After the anchor, for rows that have a value in the first term; written so that its index is used. */
function afterFirst(
  first: OrderColumn,
  rest: readonly OrderColumn[],
  anchor: Anchor | undefined,
  pkDirection: Direction,
): SqlCondition {
  const value = anchor?.values[0]
  if (anchor === undefined || value === undefined || value === null) return TRUE
  const operator = beyond(first.direction)
  if (rest.length === 0) {
    return { sql: `(${first.column}, o.pk) ${operator} (?, ?)`, values: [value, anchor.pk] }
  }
  const further = afterRest(rest, anchor, pkDirection, 1)
  return {
    sql: `${first.column} ${operator}= ? AND (${first.column} ${operator} ? OR (${first.column} = ? AND ${further.sql}))`,
    values: [value, value, value, ...further.values],
  }
}

/** After the anchor, among rows that are equal in all terms before. */
function afterRest(
  terms: readonly OrderColumn[],
  anchor: Anchor | undefined,
  pkDirection: Direction,
  position: number,
): SqlCondition {
  const [term, ...rest] = terms
  if (anchor === undefined) return TRUE
  if (term === undefined) return afterKey(anchor, pkDirection)
  const further = afterRest(rest, anchor, pkDirection, position + 1)
  const { column, direction, nulls } = term
  const value = anchor.values[position] ?? null
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
