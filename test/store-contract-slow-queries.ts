/** The part of the store contract about slow queries. */
import { describe, expect, it } from 'vitest'
import type { ObjectTypeDefinition } from '../src/ontology/definition/definition-schema.ts'
import type { Aggregation } from '../src/query/aggregation/aggregation.ts'
import { EVERYTHING } from '../src/query/query.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { groupsOf } from './support/groups-of.ts'
import { createFixture } from './support/store-fixture.ts'

const TEXTS = Array.from({ length: 30 }, (_, index) => `text${index}`)

const NUMBER: ObjectTypeDefinition = {
  apiName: 'number',
  primaryKey: 'id',
  properties: {
    id: { type: 'string' },
    n: { type: 'integer' },
    ...Object.fromEntries(TEXTS.map((name) => [name, { type: 'string' }])),
  },
}

const RANGES = 160

/** Takes seconds: every object is in all ranges, and each metric stores all distinct values. */
const slowAggregation = (objects: number): Aggregation => ({
  metrics: TEXTS.map((property) => ({
    kind: 'distinct',
    name: property,
    property,
    type: 'string',
  })),
  groupings: [
    {
      kind: 'ranges',
      property: 'n',
      type: 'integer',
      ranges: Array.from({ length: RANGES }, (_, index) => ({
        low: { value: -1 - index, inclusive: true },
        high: { value: objects + index, inclusive: true },
        json: `{"index":${index}}`,
      })),
    },
  ],
})
const COUNT: Aggregation = { metrics: [{ kind: 'count', name: 'count' }], groupings: [] }

export function slowQueryContract({ name, open, openAgain, slow: given }: StoreUnderTest): void {
  const slowest = slowAggregation(given.objects)
  describe(`the ${name} store: slow queries`, () => {
    it('end after the timeout, with their client, and with the store', async () => {
      // Filled without the timeout, which other statements could exceed on a busy machine.
      await using filled = await open()
      const definition = { apiName: 'numbers', objectTypes: [NUMBER] }
      const { put, type: objectType } = await createFixture(filled, definition)
      await put(
        Array.from({ length: given.objects }, (_, n) => ({
          id: `${n}`,
          n,
          ...Object.fromEntries(TEXTS.map((text) => [text, `${text} ${n}`])),
        })),
      )
      const common = { sources: [{ objectType, query: EVERYTHING }], maxGroups: RANGES }
      const [slow, count] = [slowest, COUNT].map((aggregation) => ({ ...common, aggregation })) as [
        typeof common & { aggregation: Aggregation },
        typeof common & { aggregation: Aggregation },
      ]
      await using limited = await openAgain({ queryTimeoutMs: given.timeoutMs })
      await expect(limited.aggregate(slow)).rejects.toMatchObject({
        errorName: 'QueryTimedOut',
        parameters: { maxSeconds: given.timeoutMs / 1000 },
      })

      const store = await openAgain({ queryTimeoutMs: 600_000 })
      const client = new AbortController()
      const first = { callerId: 'one', signal: () => client.signal }
      const abandoned = Promise.allSettled(
        Array.from({ length: 4 }, () => store.aggregate(slow, first)),
      )
      // Another caller is served while the first one uses all slots that it may use.
      const another = { callerId: 'another', signal: () => new AbortController().signal }
      expect(groupsOf(await store.aggregate(count, another))[0]?.metrics).toEqual([given.objects])
      client.abort(new Error('gone'))
      for (const outcome of await abandoned) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'gone' } })
      }

      const running = Promise.allSettled(Array.from({ length: 4 }, () => store.aggregate(slow)))
      // Until they run, a cancellation has no effect, and they may end before their connection is closed.
      await store.aggregate(count, another)
      store.drain('Stopping.', 0)
      for (const outcome of await running) {
        expect(outcome).toMatchObject({
          status: 'rejected',
          reason: { errorName: 'ServiceUnavailable', parameters: { reason: 'Stopping.' } },
        })
      }
      // Waits for running queries.
      await store[Symbol.asyncDispose]()
    })
  })
}
