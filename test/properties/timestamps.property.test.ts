/**
 * Conditions and orders on timestamps, which SQLite indexes as integers: pages must be those of a
 * model, for times before 1970, with microseconds, and shared by many objects.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { readComparedValue } from '../../src/query/compared-value.ts'
import type { Comparison, Query } from '../../src/query/query.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import { fcOptions } from '../support/fc-options.ts'
import { createFixture, type StoreFixture } from '../support/store-fixture.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'
import {
  compareBy,
  EVENT_PROPERTIES,
  type Event,
  events,
  orders,
  rankOf,
  TIMES,
  type Time,
} from '../support/timestamped-events.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'events',
  objectTypes: [
    {
      apiName: 'event',
      primaryKey: 'k',
      properties: EVENT_PROPERTIES,
    },
  ],
}

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

describe('timestamps', () => {
  let place: TestStore
  let store: ObjectStore
  let fixture: StoreFixture
  beforeAll(async () => {
    place = await createTestStore()
    store = await openStore(place.name)
    fixture = await createFixture(store, DEFINITION)
    await fixture.put(events.slice(0, 1))
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
          const found = await fixture.walk({ query, order, maxObjects })
          expect(found.keys).toEqual(expected.map(({ k }) => k))
          expect(found.totalCounts).toEqual([expected.length])
        },
      ),
      fcOptions(80, 40),
    )
  })
})
