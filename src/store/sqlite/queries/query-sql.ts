/**
 * The SQL of a query over the table of its type, aliased `o`: comparisons of stored values, by which
 * an index may find rows. Every other condition is tested row by row, see columns/scan/row-test.ts.
 */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { toColumnValue } from '../../../query/compared-value.ts'
import { isPrefixPattern, literalPrefix } from '../../../query/matching/pattern.ts'
import type { Field, LinkedQuery, Query } from '../../../query/query.ts'
import { rowTest } from '../../columns/scan/row-test.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import {
  gatherLinked,
  type LinkedRows,
  linkedAlias,
  probeLinked,
} from '../../sql/compile/linked-sql.ts'
import {
  beginsLike,
  compareProperty,
  propertyIn,
  sortColumn,
  sortValue,
} from '../../sql/compile/property-sql.ts'
import { isMultiValued } from '../../sql/compile/query-fields.ts'
import {
  combine,
  FALSE,
  negate,
  OPERATORS,
  type SqlCondition,
  type SqlValue,
  TRUE,
} from '../../sql/compile/sql-condition.ts'
import { propertyIndexName } from '../catalogue/table-indexes.ts'
import { selectByObjectId } from '../catalogue/table-layout.ts'
import { isIndexed } from './indexed-query.ts'
import { type QueryTables, walking } from './query-tables.ts'
import { RowCells } from './row-cells.ts'

export function querySql(query: Query, tables: QueryTables): SqlCondition {
  const { stored, tested } = splitQuery(query, tables)
  const test = tested.length === 0 ? TRUE : testSql({ kind: 'and', of: tested }, query, tables)
  return combine('and', [...stored.map(({ sql }) => sql), test])
}

/** Returns the conditions by which an index finds rows; undefined if there are none. */
export function findingSql(query: Query, tables: QueryTables): SqlCondition | undefined {
  const finding = splitQuery(query, tables).stored.filter(({ part }) =>
    isFoundByIndex(part, tables),
  )
  if (finding.length === 0) return undefined
  return combine(
    'and',
    finding.map(({ sql }) => sql),
  )
}

/** True if rows have to be tested one by one, because an index alone does not decide the query. */
export function hasTests(query: Query, tables: QueryTables): boolean {
  return splitQuery(query, tables).tested.length > 0
}

/** The members of a conjunction: those in SQL, and those that are tested. */
interface SplitQuery {
  readonly stored: readonly { readonly part: Query; readonly sql: SqlCondition }[]
  readonly tested: readonly Query[]
}

function splitQuery(query: Query, tables: QueryTables): SplitQuery {
  const parts = query.kind === 'and' ? query.of : [query]
  const finder = finderOf(parts, tables)
  const stored: { part: Query; sql: SqlCondition }[] = []
  const tested: Query[] = []
  for (const part of parts) {
    // SQLite does not know that the finder has few rows: no other index must be used instead.
    const isStored = finder === undefined || finder === part
    const exact = isStored ? storedSql(part, tables) : undefined
    const sql = exact ?? (isStored ? beginningSql(part, tables) : undefined)
    if (sql !== undefined) stored.push({ part, sql })
    if (exact === undefined) tested.push(part)
  }
  return { stored, tested }
}

/** Up to this many ids are looked up without counting anything: that would take as long. */
const FEW_IDS = 200

/**
 * Returns the condition that finds the rows of a conjunction with a list of ids: the shortest one,
 * unless another condition finds fewer rows. To look up an id takes as long as to read a row.
 */
function finderOf(parts: readonly Query[], tables: QueryTables): Query | undefined {
  const lists = parts.filter((part) => part.kind === 'objectIds')
  const [shortest] = lists.toSorted((a, b) => a.ids.length - b.ids.length)
  if (shortest === undefined || shortest.ids.length <= FEW_IDS) return shortest
  const better = parts.find((part) => {
    if (part.kind === 'objectIds' || !isFoundByIndex(part, tables)) return false
    const sql = storedSql(part, tables)
    return sql !== undefined && tables.hasAtMost(rowsOf(sql, tables), shortest.ids.length)
  })
  return better ?? shortest
}

function isFoundByIndex(part: Query, { objectType, numbers }: QueryTables): boolean {
  return isIndexed(part, objectType, numbers.layout.unindexedFields)
}

function rowsOf({ sql, values }: SqlCondition, { table }: QueryTables): SqlCondition {
  return { sql: `SELECT 1 FROM ${objectTable(table)} AS o WHERE ${sql}`, values }
}

/** Returns the call of the test of a query, which is prepared once. */
function testSql(tested: Query, query: Query, tables: QueryTables): SqlCondition {
  const known = tables.testCalls.get(query)
  if (known !== undefined) return known
  const cells = new RowCells(tables, (linked) => linkedSql(linked, walking(tables)))
  const call = cells.callOf(tables.tests.add(rowTest(tested, cells)))
  tables.testCalls.set(query, call)
  return call
}

/** Returns undefined for a condition that rows are tested for. */
function storedSql(query: Query, tables: QueryTables): SqlCondition | undefined {
  switch (query.kind) {
    case 'everything':
      return TRUE
    case 'and':
    case 'or': {
      const parts = query.of.map((one) => storedSql(one, tables))
      const known = parts.filter((part) => part !== undefined)
      return known.length === parts.length ? combine(query.kind, known) : undefined
    }
    case 'compare':
      return isStored(query.field, tables) ? compareSql(query, tables) : undefined
    case 'oneOf': {
      const { field, values } = query
      if (!isStored(field, tables)) return undefined
      return propertyIn(propertyOf(field, tables), values.map(toColumnValue), inList)
    }
    case 'pattern': {
      const { field, pattern } = query
      if (!isPrefixPattern(pattern) || !isStored(field, tables)) return undefined
      return beginsLike(propertyOf(field, tables), pattern)
    }
    case 'isNull': {
      if (query.structField !== undefined) return undefined
      return { sql: `${tables.numbers.propertySql(query.property).indexed} IS NULL`, values: [] }
    }
    case 'not': {
      // No index finds other ids, and a list in memory is faster.
      const of = query.of.kind === 'objectIds' ? undefined : storedSql(query.of, tables)
      return of && negate(of)
    }
    case 'objectIds':
      return objectIdsSql(query.ids, tables)
    case 'linked':
      return linkedSql(query, tables)
    default:
      return undefined
  }
}

/** Finds the texts that begin like a pattern, which have to be tested, too. */
function beginningSql(query: Query, tables: QueryTables): SqlCondition | undefined {
  if (query.kind !== 'pattern' || !isStored(query.field, tables)) return undefined
  if (literalPrefix(query.pattern) === '') return undefined
  return beginsLike(propertyOf(query.field, tables), query.pattern)
}

/** True if rows have a column with the only value of a field, or the body has it as it is compared. */
function isStored(field: Field, { objectType, numbers }: QueryTables): boolean {
  return field.structField === undefined
    ? !isMultiValued(objectType, field)
    : numbers.hasColumn(field)
}

function propertyOf({ property, structField }: Field, { numbers }: QueryTables) {
  return numbers.propertySql(property, structField)
}

function compareSql(
  { field, operator, value: compared }: Query & { kind: 'compare' },
  tables: QueryTables,
): SqlCondition {
  const { numbers, redundantBounds, isWalk } = tables
  const value = toColumnValue(compared)
  const property = propertyOf(field, tables)
  const isHidden =
    redundantBounds?.field === numbers.of(field) && redundantBounds.operators.includes(operator)
  // The plus sign stops SQLite from using a condition as the bound of an index walk.
  if (isHidden) {
    return {
      sql: `+${sortColumn(property)} ${OPERATORS[operator]} ?`,
      values: [sortValue(property, value)],
    }
  }
  // What the index holds of a long text would have to be computed for each row.
  if (isWalk && operator !== 'eq' && property.form === 'prefix') {
    return { sql: `${property.value} ${OPERATORS[operator]} ?`, values: [value] }
  }
  return compareProperty(property, operator, value)
}

function inList(expression: string, values: readonly SqlValue[]): SqlCondition {
  const list = `[${values.map(jsonOf).join()}]`
  return { sql: `${expression} IN (SELECT value FROM json_each(?))`, values: [list] }
}

/** Writes a column value as JSON that SQLite reads without a loss. */
function jsonOf(value: ColumnValue): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === Infinity) return '9e999'
  if (value === -Infinity) return '-9e999'
  // SQLite would read the digits of a large double as an integer, which the double does not equal.
  const isLargeDouble = Number.isInteger(value) && !Number.isSafeInteger(value)
  return isLargeDouble && !String(value).includes('e') ? `${value}.0` : String(value)
}

function objectIdsSql(ids: readonly string[], { table, numbers }: QueryTables): SqlCondition {
  const { sql, values } = selectByObjectId({
    table: objectTable(table),
    layout: numbers.layout,
    columns: ['id'],
    list: JSON.stringify(ids),
  })
  return { sql: `o.id IN (${sql})`, values }
}

/** Gathers linked rows if they are few; otherwise looks them up row by row. */
function linkedSql(query: LinkedQuery, tables: QueryTables): SqlCondition {
  const { linkedType, property, linkedProperty, of } = query
  const linked = tables.linkedTable(linkedType)
  if (linked === undefined) return FALSE
  const { isWalk, maxGathered, depth, numbers } = tables
  const alias = linkedAlias(depth)
  const linkedColumn = linked.tables.numbers.propertySql(linkedProperty)
  const matching = (isFiltered: boolean) =>
    querySql(of, { ...linked.tables, isWalk: isFiltered, maxGathered, depth: depth + 1 })
  const rows = (where: SqlCondition): LinkedRows => ({
    table: objectTable(linked.tables.table),
    own: numbers.propertySql(property),
    linked: linkedColumn,
    where: combine('and', [linked.visible, where]),
  })
  const found = matching(false)
  const canProbe = linked.tables.numbers.isIndexed({
    property: linkedProperty,
    structField: undefined,
  })
  // Without the visibility, an index alone can count.
  if (canProbe && !tables.hasAtMost(rowsOf(found, linked.tables), maxGathered)) {
    const index = propertyIndexName(objectTable(linked.tables.table), linkedColumn)
    return probeLinked(rows(matching(true)), alias, ` INDEXED BY ${index}`)
  }
  const { sql, values } = gatherLinked(rows(found), alias)
  // The plus sign stops SQLite from finding rows by this condition, which is not in key order.
  return { sql: isWalk ? `+${sql}` : sql, values }
}
