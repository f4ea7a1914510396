/** Compiles the query tree to SQL over the table of its type, aliased `o`. */

import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { toColumnValue } from '../../../query/compared-value.ts'
import type { Comparison, Field, LinkedQuery, Position, Query } from '../../../query/query.ts'
import { compileQuery } from '../../sql/compile-query.ts'
import { columnOf, type FieldNumbers } from '../../sql/field-numbers.ts'
import { gatherLinked, type LinkedRows, linkedAlias, probeLinked } from '../../sql/linked-sql.ts'
import { prefixRange } from '../../sql/prefix-range.ts'
import { type SimilarTerms, termAlternatives } from '../../sql/similar-terms.ts'
import { combine, FALSE, OPERATORS, type SqlCondition } from '../../sql/sql-condition.ts'
import { fieldPrefix, type TermPrefix } from '../../sql/text-index.ts'
import { objectTable, propertyIndexName } from '../catalogue/object-table.ts'
import { matchExpression } from '../writes/text-index.ts'
import { geoSql } from './geo-sql.ts'
import type { MatcherQuery } from './matchers.ts'

export interface QueryTables {
  readonly numbers: FieldNumbers
  /** The fields that contain text. */
  readonly textFields: readonly Field[]
  /** True if a field's values are in the table of array elements. */
  readonly isMultiValued: (field: Field) => boolean
  /** Range bounds that the cursor makes redundant. They are hidden, so that the index uses the cursor. */
  readonly passedBounds:
    | { readonly field: number; readonly operators: readonly Comparison[] }
    | undefined
  /** Returns the number by which `within_ring` knows a ring until the transaction ends. */
  readonly ringNumber: (ring: readonly Position[]) => number
  /** Returns the number by which `matches` knows a condition until the transaction ends. */
  readonly matcherNumber: (query: MatcherQuery) => number
  /** True for a field of geopoints, whose positions are indexed. */
  readonly isGeoPoint: (field: Field) => boolean
  /** Returns, for each fuzzy term, the terms of a field that match it. */
  readonly similarTerms: (terms: readonly string[], prefix: TermPrefix) => SimilarTerms
  /** Returns the table of a linked type; undefined if it is not created yet. */
  readonly linkedTable: (linkedType: ObjectType) => LinkedTable | undefined
  readonly linkedPlan: LinkedPlan
  /** How many links were followed to the table. */
  readonly depth: number
}

/** The table of a linked type, as of the version that the page reads. */
export interface LinkedTable {
  readonly table: number
  readonly visible: SqlCondition
  readonly tables: QueryTables
}

/**
 * How linked rows are found. `ifFew` gathers them if a count shows that they are few, and looks them
 * up row by row otherwise.
 */
export type LinkedPlan =
  | { readonly kind: 'gather' | 'probe' }
  | { readonly kind: 'ifFew'; readonly isFew: (rows: SqlCondition) => boolean }

export function querySql(query: Query, tables: QueryTables): SqlCondition {
  return compileQuery(query, {
    compare: (one) => compareSql(one, tables),
    isNull: (property) => {
      const number = tables.numbers.of({ property, structField: undefined })
      return { sql: `o.${columnOf(number)} IS NULL`, values: [] }
    },
    text: (one) => textSql(one, tables),
    withinPolygon: ({ ring }) => polygonSql(ring, tables),
    pattern: (one) => patternSql(one, tables),
    geo: (one) => geoSql(one, tables),
    oneOf: (one) => oneOfSql(one, tables),
    objectIds: (ids) => ({
      sql: 'o.object_id IN (SELECT value FROM json_each(?))',
      values: [JSON.stringify(ids)],
    }),
    linked: (one, isNegated) => linkedSql(one, tables, isNegated),
  })
}

function compareSql(
  { field, operator, value: compared }: Query & { kind: 'compare' },
  { numbers, isMultiValued, passedBounds }: QueryTables,
): SqlCondition {
  const number = numbers.of(field)
  const sign = OPERATORS[operator]
  const value = toColumnValue(compared)
  if (!isMultiValued(field)) {
    // The plus sign stops SQLite from using a condition as the bound of an index walk.
    const isHidden = passedBounds?.field === number && passedBounds.operators.includes(operator)
    return { sql: `${isHidden ? '+' : ''}o.${columnOf(number)} ${sign} ?`, values: [value] }
  }
  return {
    sql: `o.id IN (SELECT row FROM element WHERE field = ? AND value ${sign} ?)`,
    values: [number, value],
  }
}

function oneOfSql(
  { field, values }: Query & { kind: 'oneOf' },
  { numbers, isMultiValued }: QueryTables,
): SqlCondition {
  const number = numbers.of(field)
  const list = `[${values.map((value) => jsonOf(toColumnValue(value))).join()}]`
  const inList = 'IN (SELECT value FROM json_each(?))'
  if (!isMultiValued(field)) return { sql: `o.${columnOf(number)} ${inList}`, values: [list] }
  return {
    sql: `o.id IN (SELECT row FROM element WHERE field = ? AND element.value ${inList})`,
    values: [number, list],
  }
}

/** Writes a column value as JSON that SQLite reads without a loss. */
function jsonOf(value: ColumnValue): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === Infinity) return '9e999'
  return value === -Infinity ? '-9e999' : String(value)
}

function linkedSql(query: LinkedQuery, tables: QueryTables, isNegated: boolean): SqlCondition {
  const { linkedType, property, linkedProperty, of } = query
  const linked = tables.linkedTable(linkedType)
  if (linked === undefined) return FALSE
  const { linkedPlan, depth } = tables
  const inner = { ...linked.tables, linkedPlan, depth: depth + 1 }
  const where = combine('and', [linked.visible, querySql(of, inner)])
  const linkedField = inner.numbers.of({ property: linkedProperty, structField: undefined })
  const table = objectTable(linked.table)
  const rows: LinkedRows = {
    table,
    ownField: tables.numbers.of({ property, structField: undefined }),
    linkedField,
    where,
  }
  const alias = linkedAlias(depth)
  return !isNegated &&
    isGathered(linkedPlan, { sql: `${table} AS o WHERE ${where.sql}`, values: where.values })
    ? gatherLinked(rows, alias)
    : probeLinked(rows, alias, ` INDEXED BY ${propertyIndexName(table, linkedField)}`)
}

function isGathered(plan: LinkedPlan, rows: SqlCondition): boolean {
  return plan.kind === 'ifFew' ? plan.isFew(rows) : plan.kind === 'gather'
}

function textSql(query: Query & { kind: 'text' }, tables: QueryTables): SqlCondition {
  const { field, match, terms, fuzzy } = query
  const prefixes = (field === undefined ? tables.textFields : [field]).map((one) =>
    fieldPrefix(tables.numbers.of(one)),
  )
  if (prefixes.length === 0) return FALSE
  const alternatives = termAlternatives(terms, prefixes, (prefix) =>
    fuzzy ? tables.similarTerms(terms, prefix) : undefined,
  )
  return {
    sql: 'o.id IN (SELECT rowid FROM term WHERE term MATCH ?)',
    values: [matchExpression(match, alternatives)],
  }
}

/** Filters by bounding box with the R-tree, which rounds outwards; then tests each point exactly. */
function polygonSql(ring: readonly Position[], { ringNumber }: QueryTables): SqlCondition {
  const longitudes = ring.map(([longitude]) => longitude)
  const latitudes = ring.map(([, latitude]) => latitude)
  return {
    sql: `o.id IN (
      SELECT row FROM place
      WHERE max_longitude >= ? AND min_longitude <= ? AND max_latitude >= ? AND min_latitude <= ?
        AND within_ring(longitude, latitude, ?)
    )`,
    values: [
      Math.min(...longitudes),
      Math.max(...longitudes),
      Math.min(...latitudes),
      Math.max(...latitudes),
      ringNumber(ring),
    ],
  }
}

/** Finds the texts with the prefix of the pattern in an index; then tests each text. */
function patternSql(
  query: Query & { kind: 'pattern' },
  { numbers, isMultiValued, matcherNumber }: QueryTables,
): SqlCondition {
  const number = numbers.of(query.field)
  const isElement = isMultiValued(query.field)
  const column = isElement ? 'value' : `o.${columnOf(number)}`
  const range = prefixRange(column, query.pattern)
  const sql = `${range.sql} AND matches(${column}, ?)`
  const values = [...range.values, matcherNumber(query)]
  return isElement
    ? {
        sql: `o.id IN (SELECT row FROM element WHERE field = ? AND ${sql})`,
        values: [number, ...values],
      }
    : { sql: `(${sql})`, values }
}
