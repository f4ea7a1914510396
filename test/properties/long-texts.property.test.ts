/**
 * Conditions and orders on a property with long texts, of which the index holds only a part: pages
 * must be those of a model, for texts that differ before, at and after the end of the prefix.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ANY_CHARACTER } from '../../src/query/matching/pattern.ts'
import type { Comparison, OrderTerm, Query } from '../../src/query/query.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { ObjectStore } from '../../src/store/object-store.ts'
import { PREFIX_LENGTH } from '../../src/store/sql/compile/property-sql.ts'
import { fcOptions } from '../support/fc-options.ts'
import { createFixture, type StoreFixture } from '../support/store-fixture.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'

/** One character each, of one to four bytes. */
const CHARACTERS = ['a', 'b', '\u{d7ff}', '\u{e000}', '\u{1f600}'] as const

/** Texts that share a beginning of nearly the length of the prefix. */
const texts: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', 'a', '\u{1f600}'),
    fc.integer({ min: 0, max: 3 }),
    fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 4 }),
    fc.constantFrom('', '', 'x'.repeat(50)),
  )
  .map(([unit, shorter, end, tail]) => unit.repeat(PREFIX_LENGTH + 1 - shorter) + end + tail)

const OBJECTS = 250
const FIELD = { property: 'text', structField: undefined }

type Pair = readonly [key: string, text: string]

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** A condition, and whether a text satisfies it. */
interface Condition {
  readonly query: Query
  readonly test: (text: string) => boolean
}

const HOLDS: Readonly<Record<Comparison, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
}

const operators = fc.constantFrom<Comparison[]>('eq', 'lt', 'lte', 'gt', 'gte')
const conditions: fc.Arbitrary<Condition> = fc.oneof(
  fc.tuple(operators, texts).map(([operator, value]) => ({
    query: { kind: 'compare' as const, field: FIELD, operator, value },
    test: (text: string) => HOLDS[operator](byBytes(text, value)),
  })),
  fc.array(texts, { minLength: 1, maxLength: 12 }).map((values) => ({
    query: { kind: 'oneOf' as const, field: FIELD, values },
    test: (text: string) => values.includes(text),
  })),
  texts.map((start) => ({
    query: { kind: 'pattern' as const, field: FIELD, pattern: startsWith(start) },
    test: (text: string) => text.startsWith(start),
  })),
  fc.constant({ query: { kind: 'everything' as const }, test: () => true }),
)

function startsWith(text: string) {
  const rest = { kind: 'repeat', of: ANY_CHARACTER, min: 0, max: undefined } as const
  return { kind: 'sequence', of: [{ kind: 'literal', text }, rest] } as const
}

const orders = fc.constantFrom<readonly OrderTerm[]>(
  [],
  [{ property: 'text', direction: 'asc', nulls: 'last' }],
  [{ property: 'text', direction: 'desc', nulls: 'first' }],
  [
    { property: 'text', direction: 'asc', nulls: 'first' },
    { property: 'k', direction: 'desc', nulls: 'last' },
  ],
  [{ property: 'k', direction: 'desc', nulls: 'last' }],
)

function compareBy(order: readonly OrderTerm[]): (a: Pair, b: Pair) => number {
  const terms: readonly Pick<OrderTerm, 'property' | 'direction'>[] = [
    ...order,
    { property: 'k', direction: order.at(-1)?.direction ?? 'asc' },
  ]
  return (a, b) => {
    for (const { property, direction } of terms) {
      const at = property === 'k' ? 0 : 1
      const compared = byBytes(a[at], b[at])
      if (compared !== 0) return direction === 'asc' ? compared : -compared
    }
    return 0
  }
}

let place: TestStore
let store: ObjectStore
let things: StoreFixture
let pairs: readonly Pair[]

beforeAll(async () => {
  place = await createTestStore()
  store = await openStore(place.name)
  things = await createFixture(store)
  const sample = fc.sample(texts, { seed: 1, numRuns: OBJECTS })
  pairs = sample.map((text, n) => [`k${String(n).padStart(3, '0')}`, text])
  // The first batch has no long text, so that the second one replaces an index.
  await things.commit(pairs.slice(0, 20).map(([key]) => [key, 'short']))
  await things.commit(pairs)
})
afterAll(async () => {
  await store?.[Symbol.asyncDispose]()
  await place?.[Symbol.asyncDispose]()
})

it('finds, counts and orders long texts as if they were indexed in full', async () => {
  await fc.assert(
    fc.asyncProperty(
      conditions,
      orders,
      fc.integer({ min: 20, max: 120 }),
      async ({ query, test }, order, maxObjects) => {
        const expected = pairs.filter(([, text]) => test(text)).sort(compareBy(order))
        const found = await things.walk({ query, order, maxObjects })
        expect(found.keys).toEqual(expected.map(([key]) => key))
        expect(found.totalCounts).toEqual([expected.length])
      },
    ),
    fcOptions(40, 25),
  )
})
