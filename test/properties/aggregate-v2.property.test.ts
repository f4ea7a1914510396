import fc from 'fast-check'
import { afterAll, beforeAll, it } from 'vitest'
import { NUMBERS, PROPERTIES, TIMES, VALUES } from '../support/aggregate-arbitraries.ts'
import {
  below,
  checkAggregations,
  namedMetrics,
  severalGroupings,
} from '../support/aggregate-check.ts'
import {
  type ModelGrouping,
  type ModelMetric,
  type ModelType,
  type TimeUnit,
  TYPES,
} from '../support/aggregate-model.ts'
import { type Service, startService } from '../support/service.ts'

const percentile = fc.oneof(
  fc.constantFrom(0, 7, 50, 99, 100),
  fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10),
)

const metrics = namedMetrics(
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
)

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
      return direction === undefined ? metric : { ...metric, direction }
    }),
  }))

const unordered = fc.record({ metrics, groupings: severalGroupings(groupingOf) })
const request = fc
  .tuple(fc.oneof(unordered, ordered), below)
  .map(([aggregation, limit]) => ({ ...aggregation, below: limit }))

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

it('aggregations of v2 agree with the model', async () => {
  await checkAggregations(service, request, {
    times: 'text',
    members: { accuracy: 'ACCURATE' },
    path: (apiName) => `/api/v2/ontologies/${apiName}/objects/${apiName}/aggregate`,
    body: ({ metrics, groupings, below }) => ({
      aggregation: metrics.map(({ property, percentile: approximatePercentile, ...metric }) => ({
        ...metric,
        ...(metric.type === 'count' ? {} : { field: property }),
        approximatePercentile,
      })),
      where: below === null ? undefined : { type: 'lt', field: 'integer', value: below },
      groupBy: groupings.map(({ property, defaultValue, ...grouping }) => ({
        ...grouping,
        ...(defaultValue === undefined ? {} : { defaultValue: String(defaultValue) }),
        propertyIdentifier: { type: 'property', apiName: property },
      })),
    }),
  })
})
