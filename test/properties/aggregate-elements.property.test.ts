import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PROPERTIES, VALUES } from '../support/aggregate-arbitraries.ts'
import {
  aggregateModel,
  type ModelGrouping,
  type ModelMetric,
  type ModelObject,
  type ModelType,
} from '../support/aggregate-model.ts'
import { fcOptions } from '../support/fc-options.ts'
import { type Service, startService } from '../support/service.ts'

/** The arrays of the test type, each named after the type of its elements. */
const listOf = (type: ModelType) => `${type}s`

const DEFINITION = {
  objectTypes: [
    {
      apiName: 'thing',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' as const },
        string: { type: 'string' as const },
        integer: { type: 'integer' as const },
        geopoint: { type: 'geopoint' as const },
        other: { type: 'geopoint' as const },
        ...Object.fromEntries(
          PROPERTIES.map((type) => [listOf(type), { type: 'array' as const, items: { type } }]),
        ),
      },
    },
  ],
}

const quarters = (limit: number) =>
  fc.oneof(
    fc.integer({ min: -4 * limit, max: 4 * limit }).map((n) => n / 4 + 0),
    fc
      .constantFrom(-limit, limit, 0, 170, -170, 5, 10)
      .map((n) => Math.max(-limit, Math.min(n, limit))),
  )

const point = fc
  .tuple(quarters(180), quarters(90))
  .map((coordinates) => ({ type: 'Point', coordinates }))

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4, nil: undefined })

const objects = fc.uniqueArray(
  fc.record(
    {
      id: fc.integer({ min: 0, max: 60 }),
      string: optional(VALUES.string),
      integer: optional(VALUES.integer),
      geopoint: optional(point),
      other: optional(point),
      ...Object.fromEntries(
        PROPERTIES.map((type) => [
          listOf(type),
          optional(fc.array(VALUES[type], { maxLength: 6 })),
        ]),
      ),
    },
    { requiredKeys: ['id'] },
  ),
  { maxLength: 40, selector: ({ id }) => id as number },
) as fc.Arbitrary<ModelObject[]>

const grid = fc
  .record({
    longitudes: fc.uniqueArray(fc.constantFrom(-180, -175, -90, -20, 0, 5, 10, 170, 180), {
      minLength: 2,
      maxLength: 2,
    }),
    latitudes: fc.uniqueArray(fc.constantFrom(-90, -45, -10, 0, 7, 60, 90), {
      minLength: 2,
      maxLength: 2,
    }),
    columns: fc.constantFrom(1, 2, 3, 7, 100),
    rows: fc.constantFrom(1, 2, 5, 100),
  })
  // The same meridian twice is a box of no width for the model.
  .filter(({ longitudes: [west, east] }) => !(west === 180 && east === -180))
  .map(({ longitudes: [west = 0, east = 0], latitudes, columns, rows }) => {
    const [south = 0, north = 0] = latitudes.toSorted((a, b) => a - b)
    return { west, south, east, north, columns, rows }
  })

const elements = fc.constantFrom(...PROPERTIES).chain(
  (property): fc.Arbitrary<ModelGrouping> =>
    fc.record(
      {
        type: fc.constant('exact' as const),
        property: fc.constant(property),
        name: fc.constant(listOf(property)),
        ofElements: fc.constant(true),
        maxGroupCount: fc.integer({ min: 1, max: 6 }),
      },
      { requiredKeys: ['type', 'property', 'name', 'ofElements'] },
    ),
)
const cells: fc.Arbitrary<ModelGrouping> = fc.record({
  type: fc.constant('geoGrid' as const),
  property: fc.constant('geopoint' as const),
  grid,
})
const plain = fc.constant<ModelGrouping>({ type: 'exact', property: 'string' })

const groupings = fc.uniqueArray(fc.oneof(elements, elements, cells, plain), {
  minLength: 1,
  maxLength: 3,
  selector: ({ property, name = property }) => name,
})

const METRICS: readonly ModelMetric[] = [
  { type: 'count', property: 'integer', name: 'm0' },
  { type: 'sum', property: 'integer', name: 'm1' },
  { type: 'exactDistinct', property: 'string', name: 'm2' },
  { type: 'approximatePercentile', property: 'integer', percentile: 50, name: 'm3' },
]

const cases = fc.record({
  objects,
  earlier: objects,
  requests: fc.array(
    fc.record({ groupings, metrics: fc.subarray([...METRICS], { minLength: 1 }) }),
    { minLength: 1, maxLength: 6 },
  ),
})

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

it('groups by element and by cell agree with the model, as of each version', async () => {
  let ontologies = 0
  await fc.assert(
    fc.asyncProperty(cases, async (how) => {
      ontologies += 1
      const apiName = `elements-${ontologies}`
      expect((await service.apply({ ...DEFINITION, apiName } as never)).status).toBe(200)
      const lines = [
        ...how.earlier.map(({ id }) => ({ delete: id })),
        ...how.objects.map((object) => ({ put: object })),
      ]
      const { version } = (await service.put(apiName, 'thing', how.earlier)).body
      expect((await service.write(apiName, 'thing', lines)).status).toBe(200)
      for (const request of how.requests) {
        await check(apiName, how.objects, request, undefined)
        await check(apiName, how.earlier, request, version)
      }
    }),
    fcOptions(30, 15),
  )
})

interface ModelRequest {
  readonly groupings: readonly ModelGrouping[]
  readonly metrics: readonly ModelMetric[]
}

async function check(
  apiName: string,
  all: readonly ModelObject[],
  request: ModelRequest,
  version: number | undefined,
): Promise<void> {
  const { body } = await service.send(`/api/v2/ontologies/${apiName}/objects/thing/aggregate`, {
    json: {
      version,
      aggregation: request.metrics.map(({ property, percentile, ...metric }) => ({
        ...metric,
        ...(metric.type === 'count' ? {} : { field: property }),
        approximatePercentile: percentile,
      })),
      groupBy: request.groupings.map(({ property, name, ofElements: _, grid, ...grouping }) => {
        const { columns, rows, ...box } = grid ?? {}
        return { ...grouping, field: name ?? property, ...(grid && { box, columns, rows }) }
      }),
    },
  })
  const expected = aggregateModel(all, request.metrics, request.groupings, 'text')
  expect(body.errorName).toBeUndefined()
  expect(body.data).toEqual(expected.rows)
  const isLimited = request.groupings.some(({ maxGroupCount }) => maxGroupCount !== undefined)
  expect(body.excludedItems).toBe(isLimited ? expected.excludedItems : undefined)
}
