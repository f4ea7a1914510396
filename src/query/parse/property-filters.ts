/**
 * Parses the filters in the query string of a list request: `properties.x.eq=5`, or `p.x.eq=5`; of a
 * field of a struct, `properties.address.city.eq=Bern`.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { readComparedValue } from '../compared-value.ts'
import { type Comparison, EVERYTHING, type Query } from '../query.ts'
import {
  definedField,
  findField,
  isEquatable,
  isOrdered,
  type ResolvedField,
  resolveField,
} from '../resolve-field.ts'
import { type PropertyFinder, propertyFinder } from '../selection.ts'
import type { QueryBudget } from './query-budget.ts'
import { refuseInvertedRanges } from './refuse-inverted-ranges.ts'

export type QueryString = readonly (readonly [name: string, value: string])[]

/** The beginning of every filter. */
export const FILTER = /^(?:properties|p)\./

const RANGES: readonly string[] = ['lt', 'lte', 'gt', 'gte']
export const FILTER_OPERATORS: readonly string[] = ['eq', 'neq', 'contains', 'isNull', ...RANGES]

interface Filter {
  readonly written: string
  readonly resolved: ResolvedField
  readonly property: string
  readonly operator: string
  readonly values: readonly string[]
}

/** Combines all filters with and. Several values of eq or contains match any; of neq, none. */
export function parsePropertyFilters(
  parameters: QueryString,
  objectType: ObjectType,
  budget: QueryBudget,
): Query {
  // Before any lookup or sorting, which cost more than counting.
  budget.spendTerms(parameters.length)
  const filters = groupFilters(parameters, objectType)
  if (filters.length === 0) return EVERYTHING
  const queries = filters.map((filter) => {
    for (const value of filter.values) budget.checkText(filter.written, value)
    return toQuery(filter)
  })
  refuseInvertedRanges(queries, objectType)
  return queries.length === 1 ? (queries[0] ?? EVERYTHING) : { kind: 'and', of: queries }
}

/** Groups values by filter, sorted, so that the order of the parameters does not matter. */
function groupFilters(parameters: QueryString, objectType: ObjectType): Filter[] {
  const findProperty = propertyFinder(objectType)
  const filters = new Map<string, Filter & { readonly values: string[] }>()
  for (const [written, value] of parameters) {
    const name = parseName(written, objectType, findProperty)
    // Equal for both prefixes and for any case of the name.
    const key = `${name.property}:${name.operator}`
    const values = filters.get(key)?.values ?? []
    values.push(value)
    filters.set(key, { ...name, written, values })
  }
  for (const { values } of filters.values()) values.sort()
  return [...filters.keys()].sort().flatMap((key) => filters.get(key) ?? [])
}

function parseName(written: string, objectType: ObjectType, findProperty: PropertyFinder) {
  const name = written.replace(FILTER, '')
  const at = name.lastIndexOf('.')
  const operator = name.slice(at + 1)
  if (at < 1 || !FILTER_OPERATORS.includes(operator)) {
    throw new ObjectQueryError('MalformedPropertyFilters', { malformedPropertyFilter: written })
  }
  const writtenName = name.slice(0, at)
  const property = findProperty(writtenName)
  const field =
    property === undefined
      ? findField(objectType, writtenName)
      : { property, structField: undefined }
  const resolved = field && resolveField(objectType, field.property, field.structField)
  if (resolved === undefined) throw notFound(writtenName, objectType)
  return { property: property ?? writtenName, resolved, operator }
}

function notFound(property: string, { apiName }: ObjectType): ObjectQueryError {
  return new ObjectQueryError('PropertiesNotFound', { objectType: apiName, properties: [property] })
}

function toQuery(filter: Filter): Query {
  const { operator, resolved, property, values } = filter
  if (operator === 'isNull') return nullQuery(filter)
  const supported =
    operator === 'contains'
      ? resolved.isMultiValued && isEquatable(resolved)
      : !resolved.isMultiValued &&
        (RANGES.includes(operator)
          ? isOrdered(resolved) && resolved.type !== 'string'
          : isEquatable(resolved))
  if (!supported) {
    throw new ObjectQueryError('PropertyFiltersNotSupported', {
      propertyFilters: [operator],
      property,
    })
  }
  if (RANGES.includes(operator)) {
    refuseSeveral(filter)
    return comparison(filter, operator as Comparison, values[0] ?? '')
  }
  const any = values.map((value) => comparison(filter, 'eq', value))
  const query: Query = any.length === 1 ? (any[0] ?? EVERYTHING) : { kind: 'or', of: any }
  return operator === 'neq' ? { kind: 'not', of: query } : query
}

function comparison(
  { resolved, property, operator }: Filter,
  as: Comparison,
  value: string,
): Query {
  const { type, field } = resolved
  try {
    if (type === undefined) throw new RefusedValue('cannot be compared')
    return { kind: 'compare', field, operator: as, value: readComparedValue(type, value) }
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error
    throw invalidValue(property, operator, value, String(type))
  }
}

function nullQuery(filter: Filter): Query {
  refuseSeveral(filter)
  const [value = ''] = filter.values
  if (value !== 'true' && value !== 'false') {
    throw invalidValue(filter.property, 'isNull', value, 'boolean')
  }
  const isNull: Query = { kind: 'isNull', ...definedField(filter.resolved.field) }
  return value === 'true' ? isNull : { kind: 'not', of: isNull }
}

function refuseSeveral({ values, operator, property }: Filter): void {
  if (values.length > 1) {
    throw new ObjectQueryError('MultiplePropertyValuesNotSupported', {
      propertyFilter: operator,
      property,
    })
  }
}

function invalidValue(
  property: string,
  propertyFilter: string,
  value: string,
  expectedType: string,
) {
  return new ObjectQueryError('InvalidPropertyFilterValue', {
    property,
    propertyFilter,
    propertyFilterValue: value,
    expectedType,
  })
}
