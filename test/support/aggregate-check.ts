/** What the property tests of both aggregation APIs share: requests, objects and the comparison. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { definitionOf, objects, PROPERTIES } from './aggregate-arbitraries.ts'
import {
  aggregateModel,
  type ModelGrouping,
  type ModelMetric,
  type ModelType,
} from './aggregate-model.ts'
import { fcOptions } from './fc-options.ts'
import type { Service } from './service.ts'

export interface AggregateRequest {
  readonly metrics: readonly ModelMetric[]
  readonly groupings: readonly ModelGrouping[]
  /** Only objects whose integer is smaller count. */
  readonly below: number | null
}

export const below = fc.option(fc.integer({ min: -6, max: 6 }))

/** Up to five metrics, each with a name. */
export function namedMetrics(metric: fc.Arbitrary<Omit<ModelMetric, 'name'>>) {
  return fc
    .array(metric, { minLength: 1, maxLength: 5 })
    .map((list): ModelMetric[] => list.map((one, index) => ({ ...one, name: `m${index}` })))
}

/** Up to three groupings, each of another property. */
export function severalGroupings(groupingOf: (property: ModelType) => fc.Arbitrary<ModelGrouping>) {
  return (
    fc
      .uniqueArray(fc.constantFrom(...PROPERTIES), { maxLength: 3 })
      .chain((names) => fc.tuple(...names.map(groupingOf)))
      // The service allows ten groups per object.
      .filter((list) => list.reduce((most, { ranges = [0] }) => most * ranges.length, 1) <= 10)
  )
}

/** How an API is asked, and what its responses look like. */
export interface AggregateApi {
  readonly path: (apiName: string) => string
  readonly body: (request: AggregateRequest) => object
  /** How responses write times. */
  readonly times: Parameters<typeof aggregateModel>[3]
  /** Further members of every response. */
  readonly members: object
}

/** Checks that the service aggregates like the model. */
export async function checkAggregations(
  service: Service,
  request: fc.Arbitrary<AggregateRequest>,
  api: AggregateApi,
): Promise<void> {
  const requests = fc.array(request, { minLength: 1, maxLength: 6 })
  const cases = fc.record({ objects, earlier: objects, requests })
  let types = 0
  await fc.assert(
    fc.asyncProperty(cases, async (how) => {
      types += 1
      const apiName = `type-${types}`
      await service.apply(definitionOf(apiName))
      // Earlier versions must not be counted.
      const lines = [
        ...how.earlier.map(({ id }) => ({ delete: id })),
        ...how.objects.map((object) => ({ put: object })),
      ]
      expect((await service.put(apiName, apiName, how.earlier)).status).toBe(200)
      expect((await service.write(apiName, apiName, lines)).status).toBe(200)
      for (const one of how.requests) {
        const { status, body } = await service.send(api.path(apiName), { json: api.body(one) })
        expect(status).toBe(200)
        const matching = how.objects.filter(
          ({ integer }) =>
            one.below === null || (typeof integer === 'number' && integer < one.below),
        )
        const expected = aggregateModel(matching, one.metrics, one.groupings, api.times)
        expect(body.data).toEqual(expected.rows)
        const isLimited = one.groupings.some(({ maxGroupCount }) => maxGroupCount !== undefined)
        expect(body.excludedItems).toBe(isLimited ? expected.excludedItems : undefined)
        expect(body).toMatchObject(api.members)
      }
    }),
    fcOptions(45, 20),
  )
}
