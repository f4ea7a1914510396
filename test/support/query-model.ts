/**
 * The reference model of queries: evaluates requests, in the form that clients send, over arrays of
 * objects. It shares no code with the service, so that the two can disagree.
 */

import type { PropertyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import type { ScalarType } from '../../src/ontology/definition/property-type.ts'
import { isInOrOnRing, type RingCorner } from './query-ring.ts'
import { hasTerms, type TextMatch } from './query-terms.ts'
import { compareValues } from './query-values.ts'
import { holdsWhere, TEXT_QUERIES } from './where-model.ts'

export interface ModelType {
  readonly primaryKey: string
  /** In the order of the definition. */
  readonly properties: ReadonlyMap<string, PropertyDefinition>
}

/** The properties of an object in canonical JSON, without nulls. */
export type Properties = Readonly<Record<string, unknown>>

export interface ModelOrderTerm {
  readonly property: string
  readonly direction: 'asc' | 'desc'
  readonly nulls: 'first' | 'last'
}

/** The condition of a request: the query of a search, or the filters of a list request. */
export type RequestCondition =
  | { readonly as: 'search 1.0'; readonly query: RequestQuery }
  | { readonly as: 'search 2.0'; readonly query: RequestQuery }
  | { readonly as: 'where'; readonly query: RequestQuery }
  | { readonly as: 'listing'; readonly filters: readonly (readonly [string, string])[] }

export type RequestQuery = Readonly<Record<string, unknown>> & { readonly type: string }

/** Returns the matching objects in order. */
export function evaluate(
  type: ModelType,
  objects: Iterable<Properties>,
  condition: RequestCondition,
  order: readonly ModelOrderTerm[],
): Properties[] {
  return [...objects]
    .filter((object) => isMatch(type, object, condition))
    .sort((a, b) => compareObjects(type, order, a, b))
}

/** Returns the selected properties of an object; an empty selection means all. */
export function select(
  type: ModelType,
  object: Properties,
  selection: readonly string[],
): Properties {
  if (selection.length === 0) return object
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => name === type.primaryKey || selection.includes(name)),
  )
}

/** Compares objects term by term, then by key in the direction of the last term. */
export function compareObjects(
  type: ModelType,
  order: readonly ModelOrderTerm[],
  a: Properties,
  b: Properties,
): number {
  const total: readonly ModelOrderTerm[] = [
    ...order,
    {
      property: type.primaryKey,
      direction: order.at(-1)?.direction ?? 'asc',
      nulls: 'last',
    },
  ]
  for (const { property, direction, nulls } of total) {
    const [left, right] = [own(a, property), own(b, property)]
    if (left === undefined || right === undefined) {
      const missing = Number(left === undefined) - Number(right === undefined)
      if (missing !== 0) return nulls === 'last' ? missing : -missing
      continue
    }
    const compared = compareValues(scalarOf(type, property), left, right)
    if (compared !== 0) return direction === 'asc' ? compared : -compared
  }
  return 0
}

export function isMatch(type: ModelType, object: Properties, condition: RequestCondition): boolean {
  if (condition.as === 'listing') return passesFilters(type, object, condition.filters)
  return holds(type, object, condition.query, findFieldOf(condition))
}

/** Returns the error that the service must answer: inverted ranges are refused. */
export function refusalOf(
  type: ModelType,
  condition: RequestCondition,
): 'InvalidRangeQuery' | undefined {
  if (condition.as === 'listing') return undefined
  const findField = findFieldOf(condition)
  const isInverted = (query: RequestQuery): boolean => {
    const inner = [query['value']].flat() as RequestQuery[]
    if (query.type === 'not' || query.type === 'or') return inner.some(isInverted)
    if (query.type !== 'and') return false
    const bounds = inner.filter(({ type: operator }) => /^[lg]te?$/.test(operator))
    return inner.some(isInverted) || bounds.some((low) => bounds.some((high) => cross(low, high)))
  }
  const cross = (low: RequestQuery, high: RequestQuery): boolean => {
    const { property, structField } = findField(type, low)
    const other = findField(type, high)
    const definition = type.properties.get(property)
    const isSame = property === other.property && structField === other.structField
    if (!isSame || definition === undefined) return false
    // Of several values, one can be small and another large.
    const { type: scalar } = definition
    if (structField !== undefined || scalar === 'array' || scalar === 'struct') return false
    if (!low.type.startsWith('g') || !high.type.startsWith('l')) return false
    return compareValues(scalar, low['value'], high['value']) > 0
  }
  return isInverted(condition.query) ? 'InvalidRangeQuery' : undefined
}

/** Returns a property, ignoring those that every JavaScript object inherits. */
export function own(object: Properties, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function holds(
  type: ModelType,
  object: Properties,
  query: RequestQuery,
  findField: FindField,
): boolean {
  const inner = (value: unknown) => holds(type, object, value as RequestQuery, findField)
  const field = () => findField(type, query)
  switch (query.type) {
    case 'empty':
      return true
    case 'and':
      return (query['value'] as unknown[]).every(inner)
    case 'or':
      return (query['value'] as unknown[]).some(inner)
    case 'not':
      return !inner(query['value'])
    case 'eq':
    case 'contains':
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return compares(type, object, field(), query.type, query['value'])
    case 'isNull':
      return (own(object, field().property) === undefined) === query['value']
    case 'phrase':
    case 'prefix':
    case 'anyTerm':
    case 'allTerms': {
      const values = valuesOf(type, object, field()).map(({ value }) => String(value))
      return hasText(values, query.type, String(query['value']), query['fuzzy'] === true)
    }
    case 'in': {
      const operands = query['value'] as unknown[]
      return (
        operands.length === 0 ||
        operands.some((operand) => compares(type, object, field(), 'eq', operand))
      )
    }
    case 'containsAllTerms':
    case 'containsAnyTerm':
    case 'containsAllTermsInOrder':
    case 'containsAllTermsInOrderPrefixLastTerm':
    case 'startsWith': {
      const values = valuesOf(type, object, field()).map(({ value }) => String(value))
      const match = TEXT_QUERIES[query.type]
      return hasText(values, match, String(query['value']), query['fuzzy'] === true)
    }
    case 'keyword': {
      return hasTerms('allTerms', textsOf(type, object), String(query['query']), false)
    }
    case 'geoPointWithin':
      return pointsOf(type, object).some((point) =>
        isInOrOnRing(point, query['polygon'] as RingCorner[]),
      )
    default:
      return holdsWhere(
        query,
        valuesOf(type, object, field()).map(({ value }) => value),
      )
  }
}

/** True if the values match a text query. `allTerms` may spread over values, phrases may not. */
function hasText(
  values: readonly string[],
  match: TextMatch,
  queryText: string,
  fuzzy: boolean,
): boolean {
  return hasTerms(match, values, queryText, fuzzy)
}

function compares(
  type: ModelType,
  object: Properties,
  field: FieldName,
  operator: string,
  operand: unknown,
): boolean {
  return valuesOf(type, object, field).some(({ type: scalar, value }) => {
    const compared = compareValues(scalar, value, operand)
    switch (operator) {
      case 'lt':
        return compared < 0
      case 'lte':
        return compared <= 0
      case 'gt':
        return compared > 0
      case 'gte':
        return compared >= 0
      default:
        return compared === 0
    }
  })
}

/** All filters must hold; several values of one filter are alternatives. */
function passesFilters(
  type: ModelType,
  object: Properties,
  filters: readonly (readonly [string, string])[],
): boolean {
  const grouped = new Map<string, { field: FieldName; operator: string; values: string[] }>()
  for (const [name, value] of filters) {
    const [, written = '', operator = ''] = /^(?:p|properties)\.(.+)\.(\w+)$/.exec(name) ?? []
    const property = type.properties.has(written)
      ? written
      : [...type.properties.keys()].find((key) => key.toLowerCase() === written.toLowerCase())
    if (property === undefined) throw new Error(`the model does not know ${name}`)
    const id = `${property} ${operator}`
    const group = grouped.get(id) ?? { field: { property }, operator, values: [] }
    group.values.push(value)
    grouped.set(id, group)
  }
  return [...grouped.values()].every(({ field, operator, values }) => {
    const some = (as: string) => values.some((value) => compares(type, object, field, as, value))
    if (operator === 'isNull') {
      return (own(object, field.property) === undefined) === (values[0] === 'true')
    }
    return operator === 'neq' ? !some('eq') : some(operator)
  })
}

interface FieldName {
  readonly property: string
  readonly structField?: string | undefined
}

type FindField = (type: ModelType, query: RequestQuery) => FieldName

function findFieldOf({ as }: RequestCondition): FindField {
  if (as === 'where') return findWhereField
  const find = as === 'search 1.0' ? findField1 : findField2
  return (type, query) => find(type, String(query['field']))
}

/** A bare name, or an identifier. */
function findWhereField(type: ModelType, query: RequestQuery): FieldName {
  const identifier = query['propertyIdentifier'] as Record<string, string> | undefined
  if (identifier === undefined) return { property: String(query['field']) }
  switch (identifier['type']) {
    case 'structField':
      return {
        property: String(identifier['propertyApiName']),
        structField: identifier['structFieldApiName'],
      }
    case 'primaryKeyProperty':
      return { property: type.primaryKey }
    default:
      return { property: String(identifier['apiName']) }
  }
}

/** `properties.NAME` or `properties.NAME.FIELD`; names can contain periods, the longest wins. */
export function findField1(type: ModelType, written: string): FieldName {
  const name = written.replace(/^properties\./, '')
  if (type.properties.has(name)) return { property: name }
  const [property] = [...type.properties]
    .filter(([key, definition]) => {
      const fields = structFields(definition)
      return name.startsWith(`${key}.`) && fields?.has(name.slice(key.length + 1)) === true
    })
    .map(([key]) => key)
    .sort((a, b) => b.length - a.length)
  if (property === undefined) throw new Error(`the model does not know ${written}`)
  return { property, structField: name.slice(property.length + 1) }
}

/** `NAME` or `NAME:FIELD`. */
function findField2(_type: ModelType, written: string): FieldName {
  const [property = '', structField] = written.split(':')
  return { property, structField }
}

interface TypedValue {
  readonly type: ScalarType
  readonly value: unknown
}

/** Returns every scalar of a property, or of one of its struct fields. */
function valuesOf(
  type: ModelType,
  object: Properties,
  { property, structField }: FieldName,
): TypedValue[] {
  const definition = type.properties.get(property)
  const value = own(object, property)
  if (definition === undefined || value === undefined) return []
  const items = definition.type === 'array' ? (value as unknown[]) : [value]
  const inner = definition.type === 'array' ? definition.items : definition
  const fields = structFields(definition)
  if (fields === undefined) {
    return items.map((item) => ({ type: inner?.type as ScalarType, value: item }))
  }
  return items.flatMap((item) =>
    Object.entries(item as object).flatMap(([name, part]) =>
      structField === undefined || name === structField
        ? [{ type: fields.get(name) as ScalarType, value: part as unknown }]
        : [],
    ),
  )
}

function structFields(definition: PropertyDefinition): ReadonlyMap<string, ScalarType> | undefined {
  const inner = definition.type === 'array' ? definition.items : definition
  if (inner?.fields === undefined) return undefined
  return new Map(
    Object.entries(inner.fields).map(([name, field]) => [name, field.type as ScalarType]),
  )
}

function everyValue(type: ModelType, object: Properties): TypedValue[] {
  return [...type.properties.keys()].flatMap((property) => valuesOf(type, object, { property }))
}

function textsOf(type: ModelType, object: Properties): string[] {
  return everyValue(type, object)
    .filter((value) => value.type === 'string')
    .map(({ value }) => String(value))
}

function pointsOf(type: ModelType, object: Properties): (readonly number[])[] {
  return everyValue(type, object)
    .filter((value) => value.type === 'geopoint')
    .map(({ value }) => (value as { coordinates: number[] }).coordinates)
}

function scalarOf(type: ModelType, property: string): ScalarType {
  return type.properties.get(property)?.type as ScalarType
}
