import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service.ts'

/** Groups by element and by cell, by example; a property test compares them with a model. */

const AGGREGATE = '/api/v2/ontologies/map/objects/place/aggregate'
const COUNT = [{ type: 'count', name: 'n' }]
const point = (...coordinates: number[]) => ({ type: 'Point', coordinates })

let service: Service
beforeAll(async () => {
  service = await startService({ settings: { OQS_AGGREGATE_MAX_GROUPS: '100' } })
  await service.apply({
    apiName: 'map',
    objectTypes: [
      {
        apiName: 'place',
        primaryKey: 'id',
        properties: {
          id: { type: 'integer' },
          tags: { type: 'array', items: { type: 'string' } },
          names: { type: 'array', items: { type: 'struct', fields: { text: { type: 'string' } } } },
          at: { type: 'geopoint' },
          visited: { type: 'array', items: { type: 'geopoint' } },
        },
      },
    ],
  })
  await service.put('map', 'place', [
    { id: 1, tags: ['a', 'b', 'a'], at: point(0, 0) },
    { id: 2, tags: ['b'], at: point(10, 10, 400) },
    { id: 3, tags: [], at: point(179, 1) },
    { id: 4, at: point(-179, 1) },
    { id: 5, tags: ['c', 'b'] },
  ])
})
afterAll(() => service[Symbol.asyncDispose]())

const aggregate = (json: object) =>
  service.send(AGGREGATE, { json: { aggregation: COUNT, ...json } })

async function groups(...groupBy: object[]) {
  const { status, body } = await aggregate({ groupBy })
  expect([status, body.errorName]).toEqual([200, undefined])
  const data = body.data as { group: Record<string, unknown>; metrics: { value: number }[] }[]
  return data.map(({ group, metrics }) => [...Object.values(group), metrics[0]?.value])
}

const grid = (west: number, south: number, east: number, north: number, columns = 1, rows = 1) => ({
  type: 'geoGrid',
  field: 'at',
  box: { west, south, east, north },
  columns,
  rows,
})
const cell = (west: number, south: number, east: number, north: number) => ({
  west,
  south,
  east,
  north,
})

describe('groups by element', () => {
  it('count an object once for each of its distinct elements', async () => {
    expect(await groups({ type: 'exact', field: 'tags' })).toEqual([
      ['a', 1],
      ['b', 3],
      ['c', 1],
    ])
  })

  it('keep the largest, and say what was dropped', async () => {
    const groupBy = [{ type: 'exact', field: 'tags', maxGroupCount: 1 }]
    const { body } = await aggregate({ groupBy })
    expect(body.data).toEqual([{ group: { tags: 'b' }, metrics: [{ name: 'n', value: 3 }] }])
    expect(body.excludedItems).toBe(2)
  })

  it.each([
    [{ defaultValue: 'none' }, 'groupBy[0].defaultValue'],
    [{ includeNullValues: true }, 'groupBy[0].includeNullValues'],
  ])('%j is refused', async (members, parameter) => {
    const { status, body } = await aggregate({
      groupBy: [{ type: 'exact', field: 'tags', ...members }],
    })
    expect([status, body.parameters.parameter]).toEqual([422, parameter])
  })

  it.each(['names', 'visited', 'at'])('%s has no elements to group by', async (field) => {
    const { body } = await aggregate({ groupBy: [{ type: 'exact', field }] })
    expect(body.errorName).toBe('InvalidPropertyType')
  })
})

describe('groups by cell', () => {
  it('are named by their edges, from the south-west on', async () => {
    expect(await groups(grid(0, 0, 20, 20, 2, 2))).toEqual([
      [cell(0, 0, 10, 10), 1],
      // On the corner of four cells: it belongs to the north-eastern one.
      [cell(10, 10, 20, 20), 1],
    ])
    // The outer edges of the grid belong to its last cells.
    expect(await groups(grid(-10, -10, 10, 10, 2, 2))).toEqual([[cell(0, 0, 10, 10), 2]])
    expect(await groups(grid(-180, -90, 180, 90))).toEqual([[cell(-180, -90, 180, 90), 4]])
  })

  it('cross the antimeridian', async () => {
    expect(await groups(grid(170, 0, -170, 2, 2))).toEqual([
      [cell(170, 0, 180, 2), 1],
      [cell(180, 0, -170, 2), 1],
    ])
    expect(await groups(grid(-170, 0, 170, 2))).toEqual([[cell(-170, 0, 170, 2), 1]])
  })

  it('combine with elements and with a version', async () => {
    expect(await groups({ type: 'exact', field: 'tags' }, grid(0, 0, 20, 20))).toEqual([
      ['a', cell(0, 0, 20, 20), 1],
      ['b', cell(0, 0, 20, 20), 2],
    ])
    const before = await aggregate({ groupBy: [grid(0, 0, 20, 20)], version: 0 })
    expect(before.body.data).toEqual([])
  })

  it('are limited like other groups, before anything is read', async () => {
    expect((await aggregate({ groupBy: [grid(0, 0, 1, 1, 10, 10)] })).status).toBe(200)
    expect((await aggregate({ groupBy: [grid(0, 0, 1, 1, 101, 1)] })).body).toMatchObject({
      errorName: 'AggregationGroupCountExceededLimit',
      parameters: { groupsCount: 101, groupsLimit: 100 },
    })
  })

  it.each([
    [{ box: null }, 'groupBy[0].box'],
    [{ columns: undefined }, 'groupBy[0].columns'],
    [{ rows: null }, 'groupBy[0].rows'],
    [{ columns: 0 }, 'groupBy[0].columns'],
    [{ columns: 513 }, 'groupBy[0].columns'],
    [{ rows: 1.5 }, 'groupBy[0].rows'],
    [{ box: cell(0, 0, 0, 1) }, 'groupBy[0].box'],
    [{ box: cell(0, 1, 1, 1) }, 'groupBy[0].box'],
    [{ box: cell(-181, 0, 0, 1) }, 'groupBy[0].box'],
    [{ box: cell(0, 0, 1, 91) }, 'groupBy[0].box'],
    [{ box: { west: 0, south: 0, east: 1 } }, 'groupBy[0].box.north'],
    [{ maxGroupCount: 5 }, 'groupBy[0].maxGroupCount'],
  ])('%j is refused', async (members, parameter) => {
    const { status, body } = await aggregate({ groupBy: [{ ...grid(0, 0, 1, 1), ...members }] })
    expect([status, body.parameters.parameter]).toEqual([422, parameter])
  })

  it('do not exist in revision 1.0, nor groups by element', async () => {
    const path = AGGREGATE.replace('v2', 'v1')
    const ask = (grouping: object) =>
      service.send(path, { json: { aggregation: [{ type: 'count' }], groupBy: [grouping] } })
    const cells = await ask({ type: 'geoGrid', field: 'properties.at' })
    expect(cells.body.errorName).toBe('Default:InvalidArgument')
    const elements = await ask({ type: 'exact', field: 'properties.tags' })
    expect(elements.body.errorName).toBe('InvalidPropertyType')
  })
})

it('tells a struct field from a property whose name is its path', async () => {
  await using other = await startService()
  await other.apply({
    apiName: 'paths',
    objectTypes: [
      {
        apiName: 'row',
        primaryKey: 'id',
        properties: {
          id: { type: 'integer' },
          a: { type: 'struct', fields: { b: { type: 'string' } } },
          'a.b': { type: 'string' },
        },
      },
    ],
  })
  await other.put('paths', 'row', [
    { id: 1, a: { b: 'x' }, 'a.b': 'y' },
    { id: 2, a: { b: 'x' }, 'a.b': 'z' },
  ])
  const structField = { type: 'structField', propertyApiName: 'a', structFieldApiName: 'b' }
  const { body } = await other.send('/api/v2/ontologies/paths/objects/row/aggregate', {
    json: {
      groupBy: [],
      aggregation: [
        { type: 'exactDistinct', name: 'field', propertyIdentifier: structField },
        { type: 'exactDistinct', name: 'property', field: 'a.b' },
      ],
    },
  })
  expect(body.data).toEqual([
    {
      group: {},
      metrics: [
        { name: 'field', value: 1 },
        { name: 'property', value: 2 },
      ],
    },
  ])
})
