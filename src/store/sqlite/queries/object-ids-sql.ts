/** Conditions on object ids. They find rows by the indexes of ids, or filter rows that others find. */
import type { Query } from '../../../query/query.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { withAlias } from '../../sql/compile/linked-sql.ts'
import { FALSE, type SqlCondition } from '../../sql/compile/sql-condition.ts'
import { selectByObjectId } from '../catalogue/table-layout.ts'
import type { QueryTables } from './query-tables.ts'

export function objectIdsSql(
  ids: readonly string[],
  { table, numbers, maxFoundIds }: QueryTables,
): SqlCondition {
  if (table === undefined) return FALSE
  const list = JSON.stringify(ids)
  // The plus sign stops SQLite from using an index of ids.
  if (ids.length > maxFoundIds) {
    return { sql: '+o.object_id IN (SELECT value FROM json_each(?))', values: [list] }
  }
  const { sql, values } = selectByObjectId({
    table: objectTable(table),
    layout: numbers.layout,
    columns: ['id'],
    list,
  })
  return { sql: `o.id IN (${sql})`, values }
}

/** Up to this many ids are looked up without counting anything: that would take as long. */
const FEW_IDS = 200
/** A walk stops early, so its condition may find this many times as many rows as there are ids. */
const WALKED_PER_ID = 4

/** How the conditions of a query use lists of object ids. */
export interface IdPlan {
  /** Longer lists filter rows that are found by other means. */
  readonly maxFoundIds: number
  /** Finds the rows instead of a list; undefined if a list does. */
  readonly instead?: SqlCondition
}

/**
 * Decides which condition of a conjunction finds rows: the shortest list of ids, or another condition
 * with fewer rows. To look up an id takes as long as to read a row. SQLite does not know how many
 * rows a condition matches, so the one that finds rows is stated once more as a list of row ids.
 */
export function planIds(
  query: Query,
  { table, hasAtMost, isKeyWalk, expectsFewRows, isMultiValued }: QueryTables,
  toSql: (condition: Query) => SqlCondition,
): IdPlan {
  if (query.kind !== 'and' || table === undefined) return { maxFoundIds: Infinity }
  const lengths = query.of.flatMap(listLength)
  const excluded = query.of.flatMap((one) => (one.kind === 'not' ? listLength(one.of) : []))
  const shortest = Math.min(...lengths)
  const ids = lengths.length > 0 ? shortest : Math.max(0, ...excluded)
  // Excluded ids are compared anyway if few rows are read.
  if (ids <= FEW_IDS || (lengths.length === 0 && expectsFewRows)) {
    return { maxFoundIds: shortest }
  }
  const rowsOf = (one: Query) => rowIdsSql(objectTable(table), toSql(one))
  const others = query.of.filter((one) => !isIdList(one))
  const [only] = others
  if (isKeyWalk && others.length === 1 && only !== undefined && isValue(only, isMultiValued)) {
    const isFew = hasAtMost(rowsOf(only), ids * WALKED_PER_ID)
    return { maxFoundIds: isFew ? 0 : shortest }
  }
  const winner = others
    .filter(isIndexed)
    .map(rowsOf)
    .find((rows) => hasAtMost(rows, ids))
  if (winner === undefined) return { maxFoundIds: shortest }
  return { maxFoundIds: 0, instead: { ...winner, sql: `o.id IN (${winner.sql})` } }
}

function listLength(query: Query): number[] {
  return query.kind === 'objectIds' ? [query.ids.length] : []
}

function isIdList(query: Query): boolean {
  return query.kind === 'not' ? isIdList(query.of) : query.kind === 'objectIds'
}

/** True for a condition whose rows an index finds. Not every struct field has one. */
function isIndexed(query: Query): boolean {
  if (query.kind === 'text') return true
  return (
    (query.kind === 'compare' || query.kind === 'oneOf') && query.field.structField === undefined
  )
}

/** True for one value of a property, whose rows an index has in key order. */
function isValue(query: Query, isMultiValued: QueryTables['isMultiValued']): boolean {
  return (
    query.kind === 'compare' &&
    query.operator === 'eq' &&
    isIndexed(query) &&
    !isMultiValued(query.field)
  )
}

/** Selects the ids of the rows that match a condition. */
function rowIdsSql(table: string, { sql, values }: SqlCondition): SqlCondition {
  // Texts and array elements have tables of their own, which a limit stops reading.
  const selected = /^o\.id IN \((.*)\)$/s.exec(sql)?.[1]
  if (selected !== undefined) return { sql: selected, values }
  return withAlias({ sql: `SELECT o.id FROM ${table} AS found WHERE ${sql}`, values }, 'found')
}
