/** Compiles the query tree to SQL over the table of its type, aliased `o`. */

import { toColumnValue } from '../../../query/compared-value.ts'
import { isPrefixPattern } from '../../../query/matching/pattern.ts'
import type { LinkedQuery, Query } from '../../../query/query.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { compileQuery } from '../../sql/compile/compile-query.ts'
import { jsonPath } from '../../sql/compile/json-path.ts'
import {
  gatherLinked,
  type LinkedRows,
  linkedAlias,
  probeLinked,
} from '../../sql/compile/linked-sql.ts'
import { patternText } from '../../sql/compile/pattern-text.ts'
import { beginsLike, compareProperty, propertyIn } from '../../sql/compile/property-sql.ts'
import { presenceOf } from '../../sql/compile/query-fields.ts'
import {
  combine,
  FALSE,
  negate,
  OPERATORS,
  type SqlCondition,
} from '../../sql/compile/sql-condition.ts'
import { toTermCondition } from '../../sql/text/text-condition.ts'
import { arrayText, columnText } from '../catalogue/column-codec.ts'
import { elementColumnOf } from '../catalogue/field-columns.ts'
import { objectIdsSql } from '../catalogue/object-id-index.ts'
import { textSql as conditionSql } from '../text/text-condition.ts'
import { geoSql } from './geo-sql.ts'
import { intervalSql } from './interval-sql.ts'
import type { QueryTables } from './queried-types.ts'

export function querySql(query: Query, tables: QueryTables): SqlCondition {
  return compileQuery(query, {
    compare: (one) => compareSql(one, tables),
    isNull: (one) => isNullSql(one, tables),
    text: (one) => textSql(one, tables),
    pattern: (one) => patternSql(one, tables),
    geo: (one) => geoSql(one, tables),
    interval: (one) => intervalSql(one, tables),
    oneOf: (one) => oneOfSql(one, tables),
    objectIds: objectIdsSql,
    linked: (one) => linkedSql(one, tables),
  })
}

function isNullSql(
  { property, structField }: Query & { kind: 'isNull' },
  { numbers, objectType }: QueryTables,
): SqlCondition {
  const { indexed } = numbers.propertySql(property)
  if (structField === undefined) return { sql: `${indexed} IS NULL`, values: [] }
  const field = { property, structField }
  if (presenceOf(objectType, field) === 'entry') {
    const { indexed: indexedField } = numbers.propertySql(property, structField)
    return { sql: `${indexedField} IS NULL`, values: [] }
  }
  const isPresent: SqlCondition = { sql: `${indexed} IS NOT NULL`, values: [] }
  // The path leads through arrays as well.
  const hasValue: SqlCondition = {
    sql: 'jsonb_path_exists(o.body::jsonb, ?::jsonpath)',
    values: [jsonPath(field)],
  }
  return negate(combine('and', [isPresent, hasValue]))
}

function compareSql(
  { field, operator, value: compared }: Query & { kind: 'compare' },
  { numbers }: QueryTables,
): SqlCondition {
  const { number, valueType = 'text', elementType } = numbers.find(field)
  const value = columnText(elementType ?? valueType, toColumnValue(compared))
  if (elementType === undefined) {
    const property = numbers.propertySql(field.property, field.structField)
    return compareProperty(property, operator, value)
  }
  const elements = `o.${elementColumnOf(number)}`
  return {
    // The index of an array supports only equality.
    sql:
      operator === 'eq'
        ? `${elements} @> ARRAY[?]::${elementType}[]`
        : `EXISTS (SELECT 1 FROM unnest(${elements}) AS element WHERE element ${OPERATORS[operator]} ?)`,
    values: [value],
  }
}

function oneOfSql(
  { field, values }: Query & { kind: 'oneOf' },
  { numbers }: QueryTables,
): SqlCondition {
  const { number, valueType = 'text', elementType } = numbers.find(field)
  const columnValues = values.map(toColumnValue)
  if (elementType !== undefined) {
    return {
      sql: `o.${elementColumnOf(number)} && ?::${elementType}[]`,
      values: [arrayText(elementType, columnValues)],
    }
  }
  const property = numbers.propertySql(field.property, field.structField)
  return propertyIn(property, columnValues, (column, list) => ({
    sql: `${column} = ANY(?::${valueType}[])`,
    values: [arrayText(valueType, list)],
  }))
}

function linkedSql(query: LinkedQuery, tables: QueryTables): SqlCondition {
  const { linkedType, property, linkedProperty, of } = query
  const { links, depth, similarTerms } = tables
  const linked = links.tables.get(linkedType.rid)
  if (linked === undefined) return FALSE
  const inner: QueryTables = { ...linked, similarTerms, links, depth: depth + 1 }
  const rows: LinkedRows = {
    table: objectTable(linked.table),
    own: tables.numbers.propertySql(property),
    linked: inner.numbers.propertySql(linkedProperty),
    where: combine('and', [linked.visible, querySql(of, inner)]),
  }
  return (links.isGathered ? gatherLinked : probeLinked)(rows, linkedAlias(depth))
}

function textSql(query: Query & { kind: 'text' }, tables: QueryTables): SqlCondition {
  const condition = toTermCondition(query, tables)
  return condition === undefined ? FALSE : conditionSql(condition)
}

/** Finds the texts with the prefix of the pattern in an index; then tests each text. */
function patternSql(
  { field, pattern }: Query & { kind: 'pattern' },
  { numbers }: QueryTables,
): SqlCondition {
  const { number, elementType } = numbers.find(field)
  const expression = patternText(pattern, 'postgres')
  if (elementType !== undefined) {
    return {
      sql: `EXISTS (SELECT 1 FROM unnest(o.${elementColumnOf(number)}) AS element WHERE element ~ ?)`,
      values: [expression],
    }
  }
  const property = numbers.propertySql(field.property, field.structField)
  const range = beginsLike(property, pattern)
  if (isPrefixPattern(pattern)) return range
  return { sql: `(${range.sql} AND ${property.value} ~ ?)`, values: [...range.values, expression] }
}
