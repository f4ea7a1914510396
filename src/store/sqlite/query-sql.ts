import { toColumnValue } from '../../query/fields.ts'
import type { Comparison, Field, Position, Query } from '../../query/query.ts'
import { columnOf, type FieldNumbers } from './field-numbers.ts'
import { fieldPrefix, indexedTerm, matchExpression, type TermPrefix } from './text-index.ts'

/** The query tree as SQL over the table of its type, aliased `o`. Values are bound, never written. */

export type SqlValue = string | number | bigint

export interface SqlCondition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export interface QueryTables {
  readonly numbers: FieldNumbers
  /** The fields that hold text. */
  readonly textFields: readonly Field[]
  /** Whether the values of a field stand in the table of elements. */
  readonly isElement: (field: Field) => boolean
  /** Bounds that the place of the last page makes needless: hidden, so that its own bound is used. */
  readonly passed: { readonly field: number; readonly operators: readonly Comparison[] } | undefined
  /** For a fuzzy term, the terms of the vocabulary that may stand for it. */
  readonly similarTerms: (term: string, prefix: TermPrefix) => readonly string[]
}

const OPERATORS: Readonly<Record<Comparison, string>> = {
  eq: '=',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}

export function querySql(query: Query, tables: QueryTables): SqlCondition {
  switch (query.kind) {
    case 'everything':
      return { sql: 'TRUE', values: [] }
    case 'and':
    case 'or':
      return combine(query.kind, query.of, tables)
    case 'not': {
      const { sql, values } = querySql(query.of, tables)
      // Two-valued: what is unknown, because a value is missing, counts as false.
      return { sql: `(${sql}) IS NOT TRUE`, values }
    }
    case 'compare':
      return compareSql(query, tables)
    case 'isNull': {
      const field = { property: query.property, structField: undefined }
      return { sql: `o.${columnOf(tables.numbers.of(field))} IS NULL`, values: [] }
    }
    case 'text':
      return textSql(query, tables)
    case 'withinPolygon':
      return polygonSql(query.ring)
  }
}

function combine(kind: 'and' | 'or', queries: readonly Query[], tables: QueryTables): SqlCondition {
  const parts = queries.map((query) => querySql(query, tables))
  const [word, none] = kind === 'and' ? [' AND ', 'TRUE'] : [' OR ', 'FALSE']
  return {
    sql: parts.length === 0 ? none : `(${parts.map(({ sql }) => sql).join(word)})`,
    values: parts.flatMap(({ values }) => values),
  }
}

function compareSql(
  { field, operator, value: compared }: Query & { kind: 'compare' },
  { numbers, isElement, passed }: QueryTables,
): SqlCondition {
  const number = numbers.of(field)
  const sign = OPERATORS[operator]
  const value = toColumnValue(compared)
  if (!isElement(field)) {
    // A plus sign keeps a condition from being used as the bound of an index walk.
    const hidden = passed?.field === number && passed.operators.includes(operator)
    return { sql: `${hidden ? '+' : ''}o.${columnOf(number)} ${sign} ?`, values: [value] }
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
  if (prefixes.length === 0) return { sql: 'FALSE', values: [] }
  const alternatives = terms.map((term) =>
    prefixes.flatMap((prefix) =>
      [term, ...(fuzzy ? tables.similarTerms(term, prefix) : [])].map((one) =>
        indexedTerm(prefix, one),
      ),
    ),
  )
  return {
    sql: 'o.id IN (SELECT rowid FROM term WHERE term MATCH ?)',
    values: [matchExpression(match, alternatives)],
  }
}

/** The box of the ring through the R-tree, which rounds outwards; then each point exactly. */
function polygonSql(ring: readonly Position[]): SqlCondition {
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
      JSON.stringify(ring),
    ],
  }
}
