import fc from 'fast-check'
import { afterAll, beforeAll, it } from 'vitest'
import { NUMBERS, PROPERTIES, TIMES, VALUES } from '../support/aggregate-arbitraries.ts'
import {
  below,
  checkAggregations,
  namedMetrics,
  severalGroupings,
} from '../support/aggregate-check.ts'
import { type ModelGrouping, type ModelType, TYPES } from '../support/aggregate-model.ts'
import { type Service, startService } from '../support/service.ts'

const metrics = namedMetrics(
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
)

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

const request = fc.record({ metrics, groupings: severalGroupings(groupingOf), below })

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

it('aggregations agree with the model', async () => {
  await checkAggregations(service, request, {
    times: 'milliseconds',
    members: {},
    path: (apiName) => `/api/v1/ontologies/${apiName}/objects/${apiName}/aggregate`,
    body: ({ metrics, groupings, below }) => ({
      aggregation: metrics.map(({ type, property, name }) =>
        type === 'count' ? { type, name } : { type, name, field: `properties.${property}` },
      ),
      query: below === null ? null : { type: 'lt', field: 'properties.integer', value: below },
      groupBy: groupings.map(({ property, seconds, ...grouping }) => ({
        ...grouping,
        field: `properties.${property}`,
        ...(seconds === undefined ? {} : { duration: isoDuration(seconds) }),
      })),
    }),
  })
})

function isoDuration(seconds: number): string {
  return `P${Math.floor(seconds / 86_400)}DT${seconds % 86_400}S`
}
