/** Compiles the query tree to SQL over the table of its type, aliased `o`. */
import { toColumnValue } from '../../../query/compared-value.ts'
import type { Comparison, Field, Position, Query } from '../../../query/query.ts'
import { compileQuery } from '../../sql/compile-query.ts'
import { columnOf, type FieldNumbers } from '../../sql/field-numbers.ts'
import { prefixRange } from '../../sql/prefix-range.ts'
import { type SimilarTerms, termAlternatives } from '../../sql/similar-terms.ts'
import { FALSE, OPERATORS, type SqlCondition } from '../../sql/sql-condition.ts'
import { fieldPrefix, type TermPrefix } from '../../sql/text-index.ts'
import { matchExpression } from '../writes/text-index.ts'
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
  /** Returns, for each fuzzy term, the terms of a field that match it. */
  readonly similarTerms: (terms: readonly string[], prefix: TermPrefix) => SimilarTerms
}

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
