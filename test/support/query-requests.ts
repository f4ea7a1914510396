/** Arbitraries of requests about a generated type, in the form that clients send. */

import fc from 'fast-check'
import { countTerms } from '../../src/query/matching/written-terms.ts'
import type { GeneratedType, QueryField } from './query-arbitraries.ts'
import { comparisons, queryTexts, valuesFor } from './query-conditions.ts'
import {
  findField1,
  type ModelOrderTerm,
  type RequestCondition,
  type RequestQuery,
} from './query-model.ts'
import { positions } from './query-positions.ts'
import { canBeEqual, canBeLess, compareValues } from './query-values.ts'
import { whereLeaves } from './where-requests.ts'

export interface Request {
  readonly condition: RequestCondition
  readonly order: readonly ModelOrderTerm[]
  readonly selection: readonly string[]
}

/** The maximum nesting of and, or and not that the service allows. */
const DEPTH = 3

export function requests(type: GeneratedType): fc.Arbitrary<Request> {
  return fc.record({
    condition: fc.oneof(
      { weight: 3, arbitrary: searches1(type) },
      { weight: 2, arbitrary: searches2(type) },
      { weight: 1, arbitrary: listings(type) },
      { weight: 3, arbitrary: wheres(type) },
    ),
    order: orders(type),
    selection: selections(type),
  })
}

export function searches1(type: GeneratedType): fc.Arbitrary<RequestCondition> {
  return nested(leaves1(type), DEPTH)
    .filter((query) => isAffordable(query))
    .map((query) => ({ as: 'search 1.0' as const, query }))
}

export function searches2(type: GeneratedType): fc.Arbitrary<RequestCondition> {
  return nested(leaves2(type), DEPTH)
    .filter((query) => isAffordable(query))
    .map((query) => ({ as: 'search 2.0' as const, query }))
}

function wheres(type: GeneratedType): fc.Arbitrary<RequestCondition> {
  return nested(whereLeaves(type), DEPTH)
    .filter((query) => isAffordable(query))
    .map((query) => ({ as: 'where' as const, query }))
}

/** True if a query is within the limits of the service, which other tests cover. */
function isAffordable(query: RequestQuery): boolean {
  const leaves = leavesOf(query)
  const fuzzy = leaves.filter((leaf) => leaf['fuzzy'] === true)
  const text = JSON.stringify(query)
  const fuzzyRules = text.match(/"type":"fuzzy"/g) ?? []
  const isShort = text.length < 4000 && sumOf(leaves) <= 60
  return isShort && sumOf(fuzzy) + 2 * fuzzyRules.length <= 10
}

function leavesOf(query: RequestQuery): RequestQuery[] {
  if (!['and', 'or', 'not'].includes(query.type)) return [query]
  return ([query['value']].flat() as RequestQuery[]).flatMap(leavesOf)
}

/** Returns the number of terms of some conditions. */
function sumOf(queries: readonly RequestQuery[]): number {
  const counts = queries.map(({ value, query }) => countTerms([String(query ?? value)]))
  return counts.reduce((sum, count) => sum + count, 0)
}

function nested(leaf: fc.Arbitrary<RequestQuery>, depth: number): fc.Arbitrary<RequestQuery> {
  if (depth === 0) return leaf
  const inner = nested(leaf, depth - 1)
  const list = fc.array(inner, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: list.map((value) => ({ type: 'and', value })) },
    { weight: 1, arbitrary: list.map((value) => ({ type: 'or', value })) },
    { weight: 1, arbitrary: inner.map((value) => ({ type: 'not', value })) },
  )
}

function leaves1(type: GeneratedType): fc.Arbitrary<RequestQuery> {
  const named = type.fields.flatMap((field) => {
    const written = `properties.${field.property}${field.structField === undefined ? '' : `.${field.structField}`}`
    // A property whose name contains a period can shadow the field of a struct.
    const found = findField1(type.model, written)
    const isHidden = found.property !== field.property || found.structField !== field.structField
    return isHidden ? [] : [{ field, written }]
  })
  const nulls = fc
    .tuple(fc.constantFrom(...type.model.properties.keys()), fc.boolean())
    .map(([name, value]) => ({ type: 'isNull', field: `properties.${name}`, value }))
  const compared = named.flatMap(({ field, written }) => [
    ...comparisons(field, written),
    ...(field.isMultiValued && canBeEqual(field.type)
      ? [valuesFor(field).map((value) => ({ type: 'contains', field: written, value }))]
      : []),
  ])
  const read = named.flatMap(({ field, written }) =>
    field.type === 'string' ? textQueries(field, written) : [],
  )
  return fc.oneof(
    { weight: 1, arbitrary: nulls },
    ...compared.map((arbitrary) => ({ weight: 2, arbitrary })),
    ...read.map((arbitrary) => ({ weight: 5, arbitrary })),
  )
}

function leaves2(type: GeneratedType): fc.Arbitrary<RequestQuery> {
  const others = type.fields.flatMap((field) =>
    comparisons(
      field,
      field.structField === undefined ? field.property : `${field.property}:${field.structField}`,
    ),
  )
  const pool = type.fields.flatMap((field) => (field.type === 'string' ? field.pool : []))
  const points = type.fields.flatMap((field) => (field.type === 'geopoint' ? field.pool : []))
  const keyword = queryTexts(pool).map((query) => ({ type: 'keyword', query }))
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant({ type: 'empty' }) },
    { weight: pool.length > 0 ? 4 : 1, arbitrary: keyword },
    {
      weight: points.length > 0 ? 4 : 1,
      arbitrary: rings(points).map((polygon) => ({ type: 'geoPointWithin', polygon })),
    },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  )
}

function textQueries({ pool }: QueryField, field: string): fc.Arbitrary<RequestQuery>[] {
  const text = queryTexts(pool)
  return [
    fc
      .tuple(fc.constantFrom('phrase', 'prefix'), text)
      .map(([type, value]) => ({ type, field, value })),
    fc
      .tuple(fc.constantFrom('anyTerm', 'allTerms'), text, fc.constantFrom({}, { fuzzy: false }))
      .map(([type, value, fuzzy]) => ({ type, field, value, ...fuzzy })),
    fc
      .tuple(fc.constantFrom('anyTerm', 'allTerms'), text)
      .map(([type, value]) => ({ type, field, value, fuzzy: true })),
  ]
}

/** Closed rings around, through and beside the points of the data. */
function rings(
  points: readonly unknown[],
): fc.Arbitrary<{ longitude: number; latitude: number }[]> {
  const known = points.map((point) => (point as { coordinates: number[] }).coordinates)
  const corner = fc
    .oneof(positions, ...(known.length > 0 ? [fc.constantFrom(...known)] : []))
    .map(([longitude = 0, latitude = 0]) => ({ longitude, latitude }))
  const boxes = fc
    .tuple(corner, corner)
    .map(([a, b]) => [
      a,
      { longitude: b.longitude, latitude: a.latitude },
      b,
      { longitude: a.longitude, latitude: b.latitude },
    ])
  return fc
    .oneof(boxes, fc.array(corner, { minLength: 3, maxLength: 6 }))
    .map((corners) => [...corners, ...corners.slice(0, 1)])
}

/** Filters of a list request, on up to three properties. */
export function listings(type: GeneratedType): fc.Arbitrary<RequestCondition> {
  const whole = type.fields.filter(({ structField }) => structField === undefined)
  const filter = fc.constantFrom(...whole).chain((field) => filtersOn(type, field))
  return fc
    .uniqueArray(filter, {
      maxLength: 3,
      selector: ({ property, kind }) => `${property} ${kind}`,
    })
    .map((some) => ({ as: 'listing' as const, filters: some.flatMap(({ pairs }) => pairs) }))
}

interface Filter {
  readonly property: string
  readonly kind: string
  readonly pairs: readonly (readonly [string, string])[]
}

function filtersOn(type: GeneratedType, field: QueryField): fc.Arbitrary<Filter> {
  const { property } = field
  const value = valuesFor(field).map(String)
  const values = fc.array(value, { minLength: 1, maxLength: 3 })
  const name = (operator: string) => writtenNames(type, property).map((w) => `${w}.${operator}`)
  const named = (operator: string, texts: fc.Arbitrary<readonly string[]>) =>
    fc.tuple(fc.array(name(operator), { minLength: 3, maxLength: 3 }), texts).map(
      ([spellings, some]): Filter => ({
        property,
        kind: operator,
        pairs: some.map((text, index) => [spellings[index] ?? '', text]),
      }),
    )
  const options: fc.Arbitrary<Filter>[] = [named('isNull', fc.constantFrom(['true'], ['false']))]
  if (canBeEqual(field.type)) {
    const operators = field.isMultiValued ? ['contains'] : ['eq', 'neq']
    options.push(...operators.map((operator) => named(operator, values)))
  }
  if (canBeLess(field.type) && !field.isMultiValued && field.type !== 'string') {
    options.push(
      fc
        .record({
          low: name('gt'),
          high: name('lt'),
          ends: fc.tuple(value, value),
          closed: fc.tuple(fc.constantFrom('', 'e'), fc.constantFrom('', 'e')),
          shown: fc.constantFrom<number[]>([0], [1], [0, 1]),
        })
        .map(({ low, high, ends, closed, shown }) => {
          // The bounds of a range must be in order, or the range is refused.
          const [from = '', to = ''] = ends.toSorted((a, b) => compareValues(field.type, a, b))
          const both = [[low + closed[0], from] as const, [high + closed[1], to] as const]
          return {
            property,
            kind: 'range',
            pairs: both.filter((_, index) => shown.includes(index)),
          }
        }),
    )
  }
  return fc.oneof(...options)
}

/** A property in a query string: either prefix, in any case unless that is ambiguous. */
function writtenNames(type: GeneratedType, property: string): fc.Arbitrary<string> {
  const alike = [...type.model.properties.keys()].filter(
    (name) => name.toLowerCase() === property.toLowerCase(),
  )
  const spellings = alike.length === 1 ? [property, property, property.toUpperCase()] : [property]
  return fc
    .tuple(fc.constantFrom('p', 'properties'), fc.constantFrom(...spellings))
    .map(([prefix, name]) => `${prefix}.${name}`)
}

/** Up to three terms; ties are common. */
export function orders(type: GeneratedType): fc.Arbitrary<ModelOrderTerm[]> {
  const sortable = type.fields
    .filter(
      (field) => !field.isMultiValued && field.structField === undefined && canBeEqual(field.type),
    )
    .map(({ property }) => property)
  const terms = fc
    .shuffledSubarray(sortable, { minLength: 0, maxLength: Math.min(3, sortable.length) })
    .chain((names) =>
      fc.tuple(
        ...names.map((property) =>
          fc.record({
            property: fc.constant(property),
            direction: fc.constantFrom('asc' as const, 'desc' as const),
            nulls: fc.constantFrom('last' as const, 'last' as const, 'first' as const),
          }),
        ),
      ),
    )
  return fc.oneof(
    { weight: 3, arbitrary: terms },
    { weight: 1, arbitrary: fc.constant<ModelOrderTerm[]>([]) },
  )
}

export function selections(type: GeneratedType): fc.Arbitrary<string[]> {
  return fc.oneof(fc.constant<string[]>([]), fc.shuffledSubarray([...type.model.properties.keys()]))
}
