/**
 * Tests rows one by one: the conditions of a query for types that have no columns. A database hands
 * over the rows that an index finds, or all of them.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { hasValueAt } from '../../../ontology/values/values-at.ts'
import { toColumnValue } from '../../../query/compared-value.ts'
import { intervalTest } from '../../../query/matching/interval.ts'
import { geoTest } from '../../../query/matching/match-geo.ts'
import type { ComparedValue, Comparison, Field, LinkedQuery, Query } from '../../../query/query.ts'
import { resolveField } from '../../../query/resolve-field.ts'
import { patternTest } from '../../sql/compile/pattern-test.ts'
import { resolveRule } from '../../sql/text/interval-terms.ts'
import {
  type SearchedTables,
  searchedFields,
  toTermCondition,
} from '../../sql/text/text-condition.ts'
import { cutText, fieldPrefix } from '../../sql/text/text-index.ts'
import { compareTexts } from '../page/local-order.ts'
import type { FieldValue } from '../segment/column-builder.ts'
import { textTest } from './text-test.ts'

/** Returns what a row has. A row is whatever a database returns for one. */
type Read<Row, Value> = (row: Row) => Value

/** How the parts of rows are read that conditions are about. */
export interface RowReader<Row> extends SearchedTables {
  readonly objectType: ObjectType
  /** The column value of a field, or those of a list. */
  values(field: Field): Read<Row, FieldValue>
  hasProperty(property: string): Read<Row, boolean>
  /** The JSON text of a property. */
  propertyJson(property: string): Read<Row, string | undefined>
  /** The JSON text of all properties. */
  body(): Read<Row, string>
  objectId(): Read<Row, string>
  /** Whether the object has a link to one that matches. */
  isLinked(query: LinkedQuery): Read<Row, boolean>
}

export type RowTest<Row> = Read<Row, boolean>

export function rowTest<Row>(query: Query, reader: RowReader<Row>): RowTest<Row> {
  switch (query.kind) {
    case 'everything':
      return () => true
    case 'and': {
      const tests = query.of.map((one) => rowTest(one, reader))
      return (row) => tests.every((test) => test(row))
    }
    case 'or': {
      const tests = query.of.map((one) => rowTest(one, reader))
      return (row) => tests.some((test) => test(row))
    }
    case 'not': {
      const test = rowTest(query.of, reader)
      return (row) => !test(row)
    }
    case 'compare':
      return amongTexts(
        query.operator === 'eq' ? [query.value] : [],
        query.field,
        reader,
        anyValue(query.field, reader, comparison(query.operator, toColumnValue(query.value))),
      )
    case 'oneOf': {
      // The same number can be a bigint.
      const among = new Set(query.values.map((value) => String(toColumnValue(value))))
      const test = anyValue(query.field, reader, (value) => among.has(String(value)))
      return amongTexts(query.values, query.field, reader, test)
    }
    case 'isNull':
      return isNullTest(query, reader)
    case 'pattern': {
      const test = patternTest(query.pattern)
      return anyValue(query.field, reader, (value) => test(String(value)))
    }
    case 'text':
      return termsTest(query, reader)
    case 'interval':
      return termOrderTest(query, reader)
    case 'geo': {
      const test = geoTest(query)
      const read = reader.propertyJson(query.field.property)
      return (row) => test(parsed(read(row)))
    }
    case 'objectIds': {
      const ids = new Set(query.ids)
      const read = reader.objectId()
      return (row) => ids.has(read(row))
    }
    case 'linked':
      return reader.isLinked(query)
    case 'relativeDates':
      throw new Error('relative dates must be resolved before the query reaches a store')
  }
}

/** An array of values satisfies a condition if one of them does. */
function anyValue<Row>(
  field: Field,
  reader: RowReader<Row>,
  test: (value: ColumnValue) => boolean,
): RowTest<Row> {
  const read = reader.values(field)
  return (row) => {
    const value = read(row)
    if (value === undefined) return false
    return Array.isArray(value) ? value.some(test) : test(value as ColumnValue)
  }
}

/** Up to this many texts are looked for before a list is read. */
const MAX_TEXTS = 10

/**
 * Tests only the rows whose body has one of the texts that a value of a list must equal: to look for
 * them takes a tenth of the time of reading the list.
 */
function amongTexts<Row>(
  values: readonly ComparedValue[],
  { property, structField }: Field,
  reader: RowReader<Row>,
  test: RowTest<Row>,
): RowTest<Row> {
  const resolved = resolveField(reader.objectType, property, structField)
  const isTextList = resolved?.isMultiValued === true && resolved.type === 'string'
  if (!isTextList || values.length === 0 || values.length > MAX_TEXTS) return test
  const texts = values.map((value) => JSON.stringify(value))
  const read = reader.body()
  return (row) => {
    const body = read(row)
    return texts.some((text) => body.includes(text)) && test(row)
  }
}

/** Returns a test in the order of databases: numbers, then NaN, which is a text; texts by code point. */
function comparison(operator: Comparison, value: ColumnValue): (value: ColumnValue) => boolean {
  const compare = typeof value === 'string' ? textComparer(value) : numberComparer(value)
  switch (operator) {
    case 'eq':
      return (one) => compare(one) === 0
    case 'lt':
      return (one) => compare(one) < 0
    case 'lte':
      return (one) => compare(one) <= 0
    case 'gt':
      return (one) => compare(one) > 0
    case 'gte':
      return (one) => compare(one) >= 0
  }
}

function numberComparer(value: number | bigint): (one: ColumnValue) => number {
  return (one) => {
    if (typeof one === 'string') return 1
    return one < value ? -1 : one > value ? 1 : 0
  }
}

function textComparer(value: string): (one: ColumnValue) => number {
  // If one of two texts has no code unit from there on, code units sort as code points do.
  const isPlain = /^[\0-\ud7ff]*$/.test(value)
  return (one) => {
    if (typeof one !== 'string') return -1
    if (!isPlain) return compareTexts(one, value)
    return one < value ? -1 : one > value ? 1 : 0
  }
}

function isNullTest<Row>(
  { property, structField }: Query & { kind: 'isNull' },
  reader: RowReader<Row>,
): RowTest<Row> {
  if (structField === undefined) {
    const has = reader.hasProperty(property)
    return (row) => !has(row)
  }
  const read = reader.propertyJson(property)
  return (row) => !hasValueAt(parsed(read(row)), structField)
}

function parsed(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json)
}

function termsTest<Row>(query: Query & { kind: 'text' }, reader: RowReader<Row>): RowTest<Row> {
  const condition = toTermCondition(query, reader)
  if (condition === undefined) return () => false
  const test = textTest({ condition, fields: searchedFields(query, reader) })
  const read = reader.body()
  return (row) => test(read(row))
}

/** Terms that are near each other. */
function termOrderTest<Row>(
  { field, rule }: Query & { kind: 'interval' },
  reader: RowReader<Row>,
): RowTest<Row> {
  const prefix = fieldPrefix(reader.numbers.of(field))
  const resolved = resolveRule(rule, (terms, edits) => reader.similarTerms(terms, prefix, edits))
  if (resolved === undefined) return () => false
  const test = intervalTest(resolved)
  return anyValue(field, reader, (value) => {
    const { terms, wholes } = cutText(String(value))
    // A term without a position is a text of its own.
    return test(terms) || wholes.some((whole) => test([whole]))
  })
}
