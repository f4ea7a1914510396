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
  type TimeUnit,
  TYPES,
} from '../support/aggregate-model.ts'
import { fcOptions } from '../support/fc-options.ts'
import { type Service, startService } from '../support/service.ts'

const percentile = fc.oneof(
  fc.constantFrom(0, 7, 50, 99, 100),
  fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10),
)

const metrics = fc
  .array(
    fc.oneof(
      fc.record({
        type: fc.constantFrom('count', 'approximateDistinct', 'exactDistinct'),
        property: fc.constantFrom(...PROPERTIES),
      }),
      fc.record({
        type: fc.constantFrom('min', 'max'),
        property: fc.constantFrom<ModelType>(...NUMBERS, ...TIMES, 'string'),
      }),
      fc.record({
        type: fc.constant('approximatePercentile'),
        property: fc.constantFrom(...NUMBERS, ...TIMES),
        percentile,
      }),
      fc.record({ type: fc.constantFrom('sum', 'avg'), property: fc.constantFrom(...NUMBERS) }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((list): ModelMetric[] => list.map((metric, index) => ({ ...metric, name: `m${index}` })))

function exactOf(property: ModelType): fc.Arbitrary<ModelGrouping> {
  const exact = { type: fc.constant('exact' as const), property: fc.constant(property) }
  const limited = { ...exact, maxGroupCount: fc.integer({ min: 1, max: 6 }) }
  return fc.oneof(
    fc.record(limited, { requiredKeys: ['type', 'property'] }),
    fc.record(
      { ...limited, includeNullValues: fc.boolean() },
      { requiredKeys: ['type', 'property'] },
    ),
    fc.record(
      { ...limited, defaultValue: VALUES[property] },
      { requiredKeys: ['type', 'property'] },
    ),
  )
}

const CALENDAR_UNITS: TimeUnit[] = ['WEEKS', 'MONTHS', 'QUARTERS', 'YEARS']
const SHORT_UNITS: TimeUnit[] = ['MILLISECONDS', 'SECONDS', 'MINUTES', 'HOURS']

function groupingOf(property: ModelType): fc.Arbitrary<ModelGrouping> {
  const exact = exactOf(property)
  const isNumber = NUMBERS.includes(property)
  if (!isNumber && !TIMES.includes(property)) return exact
  const ranges = fc.record({
    type: fc.constant('ranges' as const),
    property: fc.constant(property),
    ranges: fc.array(rangeOf(property), { minLength: 1, maxLength: 4 }),
  })
  if (isNumber) return fc.oneof(exact, ranges)
  const duration = { type: fc.constant('duration' as const), property: fc.constant(property) }
  const units: TimeUnit[] = property === 'date' ? ['DAYS'] : [...SHORT_UNITS, 'DAYS']
  return fc.oneof(
    exact,
    ranges,
    fc.record({ ...duration, value: fc.constant(1), unit: fc.constantFrom(...CALENDAR_UNITS) }),
    fc.record({
      ...duration,
      value: fc.constantFrom(1, 2, 7, 500, 100_000),
      unit: fc.constantFrom(...units),
    }),
  )
}

function rangeOf(property: ModelType) {
  const sort = TYPES[property].sort as (value: unknown) => string | number | bigint
  return fc
    .record({
      ends: fc.tuple(VALUES[property], VALUES[property]),
      bounds: fc.constantFrom('both', 'both', 'startValue', 'endValue'),
    })
    .filter(({ ends }) => !ends.includes('NaN'))
    .map(({ ends: [a, b], bounds }): Record<string, unknown> => {
      const [startValue, endValue] = sort(a) <= sort(b) ? [a, b] : [b, a]
      return bounds === 'both'
        ? { startValue, endValue }
        : bounds === 'startValue'
          ? { startValue }
          : { endValue }
    })
}

const groupings = fc
  .uniqueArray(fc.constantFrom(...PROPERTIES), { maxLength: 3 })
  .chain((names) => fc.tuple(...names.map(groupingOf)))
  // The service allows ten groups per object.
  .filter((list) => list.reduce((most, { ranges = [0] }) => most * ranges.length, 1) <= 10)

/** One grouping, whose groups one or more metrics order. */
const ordered = fc
  .record({
    metrics,
    directions: fc.array(fc.constantFrom('ASC' as const, 'DESC' as const, undefined), {
      minLength: 5,
      maxLength: 5,
    }),
    grouping: fc.constantFrom(...PROPERTIES).chain(groupingOf),
  })
  .filter(({ grouping }) => grouping.includeNullValues !== true)
  .map(({ metrics: list, directions, grouping }) => ({
    groupings: [grouping],
    metrics: list.map((metric, index): ModelMetric => {
      const direction = directions[index]
      const isInexact = metric.property === 'double' && /sum|avg/.test(metric.type)
      return direction === undefined || isInexact ? metric : { ...metric, direction }
    }),
  }))

const cases = fc.record({
  objects,
  earlier: objects,
  requests: fc.array(
    fc.record({
      aggregation: fc.oneof(fc.record({ metrics, groupings }), ordered),
      below: fc.option(fc.integer({ min: -6, max: 6 })),
    }),
    { minLength: 1, maxLength: 6 },
  ),
})

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

it('aggregations of v2 agree with the model', async () => {
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
      for (const { aggregation, below } of how.requests) {
        await check(apiName, how.objects, aggregation, below)
      }
    }),
    fcOptions(150, 60),
  )
  // Leaves time to shrink a failure.
}, 300_000)

interface ModelAggregation {
  readonly metrics: readonly ModelMetric[]
  readonly groupings: readonly ModelGrouping[]
}

async function check(
  apiName: string,
  all: readonly ModelObject[],
  { metrics, groupings }: ModelAggregation,
  below: number | null,
): Promise<void> {
  const where = below === null ? undefined : { type: 'lt', field: 'integer', value: below }
  const response = await service.send(
    `/api/v2/ontologies/${apiName}/objects/${apiName}/aggregate`,
    {
      json: {
        aggregation: metrics.map(({ property, percentile: approximatePercentile, ...metric }) => ({
          ...metric,
          ...(metric.type === 'count' ? {} : { field: property }),
          approximatePercentile,
        })),
        where,
        groupBy: groupings.map(({ property, defaultValue, ...grouping }) => ({
          ...grouping,
          ...(defaultValue === undefined ? {} : { defaultValue: String(defaultValue) }),
          propertyIdentifier: { type: 'property', apiName: property },
        })),
      },
    },
  )
  expect(response.body).toMatchObject({ accuracy: 'ACCURATE' })
  const matching = all.filter(
    ({ integer }) => below === null || (typeof integer === 'number' && integer < below),
  )
  const expected = aggregateModel(matching, metrics, groupings, 'text')
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
