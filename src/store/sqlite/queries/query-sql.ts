/** Compiles the query tree to SQL over the table of its type, aliased `o`. */

import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { toColumnValue } from '../../../query/compared-value.ts'
import { isPrefixPattern } from '../../../query/matching/pattern.ts'
import type { Box } from '../../../query/matching/shape.ts'
import type { LinkedQuery, Query } from '../../../query/query.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { compileQuery, type QueryDialect } from '../../sql/compile/compile-query.ts'
import { jsonPath } from '../../sql/compile/json-path.ts'
import {
  gatherLinked,
  type LinkedRows,
  linkedAlias,
  probeLinked,
} from '../../sql/compile/linked-sql.ts'
import {
  beginsLike,
  compareProperty,
  plainProperty,
  propertyIn,
  sortColumn,
  sortValue,
} from '../../sql/compile/property-sql.ts'
import { areaBoxes, isGeoPoint, presenceOf } from '../../sql/compile/query-fields.ts'
import {
  combine,
  FALSE,
  negate,
  OPERATORS,
  type SqlCondition,
  type SqlValue,
} from '../../sql/compile/sql-condition.ts'
import { resolveRule } from '../../sql/text/interval-terms.ts'
import { searchedFields, toTermCondition } from '../../sql/text/text-condition.ts'
import { fieldPrefix } from '../../sql/text/text-index.ts'
import { propertyIndexName } from '../catalogue/table-indexes.ts'
import { objectIdsSql, planIds } from './object-ids-sql.ts'
import type { LinkedPlan, QueryTables } from './query-tables.ts'

export function querySql(query: Query, tables: QueryTables): SqlCondition {
  const counted: QueryTables = { ...tables, redundantBounds: undefined, isKeyWalk: false }
  const { maxFoundIds, instead } = planIds(query, tables, (one) => querySql(one, counted))
  // No index finds the rows of a negation. If few rows are read, their ids are compared with a list.
  const maxExcludedIds = tables.expectsFewRows ? 0 : maxFoundIds
  const condition = compileQuery(query, {
    ...toDialect({ ...tables, maxFoundIds }),
    negated: toDialect({ ...tables, maxFoundIds: maxExcludedIds }),
  })
  return instead === undefined ? condition : combine('and', [instead, condition])
}

function toDialect(tables: QueryTables): QueryDialect {
  return {
    compare: (one) => compareSql(one, tables),
    isNull: (one) => isNullSql(one, tables),
    text: (one) => textSql(one, tables),
    pattern: (one) => patternSql(one, tables),
    geo: (one) => geoSql(one, tables),
    interval: (one) => intervalSql(one, tables),
    oneOf: (one) => oneOfSql(one, tables),
    objectIds: (ids) => objectIdsSql(ids, tables),
    linked: (one) => linkedSql(one, tables),
  }
}

function isNullSql(
  { property, structField }: Query & { kind: 'isNull' },
  { numbers, objectType, matcherNumber }: QueryTables,
): SqlCondition {
  const { indexed } = numbers.propertySql(property)
  if (structField === undefined) return { sql: `${indexed} IS NULL`, values: [] }
  const field = { property, structField }
  switch (presenceOf(objectType, field)) {
    case 'entry': {
      const { indexed: indexedField } = numbers.propertySql(property, structField)
      return { sql: `${indexedField} IS NULL`, values: [] }
    }
    case 'inBody':
      return { sql: 'o.body -> ? IS NULL', values: [jsonPath(field)] }
    case 'inArrays': {
      const isPresent: SqlCondition = { sql: `${indexed} IS NOT NULL`, values: [] }
      const hasValue: SqlCondition = {
        sql: 'matches(o.body -> ?, ?)',
        values: [jsonPath({ property }), matcherNumber({ kind: 'present', structField })],
      }
      return negate(combine('and', [isPresent, hasValue]))
    }
  }
}

function compareSql(
  { field, operator, value: compared }: Query & { kind: 'compare' },
  { numbers, isMultiValued, redundantBounds, isKeyWalk }: QueryTables,
): SqlCondition {
  const number = numbers.of(field)
  const sign = OPERATORS[operator]
  const value = toColumnValue(compared)
  if (!isMultiValued(field)) {
    const property = numbers.propertySql(field.property, field.structField)
    const isHidden =
      redundantBounds?.field === number && redundantBounds.operators.includes(operator)
    // The plus sign stops SQLite from using a condition as the bound of an index walk.
    if (isHidden) {
      return { sql: `+${sortColumn(property)} ${sign} ?`, values: [sortValue(property, value)] }
    }
    // What the index holds of a long text would have to be computed for each row.
    if (isKeyWalk && operator !== 'eq' && property.form === 'prefix') {
      return { sql: `${property.value} ${sign} ?`, values: [value] }
    }
    return compareProperty(property, operator, value)
  }
  return {
    sql: `o.id IN (SELECT row FROM oqs_element WHERE field = ? AND value ${sign} ?)`,
    values: [number, value],
  }
}

function oneOfSql(
  { field, values }: Query & { kind: 'oneOf' },
  { numbers, isMultiValued }: QueryTables,
): SqlCondition {
  const columnValues = values.map(toColumnValue)
  if (!isMultiValued(field)) {
    const property = numbers.propertySql(field.property, field.structField)
    return propertyIn(property, columnValues, inList)
  }
  const isListed = inList('oqs_element.value', columnValues)
  return {
    sql: `o.id IN (SELECT row FROM oqs_element WHERE field = ? AND ${isListed.sql})`,
    values: [numbers.of(field), ...isListed.values],
  }
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

function linkedSql(query: LinkedQuery, tables: QueryTables): SqlCondition {
  const { linkedType, property, linkedProperty } = query
  const linked = tables.linkedTable(linkedType)
  if (linked === undefined) return FALSE
  const { linkedPlan, depth, numbers } = tables
  const { kind, maxGathered } = linkedPlan
  const table = objectTable(linked.table)
  const linkedColumn = linked.tables.numbers.propertySql(linkedProperty)
  const matching = (plan: LinkedPlan) =>
    querySql(query.of, {
      ...linked.tables,
      linkedPlan: plan,
      expectsFewRows: plan.kind === 'filter',
      depth: depth + 1,
    })
  const rows = (where: SqlCondition): LinkedRows => ({
    table,
    own: numbers.propertySql(property),
    linked: linkedColumn,
    where: combine('and', [linked.visible, where]),
  })
  const found = matching({ kind: 'find', maxGathered })
  // Without the visibility, an index alone can count.
  const counted = { sql: `SELECT 1 FROM ${table} AS o WHERE ${found.sql}`, values: found.values }
  const field = { property: linkedProperty, structField: undefined }
  const canProbe = linked.tables.numbers.isIndexed(field)
  if (canProbe && !linked.tables.hasAtMost(counted, maxGathered)) {
    const hint = ` INDEXED BY ${propertyIndexName(table, linkedColumn)}`
    return probeLinked(rows(matching({ kind: 'filter', maxGathered })), linkedAlias(depth), hint)
  }
  const { sql, values } = gatherLinked(rows(found), linkedAlias(depth))
  // The plus sign stops SQLite from finding rows by this condition, which is not in key order.
  return { sql: kind === 'filter' ? `+${sql}` : sql, values }
}

/** Texts are tested in JavaScript. */
function textSql(query: Query & { kind: 'text' }, tables: QueryTables): SqlCondition {
  const condition = toTermCondition(query, tables)
  if (condition === undefined) return FALSE
  const fields = searchedFields(query, tables)
  const matcher = tables.matcherNumber({ kind: 'terms', condition, fields })
  return { sql: 'matches(o.body, ?)', values: [matcher] }
}

/** Finds the texts with the prefix of the pattern in an index; then tests each, if there is more to it. */
function patternSql(
  query: Query & { kind: 'pattern' },
  { numbers, isMultiValued, matcherNumber }: QueryTables,
): SqlCondition {
  const { property: name, structField } = query.field
  const number = numbers.of(query.field)
  const isElement = isMultiValued(query.field)
  const property = isElement ? plainProperty('value') : numbers.propertySql(name, structField)
  const range = beginsLike(property, query.pattern)
  const { sql, values } = isPrefixPattern(query.pattern)
    ? range
    : combine('and', [
        range,
        { sql: `matches(${property.value}, ?)`, values: [matcherNumber(query)] },
      ])
  return isElement
    ? {
        sql: `o.id IN (SELECT row FROM oqs_element WHERE field = ? AND ${sql})`,
        values: [number, ...values],
      }
    : { sql: `(${sql})`, values }
}

/** Geopoints and geoshapes are both tested in JavaScript, on the JSON of the property. */
function geoSql(
  query: Query & { kind: 'geo' },
  { numbers, objectType, matcherNumber }: QueryTables,
): SqlCondition {
  const { property } = query.field
  const test: SqlCondition = {
    sql: 'matches(o.body -> ?, ?)',
    values: [jsonPath({ property }), matcherNumber(query)],
  }
  if (isGeoPoint(objectType, query.field) && query.relation !== 'disjoint') {
    return combine('and', [combine('or', areaBoxes(query.area).map(positionSql)), test])
  }
  const { indexed } = numbers.propertySql(property)
  return combine('and', [{ sql: `${indexed} IS NOT NULL`, values: [] }, test])
}

/** Finds the rows with a position in a box. The R-tree rounds outwards, and has all fields. */
function positionSql([west, south, east, north]: Box): SqlCondition {
  return {
    sql: `o.id IN (
      SELECT row FROM oqs_place
      WHERE max_longitude >= ? AND min_longitude <= ? AND max_latitude >= ? AND min_latitude <= ?
    )`,
    values: [west, east, south, north],
  }
}

/** Terms that are near each other. */
function intervalSql(
  { field, rule }: Query & { kind: 'interval' },
  { numbers, isMultiValued, matcherNumber, similarTerms }: QueryTables,
): SqlCondition {
  const number = numbers.of(field)
  const prefix = fieldPrefix(number)
  const resolved = resolveRule(rule, (terms, edits) => similarTerms(terms, prefix, edits))
  if (resolved === undefined) return FALSE
  const matcher = matcherNumber({ kind: 'resolvedInterval', rule: resolved })
  if (isMultiValued(field)) {
    return {
      sql: `EXISTS (
        SELECT 1 FROM oqs_element WHERE row = o.id AND field = ? AND matches(value, ?)
      )`,
      values: [number, matcher],
    }
  }
  const { value } = numbers.propertySql(field.property, field.structField)
  return { sql: `matches(${value}, ?)`, values: [matcher] }
}
