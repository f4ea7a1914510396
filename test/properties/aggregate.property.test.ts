import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
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

const PROPERTIES = Object.keys(TYPES) as ModelType[]
const NUMBERS: ModelType[] = ['integer', 'long', 'double', 'decimal']
const TIMES: ModelType[] = ['date', 'timestamp']

const millis = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map((days) => days * 86_400_000),
  fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }).map((seconds) => seconds * 1000),
  fc.integer({ min: -100_000, max: 100_000 }),
)

const LARGE_DOUBLES = [2 ** 60, -(2 ** 60), 2 ** 63, 1.5e300, Number.MAX_VALUE, -Number.MAX_VALUE]

/** Few distinct values, so that groups form, and some that break naive arithmetic. */
const VALUES: Readonly<Record<ModelType, fc.Arbitrary<unknown>>> = {
  string: fc.constantFrom('', 'a', 'A', 'b', '"\\', 'é', '\uffff', '\u{1f600}', 'NaN', '1'),
  boolean: fc.boolean(),
  integer: fc.oneof(
    fc.integer({ min: -6, max: 6 }),
    fc.constantFrom(-(2 ** 31), 2 ** 31 - 1),
    fc.integer(),
  ),
  long: fc
    .oneof(
      fc.bigInt({ min: -6n, max: 6n }),
      fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    )
    .map(String),
  // Quarters, whose sums are exact in any order.
  double: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -20, max: 20 }).map((n) => n / 4 + 0) },
    { weight: 1, arbitrary: fc.constantFrom(...LARGE_DOUBLES) },
    { weight: 1, arbitrary: fc.constantFrom('NaN', 'Infinity', '-Infinity') },
  ),
  decimal: fc.oneof(
    fc.constantFrom('0', '0.10', '0.1', '-0.1', '1.25', '-3', '9.9999999999', '-0.0000000001'),
    fc
      .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 999 }))
      .map(([whole, fraction]) => `${whole}.${fraction}`),
  ),
  date: millis.map((ms) => new Date(ms).toISOString().slice(0, 10)),
  timestamp: fc
    .tuple(millis, fc.oneof(fc.constantFrom(0, 1, 999), fc.integer({ min: 0, max: 999 })))
    .map(([ms, micros]) => {
      const text = new Date(ms).toISOString()
      if (micros > 0) return text.replace('Z', `${String(micros).padStart(3, '0')}Z`)
      return text.replace('.000Z', 'Z')
    }),
}

const objects = fc.uniqueArray(
  fc.record(
    {
      id: fc.integer({ min: 0, max: 60 }),
      ...(Object.fromEntries(
        PROPERTIES.map((name) => [name, fc.option(VALUES[name], { freq: 4, nil: undefined })]),
      ) as Record<ModelType, fc.Arbitrary<unknown>>),
    },
    { requiredKeys: ['id'] },
  ),
  { maxLength: 40, selector: ({ id }) => id },
)

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
      await service.apply({
        apiName,
        objectTypes: [
          {
            apiName,
            primaryKey: 'id',
            properties: {
              id: { type: 'integer' },
              ...Object.fromEntries(PROPERTIES.map((type) => [type, { type }])),
            },
          },
        ],
      })
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
