import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { fieldsOf } from '../../ontology/searchable-values.ts'
import { isText, resolveField } from '../../query/fields.ts'
import type { Field, OrderTerm, Query } from '../../query/query.ts'
import { fuzzyDistance, isWithinEdits } from '../../query/terms.ts'
import type { Place } from '../object-store.ts'
import { columnOf, type FieldNumbers } from './field-numbers.ts'
import { objectTable } from './object-table.ts'
import { type Anchor, type OrderColumn, orderArms } from './order-sql.ts'
import { VISIBLE, type Visibility } from './page-sql.ts'
import {
  type BoundValue,
  type QueryTables,
  querySql,
  type SqlCondition,
  type SqlValue,
} from './query-sql.ts'
import type { StatementCache } from './statement-cache.ts'
import { behindPrefix, indexedTerm, plainTerm, type TermPrefix } from './text-index.ts'
import { type TypeHead, tableOfRow } from './type-head.ts'

/** Finds the rows that a query asks for, in their order: by number, before any body is read. */

export interface RowSearch {
  readonly table: number
  readonly objectType: ObjectType
  readonly numbers: FieldNumbers
  readonly query: Query
  readonly order: readonly OrderTerm[]
  readonly visibility: Visibility
  /** The values of the visibility's placeholders. */
  readonly visible: readonly number[]
}

/** Whether it depends on the number of matches how they are best found. */
export function isPlanOpen({ query, order, objectType }: RowSearch): boolean {
  if (order.length > 0) return false
  // The index of an equality is in key order: there is nothing to choose.
  const isEquality = (one: Query) =>
    one.kind === 'compare' &&
    one.operator === 'eq' &&
    one.field.structField === undefined &&
    objectType.properties.get(one.field.property)?.type.kind === 'scalar'
  return !(query.kind === 'and' ? query.of.some(isEquality) : isEquality(query))
}

/** The numbers of at most so many rows after the anchor. */
export function findRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  wish: RowWish,
): number[] {
  const { sql, values } = findRowsSql(search, tables, wish)
  const rows = statements.prepare(sql).all(...values)
  return (rows as unknown as [number][]).map(([id]) => id)
}

export interface RowWish {
  readonly anchor: Anchor | undefined
  readonly limit: number
  /** Whether the matches are so few that sorting them is cheaper than walking the key. */
  readonly areFew: boolean
}

export function findRowsSql(
  search: RowSearch,
  tables: QueryTables,
  { anchor, limit, areFew }: RowWish,
): SqlCondition {
  const condition = querySql(search.query, { ...tables, passed: passedBounds(search, anchor) })
  const columns = search.order.map((term) => toColumn(term, search.numbers))
  // A plus sign keeps the database from walking the key for the sake of the order.
  const sortsMatches = areFew && isPlanOpen(search)
  const values: BoundValue[] = []
  const arms = orderArms(columns, anchor).map((arm) => {
    values.push(...search.visible, ...condition.values, ...arm.values, limit)
    const orderBy = sortsMatches ? arm.orderBy.replace('o.pk', '+o.pk') : arm.orderBy
    return `SELECT id FROM (
      SELECT o.id AS id FROM ${objectTable(search.table)} AS o
      WHERE ${VISIBLE[search.visibility]} AND ${condition.sql} AND ${arm.sql}
      ORDER BY ${orderBy} LIMIT ?)`
  })
  values.push(limit)
  return { sql: `${arms.join(' UNION ALL ')} LIMIT ?`, values }
}

/** How many objects the query matches. */
export function countRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
): number {
  const { sql, values } = querySql(search.query, tables)
  const row = statements
    .prepare(
      `SELECT count(*) FROM ${objectTable(search.table)} AS o
       WHERE ${VISIBLE[search.visibility]} AND ${sql}`,
    )
    .get(...search.visible, ...values)
  return (row as unknown as [number])[0]
}

/**
 * How many rows the query matches, at most `limit`, to choose a plan by. Past versions count too:
 * without asking which rows are visible, an index alone can tell.
 */
export function estimateRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  limit: number,
): number {
  const { sql, values } = querySql(search.query, tables)
  const row = statements
    .prepare(
      `SELECT count(*) FROM (
         SELECT 1 FROM ${objectTable(search.table)} AS o WHERE ${sql} LIMIT ?
       )`,
    )
    .get(...values, limit)
  return (row as unknown as [number])[0]
}

/** The anchor's values for each order term, or nothing when its row is gone. */
export function readAnchor(
  statements: StatementCache,
  search: RowSearch,
  head: TypeHead,
  { pk, version }: Place,
): Anchor | undefined {
  if (search.order.length === 0) return { pk, values: [] }
  const table = tableOfRow(statements, head, version)
  if (table === undefined) return undefined
  const columns = search.order.map((term) => toColumn(term, search.numbers).column).join(', ')
  const statement = statements.prepare(
    `SELECT ${columns} FROM ${objectTable(table)} AS o WHERE pk = ? AND valid_from = ?`,
  )
  statement.setReadBigInts(true)
  const row = statement.get(pk, version) as unknown as (SqlValue | null)[] | undefined
  return row && { pk, values: row }
}

function toColumn(term: OrderTerm, numbers: FieldNumbers): OrderColumn {
  const number = numbers.of({ property: term.property, structField: undefined })
  return { ...term, column: `o.${columnOf(number)}` }
}

/** What SQL of a query is made from; similar terms are looked for once, however often they are used. */
export function queryTables(statements: StatementCache, search: RowSearch): QueryTables {
  const { objectType, numbers } = search
  const known = new Map<string, ReadonlyMap<string, readonly string[]>>()
  return {
    numbers,
    textFields: textFieldsOf(objectType),
    isElement: ({ property, structField }) =>
      structField !== undefined || objectType.properties.get(property)?.type.kind !== 'scalar',
    passed: undefined,
    similarTerms: (terms, prefix) => {
      const name = JSON.stringify([terms, prefix])
      const similar = known.get(name) ?? similarTerms(statements, terms, prefix)
      known.set(name, similar)
      return similar
    },
  }
}

function textFieldsOf(objectType: ObjectType): Field[] {
  return fieldsOf(objectType.properties.values()).filter(({ property, structField }) => {
    const resolved = resolveField(objectType, property, structField)
    return resolved !== undefined && isText(resolved)
  })
}

/** The walk is already past the near end of a range over its own order. */
function passedBounds(
  { order, numbers }: RowSearch,
  anchor: Anchor | undefined,
): QueryTables['passed'] {
  const [first] = order
  if (first === undefined || anchor === undefined || anchor.values[0] === null) return undefined
  return {
    field: numbers.of({ property: first.property, structField: undefined }),
    operators: first.direction === 'asc' ? ['gt', 'gte'] : ['lt', 'lte'],
  }
}

/** More words than this are no longer similar to anything, but most of what there is. */
const SIMILAR_TERMS = 1000

/** The words of a field that are a few letters away from the given ones, in one look at all words. */
function similarTerms(
  statements: StatementCache,
  terms: readonly string[],
  prefix: TermPrefix,
): ReadonlyMap<string, readonly string[]> {
  const wanted = terms.map((term) => ({
    term,
    distance: fuzzyDistance(term),
    similar: [] as string[],
  }))
  const longest = Math.max(...terms.map((term) => indexedTerm(prefix, term).length))
  const rows = statements
    .prepare('SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND length(term) <= ?')
    .iterate(prefix, behindPrefix(prefix), longest + LONGEST_DIFFERENCE)
  let found = 0
  for (const row of rows) {
    const other = plainTerm((row as unknown as [string])[0], prefix)
    for (const { term, distance, similar } of wanted) {
      if (distance === 0 || other === term || !isWithinEdits(term, other, distance)) continue
      similar.push(other)
      found += 1
    }
    // Loud: leaving some out would leave out objects.
    if (found > SIMILAR_TERMS) {
      throw new ObjectQueryError('QueryTermsExceededLimit', { termsLimit: SIMILAR_TERMS })
    }
  }
  return new Map(wanted.map(({ term, similar }) => [term, similar]))
}

/** Two edits, each of which may add a character that is written as five. */
const LONGEST_DIFFERENCE = 12
