import { ObjectQueryError } from '../contract/errors.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { RefusedValue } from '../ontology/values/refused-value.ts'
import {
  isEquatable,
  isOrdered,
  type ResolvedField,
  readComparedValue,
  resolveField,
} from './fields.ts'
import { type Comparison, EVERYTHING, type Query } from './query.ts'
import type { QueryBudget } from './query-budget.ts'
import { refuseUpsideDown } from './ranges.ts'

/** Filters in the query string of a listing: `properties.x.eq=5`, or `p.x.eq=5` for short. */

export type QueryString = readonly (readonly [name: string, value: string])[]

const FILTER = /^(?:properties|p)\./

export function isPropertyFilter(name: string): boolean {
  return FILTER.test(name)
}

const RANGES: readonly string[] = ['lt', 'lte', 'gt', 'gte']
const OPERATORS: readonly string[] = ['eq', 'neq', 'contains', 'isNull', ...RANGES]

interface Filter {
  readonly written: string
  readonly resolved: ResolvedField
  readonly property: string
  readonly operator: string
  readonly values: readonly string[]
}

/** All filters must hold; several values of eq and contains mean any of them, of neq none. */
export function parsePropertyFilters(
  parameters: QueryString,
  objectType: ObjectType,
  budget: QueryBudget,
): Query {
  // Counted before anything is looked up or sorted, which costs more than counting.
  budget.spendTerms(parameters.length)
  const filters = collect(parameters, objectType)
  if (filters.length === 0) return EVERYTHING
  const queries = filters.map((filter) => {
    for (const value of filter.values) budget.checkText(filter.written, value)
    return toQuery(filter)
  })
  refuseUpsideDown(queries, objectType)
  return queries.length === 1 ? (queries[0] ?? EVERYTHING) : { kind: 'and', of: queries }
}

/** In a fixed order, so that the order of the parameters does not change the request. */
function collect(parameters: QueryString, objectType: ObjectType): Filter[] {
  const filters = new Map<string, Filter & { readonly values: string[] }>()
  for (const [written, value] of parameters) {
    const name = readName(written, objectType)
    // However it was written: p. and properties. and the case of the name make no difference.
    const key = `${name.property}:${name.operator}`
    const values = filters.get(key)?.values ?? []
    values.push(value)
    filters.set(key, { ...name, written, values })
  }
  for (const { values } of filters.values()) values.sort()
  return [...filters.keys()].sort().flatMap((key) => filters.get(key) ?? [])
}

function readName(written: string, objectType: ObjectType) {
  const name = written.replace(FILTER, '')
  const at = name.lastIndexOf('.')
  const operator = name.slice(at + 1)
  if (at < 1 || !OPERATORS.includes(operator)) {
    throw new ObjectQueryError('MalformedPropertyFilters', { malformedPropertyFilter: written })
  }
  const property = findProperty(name.slice(0, at), objectType)
  const resolved = resolveField(objectType, property, undefined)
  if (resolved === undefined) throw notFound(property, objectType)
  return { property, resolved, operator }
}

/** Names in a URL do not mind case, unless that makes them ambiguous. */
function findProperty(name: string, objectType: ObjectType): string {
  if (objectType.properties.has(name)) return name
  const only = lowerCaseNames(objectType).get(name.toLowerCase())
  if (only === undefined) throw notFound(name, objectType)
  return only
}

const namesOfTypes = new WeakMap<ObjectType, ReadonlyMap<string, string | undefined>>()

/** The properties of a type by their names in lower case; undefined where two have the same. */
function lowerCaseNames(objectType: ObjectType): ReadonlyMap<string, string | undefined> {
  let names = namesOfTypes.get(objectType)
  if (names === undefined) {
    const byLowerCase = new Map<string, string | undefined>()
    for (const name of objectType.properties.keys()) {
      const lower = name.toLowerCase()
      byLowerCase.set(lower, byLowerCase.has(lower) ? undefined : name)
    }
    names = byLowerCase
    namesOfTypes.set(objectType, names)
  }
  return names
}

function notFound(property: string, { apiName }: ObjectType): ObjectQueryError {
  return new ObjectQueryError('PropertiesNotFound', { objectType: apiName, properties: [property] })
}

function toQuery(filter: Filter): Query {
  const { operator, resolved, property, values } = filter
  if (operator === 'isNull') return nullQuery(filter)
  const supported =
    operator === 'contains'
      ? resolved.many && isEquatable(resolved)
      : !resolved.many &&
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
  const isNull: Query = { kind: 'isNull', property: filter.property }
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
