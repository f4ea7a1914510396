import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from '../support/service.ts'

const FLEET: OntologyDefinition = {
  apiName: 'fleet',
  objectTypes: [
    {
      apiName: 'car',
      primaryKey: 'id',
      properties: {
        id: { type: 'string' },
        owner: { type: 'string' },
        year: { type: 'integer' },
        price: { type: 'decimal' },
        colour: { type: 'string' },
      },
    },
    {
      apiName: 'van',
      primaryKey: 'id',
      properties: {
        id: { type: 'string' },
        year: { type: 'integer' },
        price: { type: 'decimal' },
        colour: { type: 'integer' },
      },
    },
    {
      apiName: 'person',
      primaryKey: 'name',
      properties: { name: { type: 'string' }, city: { type: 'string' } },
    },
    { apiName: 'ship', primaryKey: 'id', properties: { id: { type: 'string' } } },
  ],
  linkTypes: [
    { apiName: 'owner', reverseApiName: 'cars', from: 'car', to: 'person', foreignKey: 'owner' },
  ],
}

const CARS = [
  { id: 'a', owner: 'Ada', year: 2019, price: '10.5', colour: 'red' },
  { id: 'b', owner: 'Ada', year: 2020, price: '20', colour: 'red' },
  { id: 'c', owner: 'Bob', year: 2020, colour: 'blue' },
]
const VANS = [
  { id: 'v', year: 2020, price: '0.25' },
  { id: 'w', year: 2018, price: '7' },
]

const AGGREGATE = '/api/v2/ontologies/fleet/objectSets/aggregate'
const count = { type: 'count', name: 'count' }
const base = (objectType: string) => ({ type: 'base', objectType })
const byYear = [{ type: 'exact', field: 'year' }]

describe('aggregate object sets', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    expect((await service.apply(FLEET)).status).toBe(200)
    const people = [
      { name: 'Ada', city: 'Bern' },
      { name: 'Bob', city: 'Rome' },
    ]
    for (const [type, objects] of Object.entries({ car: CARS, van: VANS, person: people })) {
      expect((await service.put('fleet', type, objects)).status).toBe(200)
    }
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const ask = (body: unknown, path = AGGREGATE) => service.send(path, { json: body })

  async function rowsOf(body: object): Promise<[object, ...unknown[]][]> {
    const { status, body: answer } = await ask({ groupBy: [], ...body })
    expect([status, answer.errorName, answer.accuracy]).toEqual([200, undefined, 'ACCURATE'])
    return answer.data.map((row: { group: object; metrics: { value: unknown }[] }) => [
      row.group,
      ...row.metrics.map(({ value }) => value),
    ])
  }

  it('accepts what the published client sends', async () => {
    const objectSet = {
      type: 'filter',
      objectSet: base('car'),
      where: { type: 'eq', field: 'colour', value: 'red' },
    }
    const max = { type: 'max', name: 'year.max', field: 'year' }
    const { body } = await ask({ objectSet, groupBy: [], aggregation: [count, max] })
    expect(body).toEqual({
      accuracy: 'ACCURATE',
      data: [
        {
          group: {},
          metrics: [
            { name: 'count', value: 2 },
            { name: 'year.max', value: 2020 },
          ],
        },
      ],
    })
  })

  it('covers set operations, links and stored sets', async () => {
    const where = (value: unknown) => ({
      type: 'filter',
      objectSet: base('car'),
      where: { type: 'eq', field: 'year', value },
    })
    const union = { type: 'union', objectSets: [where(2019), where(2020), where(2020)] }
    expect(await rowsOf({ objectSet: union, aggregation: [count], groupBy: byYear })).toEqual([
      [{ year: 2019 }, 1],
      [{ year: 2020 }, 2],
    ])
    const subtract = { type: 'subtract', objectSets: [base('car'), where(2020)] }
    expect(await rowsOf({ objectSet: subtract, aggregation: [count] })).toEqual([[{}, 1]])
    const owners = { type: 'searchAround', objectSet: where(2020), link: 'owner' }
    const byCity = [{ type: 'exact', field: 'city' }]
    expect(await rowsOf({ objectSet: owners, aggregation: [count], groupBy: byCity })).toEqual([
      [{ city: 'Bern' }, 1],
      [{ city: 'Rome' }, 1],
    ])
    const stored = await ask(
      { objectSet: owners },
      AGGREGATE.replace('aggregate', 'createTemporary'),
    )
    const reference = { type: 'reference', reference: stored.body.objectSetRid }
    expect(await rowsOf({ objectSet: reference, aggregation: [count] })).toEqual([[{}, 2]])
    const loaded = await ask(
      { objectSet: base('car') },
      AGGREGATE.replace('aggregate', 'loadObjects'),
    )
    const objects = loaded.body.data.map((car: { __rid: string }) => car.__rid).slice(0, 2)
    const max = { type: 'max', field: 'year' }
    expect(
      await rowsOf({ objectSet: { type: 'static', objects }, aggregation: [count, max] }),
    ).toEqual([[{}, 2, 2020]])
  })

  it('aggregates several object types as if they were one', async () => {
    const objectSet = { type: 'union', objectSets: [base('car'), base('van')] }
    const aggregation = [
      count,
      { type: 'sum', field: 'price' },
      { type: 'exactDistinct', field: 'price' },
      { type: 'approximatePercentile', field: 'price', approximatePercentile: 50 },
      { type: 'max', field: 'id' },
    ]
    expect(await rowsOf({ objectSet, aggregation })).toEqual([[{}, 5, 37.75, 4, 7, 'w']])
    expect(await rowsOf({ objectSet, aggregation: [count] })).toEqual([[{}, 5]])
    expect(await rowsOf({ objectSet, aggregation, groupBy: byYear })).toEqual([
      [{ year: 2018 }, 1, 7, 1, 7, 'w'],
      [{ year: 2019 }, 1, 10.5, 1, 10.5, 'a'],
      [{ year: 2020 }, 3, 20.25, 2, 0.25, 'v'],
    ])
    const ranges = [{ startValue: 2020 }, { startValue: 2018, endValue: 2021 }]
    const byRange = [{ type: 'ranges', field: 'year', ranges }]
    expect(await rowsOf({ objectSet, aggregation: [count], groupBy: byRange })).toEqual([
      [{ year: ranges[0] }, 3],
      [{ year: ranges[1] }, 5],
    ])
    const ordered = [{ type: 'avg', field: 'price', direction: 'DESC' }]
    const { body } = await ask({
      objectSet,
      aggregation: ordered,
      groupBy: [{ type: 'exact', field: 'year', maxGroupCount: 2 }],
    })
    expect([body.excludedItems, body.data.map(({ group }: { group: object }) => group)]).toEqual([
      1,
      [{ year: 2019 }, { year: 2020 }],
    ])
    // A type without objects has no table yet.
    const withShips = { type: 'union', objectSets: [base('ship'), base('car')] }
    const distinct = { type: 'exactDistinct', field: 'id' }
    expect(await rowsOf({ objectSet: withShips, aggregation: [count, distinct] })).toEqual([
      [{}, 3, 3],
    ])
  })

  it('rejects what it cannot aggregate', async () => {
    const set = { type: 'union', objectSets: [base('car'), base('van')] }
    const metric = (field: string) => [{ type: 'exactDistinct', field }]
    const refused = async (body: object) => {
      const { status, body: answer } = await ask({ groupBy: [], ...body })
      return [status, answer.errorName]
    }
    expect(await refused({ objectSet: set, aggregation: metric('colour') })).toEqual([
      400,
      'IncompatibleNestedObjectSet',
    ])
    expect(await refused({ objectSet: set, aggregation: metric('owner') })).toEqual([
      404,
      'PropertiesNotFound',
    ])
    expect(await refused({ objectSet: base('bus'), aggregation: [count] })).toEqual([
      404,
      'ObjectTypeNotFound',
    ])
    expect(await refused({ aggregation: [count] })).toEqual([422, 'Conjure:UnprocessableEntity'])
    expect(await refused({ objectSet: set, where: null, aggregation: [count] })).toEqual([
      422,
      'Conjure:UnprocessableEntity',
    ])
    const json = { objectSet: set, aggregation: [count] }
    expect((await service.send(AGGREGATE, { json, token: null })).status).toBe(401)
    const stranger = await service.createToken({ ontologies: ['other'] })
    expect((await service.send(AGGREGATE, { json, token: stranger })).status).toBe(404)
    const branch = await ask(json, `${AGGREGATE}?branch=other`)
    expect([branch.status, branch.body.errorName]).toEqual([404, 'FoundryBranchNotFound'])
  })
})
