/**
 * Conditions and orders on timestamps, which SQLite indexes as integers: pages must be those of a
 * model, for times before 1970, with microseconds, and shared by many objects.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { readComparedValue } from '../../src/query/compared-value.ts'
import type { Comparison, OrderTerm, Query } from '../../src/query/query.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { ObjectStore, StoredPage } from '../../src/store/object-store.ts'
import { indexTimesAsTexts } from '../support/earlier-layout.ts'
import { fcOptions } from '../support/fc-options.ts'
import { createFixture, type StoreFixture } from '../support/store-fixture.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'events',
  objectTypes: [
    {
      apiName: 'event',
      primaryKey: 'k',
      properties: {
        k: { type: 'string' },
        at: { type: 'timestamp' },
        seen: { type: 'timestamp' },
        kind: { type: 'integer' },
      },
    },
  ],
}

/** In ascending order. */
const TIMES = [
  '0000-01-01T00:00:00Z',
  '1582-10-10T12:30:00.000001Z',
  '1969-12-31T23:59:59.999999Z',
  '1970-01-01T00:00:00Z',
  '1970-01-01T00:00:00.000001Z',
  '2024-02-29T23:59:59.999Z',
  '2024-02-29T23:59:59.999001Z',
  '2024-03-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
] as const

const OBJECTS = 120

interface Event {
  readonly k: string
  readonly at?: string
  readonly seen?: string
  readonly kind: number
}

const timesOrNone = fc.option(fc.constantFrom(...TIMES), { nil: undefined, freq: 8 })
const events: readonly Event[] = fc
  .sample(fc.record({ at: timesOrNone, seen: timesOrNone, kind: fc.integer({ min: 0, max: 2 }) }), {
    seed: 1,
    numRuns: OBJECTS,
  })
  .map(({ at, seen, kind }, n) => ({
    k: `k${String(n).padStart(3, '0')}`,
    ...(at && { at }),
    ...(seen && { seen }),
    kind,
  }))

type Time = (typeof TIMES)[number]
const rankOf = (time: string | undefined) => TIMES.indexOf(time as Time)

interface Condition {
  readonly query: Query
  readonly test: (event: Event) => boolean
}

const HOLDS: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  eq: (a, b) => a === b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
}

const AT = { property: 'at', structField: undefined }
const compared = (time: string) => readComparedValue('timestamp', time)
const times = fc.constantFrom(...TIMES)
const operators = fc.constantFrom<Comparison[]>('eq', 'lt', 'lte', 'gt', 'gte')
const ofKind = (kind: number): Query => ({
  kind: 'compare',
  field: { property: 'kind', structField: undefined },
  operator: 'eq',
  value: kind,
})

const onTimes: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(operators, times).map(([operator, time]) => ({
    query: { kind: 'compare' as const, field: AT, operator, value: compared(time) },
    test: ({ at }: Event) => at !== undefined && HOLDS[operator](rankOf(at), rankOf(time)),
  })),
  fc.array(times, { minLength: 1, maxLength: 4 }).map((listed) => ({
    query: { kind: 'oneOf' as const, field: AT, values: listed.map(compared) },
    test: ({ at }: Event) => at !== undefined && listed.includes(at as Time),
  })),
  fc.constant({
    query: { kind: 'isNull' as const, property: 'at' },
    test: ({ at }: Event) => at === undefined,
  }),
  fc.constant({ query: { kind: 'everything' as const }, test: () => true }),
)

const conditions: fc.Arbitrary<Condition> = fc.oneof(
  onTimes,
  fc.tuple(onTimes, fc.integer({ min: 0, max: 2 })).map(([{ query, test }, kind]) => ({
    query: { kind: 'and' as const, of: [query, ofKind(kind)] },
    test: (event: Event) => event.kind === kind && test(event),
  })),
)

const term = fc.record({
  property: fc.constantFrom('at', 'seen', 'kind'),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  nulls: fc.constantFrom('first' as const, 'last' as const),
})
const orders = fc.uniqueArray(term, { maxLength: 3, selector: ({ property }) => property })

function compareBy(order: readonly OrderTerm[]): (a: Event, b: Event) => number {
  const rank = (event: Event, property: string) =>
    property === 'kind' ? event.kind : rankOf(property === 'at' ? event.at : event.seen)
  return (a, b) => {
    for (const { property, direction, nulls } of order) {
      const [x, y] = [rank(a, property), rank(b, property)]
      if (x === y) continue
      if (x === -1 || y === -1) return (x === -1) === (nulls === 'first') ? -1 : 1
      return direction === 'asc' ? x - y : y - x
    }
    const byKey = a.k < b.k ? -1 : 1
    return order.at(-1)?.direction === 'desc' ? -byKey : byKey
  }
}

describe.each(['integers', 'texts, as in earlier stores'])(
  'timestamps that are indexed as %s',
  (form) => {
    let place: TestStore
    let store: ObjectStore
    let fixture: StoreFixture
    beforeAll(async () => {
      place = await createTestStore()
      store = await openStore(place.name)
      fixture = await createFixture(store, DEFINITION)
      await fixture.put(events.slice(0, 1))
      if (form !== 'integers') indexTimesAsTexts(place.name)
      await fixture.put(events)
    })
    afterAll(async () => {
      await store?.[Symbol.asyncDispose]()
      await place?.[Symbol.asyncDispose]()
    })

    it('are found, counted and ordered by time', async () => {
      await fc.assert(
        fc.asyncProperty(
          conditions,
          orders,
          fc.integer({ min: 5, max: 60 }),
          async ({ query, test }, order, maxObjects) => {
            const expected = events.filter(test).sort(compareBy(order))
            const found: unknown[] = []
            let page: StoredPage | undefined
            do {
              const request = { query, order, maxObjects, after: page?.last }
              page = await fixture.readPage(request)
              expect(page.totalCount).toBe(expected.length)
              found.push(...(await fixture.readKeys(request)))
            } while (page.more)
            expect(found).toEqual(expected.map(({ k }) => k))
          },
        ),
        fcOptions(80, 40),
      )
    })
  },
)
