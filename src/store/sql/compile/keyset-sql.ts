/**
 * Keyset pagination in SQL. Rows with a value in the first order property and rows without one are
 * read by two queries, one after the other, because each of these branches can walk an index; a
 * single query that puts nulls last could not. The key, in the direction of the last term, makes
 * every order total.
 */
import type { Direction, OrderTerm } from '../../../query/query.ts'
import type { FieldNumbers } from './field-numbers.ts'
import {
  hasValue,
  indexedValue,
  KEY_COLUMN,
  type PropertySql,
  sortColumn,
  sortValue,
} from './property-sql.ts'
import { combine, FALSE, type SqlCondition, type SqlValue, TRUE } from './sql-condition.ts'

/** An order term with its column. */
export interface OrderColumn extends OrderTerm, PropertySql {}

export function orderColumn(term: OrderTerm, numbers: FieldNumbers): OrderColumn {
  return { ...term, ...numbers.propertySql(term.property, term.structField) }
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
interface OrderBranch extends SqlCondition {
  readonly orderBy: string
}

export function orderBranches(
  columns: readonly OrderColumn[],
  cursor: KeysetCursor | undefined,
): OrderBranch[] {
  const { terms, pkDirection } = splitAtKey(columns, cursor)
  const [first, ...rest] = terms
  if (first === undefined) {
    return [{ ...afterKey(cursor, pkDirection), orderBy: `o.pk ${pkDirection}` }]
  }
  const groups =
    first.nulls === 'last' ? (['values', 'nulls'] as const) : (['nulls', 'values'] as const)
  const cursorGroup = cursor?.values[0] === null ? 'nulls' : 'values'
  // The branches before the cursor are complete.
  const remaining = cursor === undefined ? groups : groups.slice(groups.indexOf(cursorGroup))
  return remaining.map((group) => {
    const groupCursor = group === cursorGroup ? cursor : undefined
    if (group === 'nulls') {
      const after = afterRest(rest, groupCursor, pkDirection, 1)
      return {
        sql: `${first.indexed} IS NULL AND ${after.sql}`,
        values: after.values,
        orderBy: orderBy(rest, pkDirection),
      }
    }
    const after = afterFirst(first, rest, groupCursor, pkDirection)
    return {
      sql: `${hasValue(first)} AND ${after.sql}`,
      values: after.values,
      orderBy: `${orderByFirst(first)}, ${orderBy(rest, pkDirection)}`,
    }
  })
}

/**
 * Splits an order at the key, which makes it total: later terms have no effect. The row of a cursor
 * of another table has another key, so that all terms must be compared.
 */
function splitAtKey(
  columns: readonly OrderColumn[],
  cursor: KeysetCursor | undefined,
): { readonly terms: readonly OrderColumn[]; readonly pkDirection: Direction } {
  const isOwnCursor = (cursor?.ties ?? 'byKey') === 'byKey'
  const at = isOwnCursor ? columns.findIndex(({ value }) => value === KEY_COLUMN) : -1
  const terms = at === -1 ? columns : columns.slice(0, at)
  return { terms, pkDirection: columns.at(at)?.direction ?? 'asc' }
}

/** Orders by what the index holds first, so that only rows with equal prefixes are sorted. */
function orderByFirst(first: OrderColumn): string {
  const { indexed, direction } = first
  const byValue = `${sortColumn(first)} ${direction}`
  return first.form === 'prefix' ? `${indexed} ${direction}, ${byValue}` : byValue
}

function orderBy(terms: readonly OrderColumn[], pkDirection: Direction): string {
  const columns = terms.map(({ value, direction, nulls }) => `${value} ${direction} NULLS ${nulls}`)
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
  const after = afterValue(first, rest, { ...cursor, value }, pkDirection)
  if (first.form !== 'prefix') return after
  const { indexed } = indexedValue(first, value)
  const byIndex = { sql: `${first.indexed} ${beyond(first.direction)}= ?`, values: [indexed] }
  return combine('and', [byIndex, after])
}

function afterValue(
  first: OrderColumn,
  rest: readonly OrderColumn[],
  cursor: KeysetCursor & { readonly value: SqlValue },
  pkDirection: Direction,
): SqlCondition {
  const { direction } = first
  const column = sortColumn(first)
  const operator = beyond(direction)
  const { ties = 'byKey' } = cursor
  const value = sortValue(first, cursor.value)
  if (rest.length === 0 && ties !== 'byKey') {
    const orEqual = ties === 'all' ? '=' : ''
    return { sql: `${column} ${operator}${orEqual} ?`, values: [value] }
  }
  if (rest.length === 0 && pkDirection === direction) {
    return { sql: `(${column}, o.pk) ${operator} (?, ?)`, values: [value, cursor.pk] }
  }
  const further = afterRest(rest, cursor, pkDirection, 1)
  return {
    sql: `${column} ${operator}= ? AND (${column} ${operator} ? OR (${column} = ? AND ${further.sql}))`,
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
  const { value: column, direction, nulls } = term
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
