import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  definitionOf,
  NUMBERS,
  objects,
  PROPERTIES,
  TIMES,
  VALUES,
} from '../support/aggregate-arbitraries.ts'
import {
  aggregateModel,
  type ModelGrouping,
  type ModelMetric,
  type ModelObject,
  type ModelRow,
  type ModelType,
  TYPES,
} from '../support/aggregate-model.ts'
import { fcOptions } from '../support/fc-options.ts'
import { type Service, startService } from '../support/service.ts'

const metrics = fc
  .array(
    fc.oneof(
      fc.record({ type: fc.constant('count'), property: fc.constantFrom(...PROPERTIES) }),
      fc.record({
        type: fc.constant('approximateDistinct'),
        property: fc.constantFrom(...PROPERTIES),
      }),
      fc.record({
        type: fc.constantFrom('min', 'max'),
        property: fc.constantFrom(...NUMBERS, ...TIMES),
      }),
      fc.record({ type: fc.constantFrom('sum', 'avg'), property: fc.constantFrom(...NUMBERS) }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((list): ModelMetric[] => list.map((metric, index) => ({ ...metric, name: `m${index}` })))

function groupingOf(property: ModelType): fc.Arbitrary<ModelGrouping> {
  const exact = fc.record(
    {
      type: fc.constant('exact' as const),
      property: fc.constant(property),
      maxGroupCount: fc.integer({ min: 1, max: 6 }),
    },
    { requiredKeys: ['type', 'property'] },
  )
  const isNumber = NUMBERS.includes(property)
  if (!isNumber && !TIMES.includes(property)) return exact
  const ranges = fc.record({
    type: fc.constant('ranges' as const),
    property: fc.constant(property),
    ranges: fc.array(rangeOf(property), { minLength: 1, maxLength: 4 }),
  })
  const third = isNumber
    ? fc.record({
        type: fc.constant('fixedWidth' as const),
        property: fc.constant(property),
        fixedWidth: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constant(2 ** 31 - 1)),
      })
    : fc.record({
        type: fc.constant('duration' as const),
        property: fc.constant(property),
        seconds: fc
          .tuple(fc.constantFrom(1, 2, 7, 30, 500_000), fc.constantFrom(1, 60, 3600, 86_400))
          .map(([count, unit]) => count * (property === 'date' ? 86_400 : unit)),
      })
  return fc.oneof(exact, ranges, third)
}

function rangeOf(property: ModelType) {
  const sort = TYPES[property].sort as (value: unknown) => string | number | bigint
  return fc
    .record({
      ends: fc.tuple(VALUES[property], VALUES[property]),
      low: fc.constantFrom('gte', 'gt'),
      high: fc.constantFrom('lte', 'lt'),
    })
    .filter(({ ends }) => !ends.includes('NaN'))
    .map(({ ends: [a, b], low, high }) =>
      sort(a) <= sort(b) ? { [low]: a, [high]: b } : { [low]: b, [high]: a },
    )
}

const groupings = fc
  .uniqueArray(fc.constantFrom(...PROPERTIES), { maxLength: 3 })
  .chain((names) => fc.tuple(...names.map(groupingOf)))
  // The service allows ten groups per object.
  .filter((list) => list.reduce((most, { ranges = [0] }) => most * ranges.length, 1) <= 10)

const cases = fc.record({
  objects,
  earlier: objects,
  requests: fc.array(
    fc.record({ metrics, groupings, below: fc.option(fc.integer({ min: -6, max: 6 })) }),
    { minLength: 1, maxLength: 6 },
  ),
})

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

it('aggregations agree with the model', async () => {
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
      for (const request of how.requests) await check(apiName, how.objects, request)
    }),
    fcOptions(150, 60),
  )
  // Leaves time to shrink a failure.
}, 300_000)

interface AggregateRequest {
  readonly metrics: readonly ModelMetric[]
  readonly groupings: readonly ModelGrouping[]
  readonly below: number | null
}

async function check(
  apiName: string,
  all: readonly ModelObject[],
  { metrics, groupings, below }: AggregateRequest,
): Promise<void> {
  const response = await service.send(
    `/api/v1/ontologies/${apiName}/objects/${apiName}/aggregate`,
    {
      json: {
        aggregation: metrics.map(({ type, property, name }) =>
          type === 'count' ? { type, name } : { type, name, field: `properties.${property}` },
        ),
        query: below === null ? null : { type: 'lt', field: 'properties.integer', value: below },
        groupBy: groupings.map(({ property, seconds, ...grouping }) => ({
          ...grouping,
          field: `properties.${property}`,
          ...(seconds === undefined ? {} : { duration: isoDuration(seconds) }),
        })),
      },
    },
  )
  expect(response.status).toBe(200)
  const matching = all.filter(
    ({ integer }) => below === null || (typeof integer === 'number' && integer < below),
  )
  const expected = aggregateModel(matching, metrics, groupings)
  const rows = response.body.data as ModelRow[]
  expect(rows.map(({ group }) => group)).toEqual(expected.rows.map(({ group }) => group))
  rows.forEach((row, index) => {
    row.metrics.forEach((metric, at) => {
      const expectedMetric = expected.rows[index]?.metrics[at]
      if (metrics[at]?.property === 'double' && typeof expectedMetric?.value === 'number') {
        // Sums of doubles depend on the order of addition, so the last digits may differ.
        const { value } = expectedMetric
        expect(Math.abs(Number(metric.value) - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-15)
      } else expect(metric).toEqual(expectedMetric)
    })
  })
  const isLimited = groupings.some(({ maxGroupCount }) => maxGroupCount !== undefined)
  expect(response.body.excludedItems).toBe(isLimited ? expected.excludedItems : undefined)
}

function isoDuration(seconds: number): string {
  return `P${Math.floor(seconds / 86_400)}DT${seconds % 86_400}S`
}
