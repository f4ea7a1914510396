/**
 * Objects with nested structs, written and read back, and found, ordered and grouped by path: what
 * the service returns equals a model that follows the path in the JSON of each object.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PropertyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { fcOptions } from '../support/fc-options.ts'
import { type Service, startService } from '../support/service.ts'
import { keepStructsInBodies } from '../support/structs-without-columns.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'

type Json = Readonly<Record<string, unknown>>

const PROPERTIES: Readonly<Record<string, PropertyDefinition>> = {
  id: { type: 'integer' },
  address: {
    type: 'struct',
    fields: {
      city: { type: 'string' },
      floor: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      geo: {
        type: 'struct',
        fields: {
          lat: { type: 'double' },
          'seen.at': { type: 'timestamp' },
          cost: { type: 'decimal' },
        },
      },
    },
  },
  lines: {
    type: 'array',
    items: {
      type: 'struct',
      fields: {
        sku: { type: 'string' },
        parts: {
          type: 'array',
          items: { type: 'struct', fields: { code: { type: 'string' }, count: { type: 'long' } } },
        },
      },
    },
  },
}

const CITIES = ['Bern', 'Bonn', 'New Bern', 'Zürich', '']
const TIMES = ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.500Z', '1969-07-20T20:17:00Z']
const COSTS = ['-10', '-9.5', '0', '2.25', '10.125', '123456789012345678901.5']
const pick = <Value>(values: readonly Value[]) => fc.constantFrom(...values)

/** An object with some of these members. */
const partial = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Json>

const objects = fc
  .array(
    partial({
      address: partial({
        city: pick(CITIES),
        floor: fc.integer({ min: -3, max: 3 }),
        tags: fc.array(pick(CITIES), { maxLength: 3 }),
        geo: partial({
          lat: fc.integer({ min: -8, max: 8 }).map((quarters) => quarters / 4),
          'seen.at': pick(TIMES),
          cost: pick(COSTS),
        }),
      }),
      lines: fc.array(
        partial({
          sku: pick(CITIES),
          parts: fc.array(
            partial({ code: pick(CITIES), count: fc.integer({ min: 0, max: 3 }).map(String) }),
            { maxLength: 2 },
          ),
        }),
        { maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((list) => list.map((object, id): Json => ({ id, ...object })))

interface Leaf {
  readonly path: readonly string[]
  readonly values: readonly unknown[]
  /** How values sort; texts and numbers do as they are. */
  readonly sortKey?: (value: unknown) => bigint | number | string
  readonly isMultiValued?: true
}

const decimalKey = (value: unknown) => BigInt(Math.round(Number(value) * 1000))
const LEAVES: readonly Leaf[] = [
  { path: ['address', 'city'], values: CITIES },
  { path: ['address', 'floor'], values: [-3, -1, 0, 2] },
  { path: ['address', 'geo', 'lat'], values: [-2, -0.25, 0, 1.75] },
  {
    path: ['address', 'geo', 'seen.at'],
    values: TIMES,
    sortKey: (time) => Date.parse(String(time)),
  },
  { path: ['address', 'geo', 'cost'], values: COSTS, sortKey: decimalKey },
  { path: ['address', 'tags'], values: CITIES, isMultiValued: true },
  { path: ['lines', 'sku'], values: CITIES, isMultiValued: true },
  { path: ['lines', 'parts', 'code'], values: CITIES, isMultiValued: true },
  {
    path: ['lines', 'parts', 'count'],
    values: ['0', '2'],
    sortKey: (count) => BigInt(String(count)),
    isMultiValued: true,
  },
]
const ORDERABLE = LEAVES.filter(({ isMultiValued }) => !isMultiValued)
/** Paths that lead to structs and arrays as well. */
const PATHS = [...LEAVES.map(({ path }) => path), ['address', 'geo'], ['lines', 'parts']]

/** Follows a path; through arrays, it leads to several values. */
function endsOf(object: Json, path: readonly string[]): unknown[] {
  let ends: unknown[] = [object]
  for (const name of path) {
    ends = ends.flat().flatMap((end) => (name in (end as Json) ? [(end as Json)[name]] : []))
  }
  return ends
}

const keyOf = ({ sortKey = (value) => value as number }: Leaf, value: unknown) => sortKey(value)

interface Condition {
  readonly query: { readonly type: string; readonly value: unknown }
  readonly path: readonly string[]
  readonly isMatch: (object: Json) => boolean
}

const conditions: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(pick(LEAVES), pick(['eq', 'lt', 'lte', 'gt', 'gte'] as const)).chain(([leaf, type]) =>
    pick(leaf.values).map((value): Condition => {
      const bound = keyOf(leaf, value)
      const tests = {
        eq: (key: unknown) => key === bound,
        lt: (key: number) => key < (bound as number),
        lte: (key: number) => key <= (bound as number),
        gt: (key: number) => key > (bound as number),
        gte: (key: number) => key >= (bound as number),
      }
      const test = tests[type] as (key: unknown) => boolean
      const isMatch = (object: Json) =>
        endsOf(object, leaf.path)
          .flat()
          .some((one) => test(keyOf(leaf, one)))
      return { query: { type, value }, path: leaf.path, isMatch }
    }),
  ),
  pick(LEAVES).chain((leaf) =>
    fc.subarray([...leaf.values], { minLength: 1 }).map((values): Condition => {
      const keys = values.map((value) => keyOf(leaf, value))
      const isMatch = (object: Json) =>
        endsOf(object, leaf.path)
          .flat()
          .some((one) => keys.includes(keyOf(leaf, one)))
      return { query: { type: 'in', value: values }, path: leaf.path, isMatch }
    }),
  ),
  fc.tuple(pick(PATHS), fc.boolean()).map(
    ([path, value]): Condition => ({
      query: { type: 'isNull', value },
      path,
      isMatch: (object) => (endsOf(object, path).length === 0) === value,
    }),
  ),
  pick(LEAVES.filter(({ values }) => values === CITIES)).map(
    ({ path }): Condition => ({
      query: { type: 'containsAnyTerm', value: 'bern' },
      path,
      isMatch: (object) =>
        endsOf(object, path)
          .flat()
          .some((text) => /\bBern\b/.test(String(text))),
    }),
  ),
)

/** What a written name looks like: of v2 in two forms, and in revision 1.0. */
const NAMES: readonly ((path: readonly string[]) => object)[] = [
  (path) => ({ field: path.join('.') }),
  ([propertyApiName, ...fields]) => ({
    propertyIdentifier: {
      type: 'structField',
      propertyApiName,
      structFieldApiName: fields.join('.'),
    },
  }),
]

const orders = fc.record({
  leaf: pick(ORDERABLE),
  direction: pick(['asc', 'desc'] as const),
  pageSize: fc.integer({ min: 1, max: 6 }),
})

let store: TestStore
let service: Service
beforeAll(async () => {
  store = await createTestStore()
  service = await startService({ store: store.name })
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

const cases = fc.record({
  list: objects,
  conditions: fc.array(conditions, { minLength: 4, maxLength: 4 }),
  order: orders,
  withoutColumns: fc.boolean(),
})

it('returns, finds, orders and groups objects by the fields of their structs', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ list, conditions: some, order, withoutColumns }) => {
      const apiName = `visit-${crypto.randomUUID()}`
      const type = { apiName, primaryKey: 'id', properties: { ...PROPERTIES } }
      const applied = await service.apply({ apiName, objectTypes: [type] })
      expect(applied.status, applied.text).toBe(200)
      if (withoutColumns) keepStructsInBodies(store.name)
      const written = await service.put(apiName, apiName, list)
      expect(written.status, written.text).toBe(200)

      const search = (body: object) =>
        walk(`/api/v2/ontologies/${apiName}/objects/${apiName}/search`, body)
      expect(await search({})).toEqual(list)
      for (const { query, path, isMatch } of some) {
        const expected = list.filter(isMatch)
        for (const name of NAMES) {
          const where = { ...query, ...name(path) }
          expect(await search({ where }), JSON.stringify(where)).toEqual(expected)
        }
      }
      const { leaf, direction, pageSize } = order
      const field = leaf.path.join('.')
      const ordered = await search({ orderBy: { fields: [{ field, direction }] }, pageSize })
      expect(ordered, `${field} ${direction}`).toEqual(sorted(list, leaf, direction))
      expect(await countBy(apiName, field)).toEqual(counts(list, leaf))
    }),
    fcOptions(20, 10),
  )
})

async function walk(path: string, body: object): Promise<Json[]> {
  const found: Json[] = []
  let pageToken: string | undefined
  do {
    const { status, body: page, text } = await service.send(path, { json: { ...body, pageToken } })
    expect(status, text).toBe(200)
    for (const { __rid, __primaryKey, __apiName, __title, ...properties } of page.data) {
      found.push(properties)
    }
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
  return found
}

/** Objects without a value come last, and the key breaks ties in the direction of the order. */
function sorted(list: readonly Json[], leaf: Leaf, direction: 'asc' | 'desc'): Json[] {
  const sign = direction === 'asc' ? 1 : -1
  return list.toSorted((a, b) => {
    const [x, y] = [a, b].map(
      (object) => endsOf(object, leaf.path).map((end) => keyOf(leaf, end))[0],
    )
    const tie = sign * (Number(a['id']) - Number(b['id']))
    if (x === y) return tie
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1
    return x < y ? -sign : sign
  })
}

async function countBy(apiName: string, field: string): Promise<Record<string, number>> {
  const json = {
    aggregation: [{ type: 'count', name: 'n' }],
    groupBy: [{ type: 'exact', field, maxGroupCount: 100 }],
  }
  const path = `/api/v2/ontologies/${apiName}/objects/${apiName}/aggregate`
  const { status, body, text } = await service.send(path, { json })
  expect(status, text).toBe(200)
  return Object.fromEntries(
    body.data.map((group: { group: Json; metrics: { value: number }[] }) => [
      String(group.group[field]),
      group.metrics[0]?.value,
    ]),
  )
}

function counts(list: readonly Json[], { path }: Leaf): Record<string, number> {
  const result: Record<string, number> = {}
  for (const end of list.flatMap((object) => endsOf(object, path))) {
    result[String(end)] = (result[String(end)] ?? 0) + 1
  }
  return result
}
