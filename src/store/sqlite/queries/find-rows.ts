import type { ObjectType } from '../../../ontology/ontology.ts'
import type { OrderTerm, Query } from '../../../query/query.ts'
import type { Place } from '../../object-store.ts'
import type { FieldNumbers } from '../../sql/field-numbers.ts'
import { OPEN } from '../../sql/new-table.ts'
import { type Anchor, orderArms, orderColumn } from '../../sql/order-sql.ts'
import { isElement, textFieldsOf } from '../../sql/query-fields.ts'
import { SimilarTermSearch, type SimilarTerms } from '../../sql/similar-terms.ts'
import type { BoundValue, SqlCondition, SqlValue } from '../../sql/sql-condition.ts'
import type { TermPrefix } from '../../sql/text-index.ts'
import { objectTable } from '../catalogue/object-table.ts'
import { type TypeHead, tableOfRow } from '../catalogue/type-head.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { LIMIT, VISIBLE, type Visibility } from '../pages/page-sql.ts'
import { type QueryTables, querySql } from './query-sql.ts'

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
    one.kind === 'compare' && one.operator === 'eq' && !isElement(objectType, one.field)
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
  const columns = search.order.map((term) => orderColumn(term, search.numbers))
  // A plus sign keeps the database from walking the key for the sake of the order.
  const sortsMatches = areFew && isPlanOpen(search)
  const values: BoundValue[] = []
  const arms = orderArms(columns, anchor).map((arm) => {
    values.push(...search.visible, ...condition.values, ...arm.values, limit)
    const orderBy = sortsMatches ? arm.orderBy.replace('o.pk', '+o.pk') : arm.orderBy
    return `SELECT id FROM (
      SELECT o.id AS id FROM ${objectTable(search.table)} AS o
      WHERE ${VISIBLE[search.visibility]} AND ${condition.sql} AND ${arm.sql}
      ORDER BY ${orderBy} ${LIMIT})`
  })
  values.push(limit)
  return { sql: `${arms.join(' UNION ALL ')} ${LIMIT}`, values }
}

/**
 * How many objects the query matches. Where hardly any row is of the past, all rows that match are
 * counted and then those of the past among them: as long as nobody asks which rows are visible, an
 * index alone can count.
 */
export function countRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  liveCount: number,
): number {
  const table = objectTable(search.table)
  const { sql, values } = querySql(search.query, tables)
  if (search.visibility === 'current' && hasFewPastRows(statements, table, liveCount)) {
    const all = countIn(statements, `${table} AS o WHERE ${sql}`, values)
    const closed = `${table} AS o INDEXED BY ${table}_closed WHERE valid_to < ${OPEN}`
    return all - countIn(statements, `${closed} AND ${sql}`, values)
  }
  const visible = `${table} AS o WHERE ${VISIBLE[search.visibility]}`
  return countIn(statements, `${visible} AND ${sql}`, [...search.visible, ...values])
}

/** The part of the rows that may be of the past for `countRows` to look at each of these. */
const FEW_PAST_ROWS = 1 / 10

function hasFewPastRows(statements: StatementCache, table: string, liveCount: number): boolean {
  const few = Math.floor(liveCount * FEW_PAST_ROWS)
  const past = `(SELECT 1 FROM ${table} WHERE valid_to < ${OPEN} ${LIMIT})`
  return countIn(statements, past, [few + 1]) <= few
}

function countIn(statements: StatementCache, from: string, values: readonly BoundValue[]): number {
  const row = statements.prepare(`SELECT count(*) FROM ${from}`).get(...values)
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
         SELECT 1 FROM ${objectTable(search.table)} AS o WHERE ${sql} ${LIMIT}
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
  const columns = search.order.map((term) => orderColumn(term, search.numbers).column).join(', ')
  const statement = statements.prepare(
    `SELECT ${columns} FROM ${objectTable(table)} AS o WHERE pk = ? AND valid_from = ?`,
  )
  statement.setReadBigInts(true)
  const row = statement.get(pk, version) as unknown as (SqlValue | null)[] | undefined
  return row && { pk, values: row }
}

/** What SQL of a query is made from; similar terms are looked for once, however often they are used. */
export function queryTables(statements: StatementCache, search: RowSearch): QueryTables {
  const { objectType, numbers } = search
  const known = new Map<string, SimilarTerms>()
  return {
    numbers,
    textFields: textFieldsOf(objectType),
    isElement: (field) => isElement(objectType, field),
    passed: undefined,
    ringNumber: (ring) => statements.rings.numberOf(ring),
    similarTerms: (terms, prefix) => {
      const name = JSON.stringify([terms, prefix])
      const similar = known.get(name) ?? similarTerms(statements, terms, prefix)
      known.set(name, similar)
      return similar
    },
  }
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

/** The words of a field that are a few letters away from the given ones, in one look at all words. */
function similarTerms(
  statements: StatementCache,
  terms: readonly string[],
  prefix: TermPrefix,
): SimilarTerms {
  const search = new SimilarTermSearch(terms, prefix)
  const rows = statements
    .prepare('SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND length(term) <= ?')
    .iterate(search.from, search.before, search.longest)
  for (const row of rows) search.look((row as unknown as [string])[0])
  return search.found
}
