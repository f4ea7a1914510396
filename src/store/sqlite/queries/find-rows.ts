/** Finds and counts the rows that match a query: ids in page order, before any record is read. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { OrderTerm, Query } from '../../../query/query.ts'
import type { Cursor } from '../../object-store.ts'
import type { FieldNumbers } from '../../sql/field-numbers.ts'
import { OPEN } from '../../sql/new-table.ts'
import { type KeysetCursor, orderArms, orderColumn } from '../../sql/order-sql.ts'
import type { Visibility } from '../../sql/plan-rules.ts'
import { isGeoPoint, isMultiValued, textFieldsOf } from '../../sql/query-fields.ts'
import { SimilarTermSearch, type SimilarTerms } from '../../sql/similar-terms.ts'
import type { BoundValue, SqlCondition, SqlValue } from '../../sql/sql-condition.ts'
import type { TermPrefix } from '../../sql/text-index.ts'
import { readFieldNumbers } from '../catalogue/field-numbers.ts'
import { objectTable } from '../catalogue/object-table.ts'
import { type TypeHead, tableOfRow } from '../catalogue/type-head.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { LIMIT, VISIBLE, visibilityValues } from '../pages/page-sql.ts'
import type { TypeVersions } from './linked-tables.ts'
import type { QueryConnection } from './query-connection.ts'
import { type LinkedTable, type QueryTables, querySql } from './query-sql.ts'

export interface RowSearch {
  readonly table: number
  readonly objectType: ObjectType
  readonly numbers: FieldNumbers
  readonly query: Query
  readonly order: readonly OrderTerm[]
  readonly visibility: Visibility
  /** The values of the visibility's placeholders. */
  readonly visibleValues: readonly number[]
  /** The versions of all types that the query reads. */
  readonly versions: TypeVersions
}

export interface RowSearchOptions {
  readonly cursor: KeysetCursor | undefined
  readonly limit: number
  /** Whether to sort the matches by key, instead of walking the key until enough rows match. */
  readonly sortMatches: boolean
}

/** Returns the ids of the rows after the cursor. */
export function findRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  options: RowSearchOptions,
): number[] {
  const { sql, values } = findRowsSql(search, tables, options)
  const rows = statements.prepare(sql).all(...values)
  return (rows as unknown as [number][]).map(([id]) => id)
}

export function findRowsSql(
  search: RowSearch,
  tables: QueryTables,
  { cursor, limit, sortMatches }: RowSearchOptions,
): SqlCondition {
  const passedBounds = passedBoundsOf(search, cursor)
  const condition = querySql(search.query, { ...tables, passedBounds })
  const columns = search.order.map((term) => orderColumn(term, search.numbers))
  const values: BoundValue[] = []
  const arms = orderArms(columns, cursor).map((arm) => {
    values.push(...search.visibleValues, ...condition.values, ...arm.values, limit)
    // The plus sign stops SQLite from walking the key index to avoid the sort.
    const orderBy = sortMatches ? arm.orderBy.replace('o.pk', '+o.pk') : arm.orderBy
    return `SELECT id FROM (
      SELECT o.id AS id FROM ${objectTable(search.table)} AS o
      WHERE ${VISIBLE[search.visibility]} AND ${condition.sql} AND ${arm.sql}
      ORDER BY ${orderBy} ${LIMIT})`
  })
  values.push(limit)
  return { sql: `${arms.join(' UNION ALL ')} ${LIMIT}`, values }
}

/** Counts the visible rows that match the query. */
export function countVisibleRows(
  statements: StatementCache,
  { table, query, visibility, visibleValues }: RowSearch,
  tables: QueryTables,
): number {
  const { sql, values } = querySql(query, tables)
  const visible = `${objectTable(table)} AS o WHERE ${VISIBLE[visibility]}`
  return countIn(statements, `${visible} AND ${sql}`, [...visibleValues, ...values])
}

/**
 * Counts the current rows that match the query: all rows, minus those that are not current. Without
 * a visibility condition, an index alone can count.
 */
export function countCurrentRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
): number {
  const table = objectTable(search.table)
  const { sql, values } = querySql(search.query, tables)
  const all = countIn(statements, `${table} AS o WHERE ${sql}`, values)
  const past = `${table} AS o INDEXED BY ${table}_closed WHERE valid_to < ${OPEN}`
  return all - countIn(statements, `${past} AND ${sql}`, values)
}

function countIn(statements: StatementCache, from: string, values: readonly BoundValue[]): number {
  const row = statements.prepare(`SELECT count(*) FROM ${from}`).get(...values)
  return (row as unknown as [number])[0]
}

/**
 * Counts the row versions that match the query, up to a limit. It ignores visibility, so that an
 * index alone can count.
 */
export function estimateRows(
  statements: StatementCache,
  search: RowSearch,
  tables: QueryTables,
  limit: number,
): number {
  const { sql, values } = querySql(search.query, tables)
  const matching = `(SELECT 1 FROM ${objectTable(search.table)} AS o WHERE ${sql} ${LIMIT})`
  return countIn(statements, matching, [...values, limit])
}

/** Looks up a cursor's value for each order term; undefined if its row has been deleted. */
export function resolveCursor(
  statements: StatementCache,
  search: RowSearch,
  head: TypeHead,
  { pk, version }: Cursor,
): KeysetCursor | undefined {
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

/** Returns what the SQL of a query needs. Each set of similar terms is looked up once. */
export function queryTables(
  connection: QueryConnection,
  { objectType, numbers, versions }: Pick<RowSearch, 'objectType' | 'numbers' | 'versions'>,
): QueryTables {
  const { statements, rings, matchers } = connection
  const similarByKey = new Map<string, SimilarTerms>()
  const linkedByRid = new Map<string, LinkedTable | undefined>()
  return {
    linkedTable: (linkedType) => {
      const { rid } = linkedType
      if (!linkedByRid.has(rid)) linkedByRid.set(rid, linkedTable(connection, linkedType, versions))
      return linkedByRid.get(rid)
    },
    linkedPlan: { kind: 'gather' },
    depth: 1,
    numbers,
    textFields: textFieldsOf(objectType),
    isMultiValued: (field) => isMultiValued(objectType, field),
    isGeoPoint: (field) => isGeoPoint(objectType, field),
    passedBounds: undefined,
    ringNumber: (ring) => rings.numberOf(ring),
    matcherNumber: (query) => matchers.numberOf(query),
    similarTerms: (terms, prefix) => {
      const key = JSON.stringify([terms, prefix])
      const similar = similarByKey.get(key) ?? findSimilarTerms(statements, terms, prefix)
      similarByKey.set(key, similar)
      return similar
    },
  }
}

function linkedTable(
  connection: QueryConnection,
  objectType: ObjectType,
  versions: TypeVersions,
): LinkedTable | undefined {
  const state = versions.get(objectType.rid)
  if (state === undefined) throw new Error(`no version of ${objectType.apiName} was read`)
  if (!state.table.isCreated) return undefined
  const visibility: Visibility = state.isLatest ? 'current' : 'version'
  const numbers = readFieldNumbers(connection.db, state.typeId)
  return {
    table: state.table.table,
    visible: { sql: VISIBLE[visibility], values: visibilityValues(visibility, state.version) },
    tables: queryTables(connection, { objectType, numbers, versions }),
  }
}

/** Gathers linked rows only if at most this many match. */
export function gatherFew(
  tables: QueryTables,
  statements: StatementCache,
  fewMatches: number,
): QueryTables {
  const isFew = ({ sql, values }: SqlCondition) =>
    countIn(statements, `(SELECT 1 FROM ${sql} ${LIMIT})`, [...values, fewMatches + 1]) <=
    fewMatches
  return { ...tables, linkedPlan: { kind: 'ifFew', isFew } }
}

/** Looks up linked rows row by row. */
export function probeLinks(tables: QueryTables): QueryTables {
  return { ...tables, linkedPlan: { kind: 'probe' } }
}

/** A cursor in the order of a range makes the range's near bound redundant. */
function passedBoundsOf(
  { order, numbers }: RowSearch,
  cursor: KeysetCursor | undefined,
): QueryTables['passedBounds'] {
  const [first] = order
  if (first === undefined || cursor === undefined || cursor.values[0] === null) return undefined
  return {
    field: numbers.of({ property: first.property, structField: undefined }),
    operators: first.direction === 'asc' ? ['gt', 'gte'] : ['lt', 'lte'],
  }
}

/** Finds the terms of a field within a small edit distance, in one scan of the vocabulary. */
function findSimilarTerms(
  statements: StatementCache,
  terms: readonly string[],
  prefix: TermPrefix,
): SimilarTerms {
  const search = new SimilarTermSearch(terms, prefix)
  const rows = statements
    .prepare('SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND length(term) <= ?')
    .iterate(search.from, search.before, search.maxLength)
  for (const row of rows) search.compare((row as unknown as [string])[0])
  return search.similarTerms
}
