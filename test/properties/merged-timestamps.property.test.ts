/** Pages that merge two object types in the order of timestamps, which SQLite indexes as integers. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import { objectReader } from '../../src/ontology/values/read-object.ts'
import { readComparedValue } from '../../src/query/compared-value.ts'
import { EVERYTHING, type Query } from '../../src/query/query.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { SetCursor } from '../../src/store/port/pages.ts'
import { fcOptions } from '../support/fc-options.ts'
import { pageRequest } from '../support/store-fixture.ts'
import { createTestStore } from '../support/test-store.ts'
import {
  compareBy,
  EVENT_PROPERTIES,
  type Event,
  events,
  orders,
  rankOf,
  TIMES,
} from '../support/timestamped-events.ts'

const NAMES = ['first', 'second'] as const

/** Events alternate between the two types. */
const partOf = ({ k }: Event) => Number(k.slice(1)) % NAMES.length

it('merges objects in the order of their timestamps', async () => {
  await using place = await createTestStore()
  await using store = await openStore(place.name)
  const definition = {
    apiName: 'events',
    objectTypes: NAMES.map((apiName) => ({
      apiName,
      primaryKey: 'k',
      properties: EVENT_PROPERTIES,
    })),
  }
  await store.saveOntology(
    planChange('events', definition, await store.readCatalogue(), randomUUID),
  )
  const catalogue = await store.readCatalogue()
  const types = [...(catalogue.find('events')?.objectTypes.values() ?? [])]
  for (const [part, objectType] of types.entries()) {
    const read = objectReader(objectType)
    const changes = events
      .filter((event) => partOf(event) === part)
      .map((event) => ({ put: read(event) }))
    await store.commit({ objectType, changes, basedOn: catalogue.generation })
  }

  const from = (time: string | undefined): Query =>
    time === undefined
      ? EVERYTHING
      : {
          kind: 'compare',
          field: { property: 'at', structField: undefined },
          operator: 'gte',
          value: readComparedValue('timestamp', time),
        }
  await fc.assert(
    fc.asyncProperty(
      // Without an order, the types follow each other.
      orders.filter(({ length }) => length > 0),
      fc.option(fc.constantFrom(...TIMES), { nil: undefined }),
      fc.integer({ min: 3, max: 40 }),
      async (order, time, maxObjects) => {
        const expected = events
          .filter(({ at }) => time === undefined || rankOf(at) >= rankOf(time))
          .sort(compareBy(order, (a, b) => partOf(a) - partOf(b)))
        const found: string[] = []
        let after: SetCursor | undefined
        do {
          const page = await store.readSetPage({
            parts: types.map((objectType) => ({
              objectType,
              query: from(time),
              record: pageRequest(objectType).record,
            })),
            order: order.map(({ property, ...term }) => ({
              type: property === 'kind' ? ('integer' as const) : ('timestamp' as const),
              ...term,
              properties: NAMES.map(() => property),
            })),
            after,
            versions: undefined,
            maxObjects,
            maxBytes: 1_000_000,
            includeTotalCount: true,
          })
          if (page === 'reclaimed') throw new Error('reclaimed')
          expect(page.totalCount).toBe(expected.length)
          const objects = JSON.parse(`[${Buffer.from(page.records)}]`)
          found.push(...objects.map(({ properties }: { properties: Event }) => properties.k))
          after = page.more ? page.last : undefined
        } while (after !== undefined)
        expect(found).toEqual(expected.map(({ k }) => k))
      },
    ),
    fcOptions(60, 30),
  )
})
