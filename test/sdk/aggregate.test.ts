/** Aggregations with the published packages `@osdk/client` and `@osdk/foundry.ontologies`. */
import type { ObjectMetadata, ObjectTypeDefinition, WirePropertyTypes } from '@osdk/api'
import { type Client, createClient, createPlatformClient } from '@osdk/client'
import { OntologyObjectsV2 } from '@osdk/foundry.ontologies'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const SALES: OntologyDefinition = {
  apiName: 'sales',
  objectTypes: [
    {
      apiName: 'sale',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' },
        city: { type: 'string' },
        units: { type: 'integer' },
        score: { type: 'double' },
        day: { type: 'date' },
        at: { type: 'timestamp' },
        paid: { type: 'boolean' },
      },
    },
  ],
}

const OBJECTS = [
  { id: 1, city: 'Bern', units: 3, score: 1.5, day: '2020-01-31', at: '2020-01-31T23:59:59Z' },
  { id: 2, city: 'Bern', units: 7, score: 2.5, day: '2020-02-01', paid: true },
  { id: 3, city: 'Zürich', units: 12, at: '2020-02-01T00:30:00.5Z', paid: false },
  { id: 4, units: 12 },
]

interface SaleProperty<T extends WirePropertyTypes> extends ObjectMetadata.Property {
  type: T
  multiplicity: false
  nullable: true
}

interface SaleMetadata extends ObjectMetadata {
  objectSet: unknown
  props: unknown
  strictProps: unknown
  linksType: unknown
  properties: {
    id: SaleProperty<'integer'>
    city: SaleProperty<'string'>
    units: SaleProperty<'integer'>
    score: SaleProperty<'double'>
    day: SaleProperty<'datetime'>
    at: SaleProperty<'timestamp'>
    paid: SaleProperty<'boolean'>
  }
}

interface Sale extends ObjectTypeDefinition {
  type: 'object'
  apiName: 'sale'
  __DefinitionMetadata?: SaleMetadata
}

const Sale: Sale = { type: 'object', apiName: 'sale' }

describe('aggregations of the published clients', () => {
  let service: Service
  let client: Client
  beforeAll(async () => {
    service = await startService()
    expect((await service.apply(SALES)).status).toBe(200)
    expect((await service.put('sales', 'sale', OBJECTS)).status).toBe(200)
    const { body } = await service.send('/api/v2/ontologies/sales')
    client = createClient(service.url, body.rid, async () => ADMIN_TOKEN)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('compute every metric without groups', async () => {
    const result = await client(Sale).aggregate({
      $select: {
        $count: 'unordered',
        'units:min': 'unordered',
        'units:max': 'unordered',
        'units:sum': 'unordered',
        'units:avg': 'unordered',
        'score:avg': 'unordered',
        'city:approximateDistinct': 'unordered',
        'city:exactDistinct': 'unordered',
        'day:min': 'unordered',
        'at:max': 'unordered',
      },
    })
    expect(result).toEqual({
      $count: 4,
      units: { min: 3, max: 12, sum: 34, avg: 8.5 },
      score: { avg: 2 },
      city: { approximateDistinct: 2, exactDistinct: 2 },
      day: { min: '2020-01-31' },
      at: { max: '2020-02-01T00:30:00.500Z' },
    })
    const none = await client(Sale)
      .where({ city: 'Rome' })
      .aggregate({ $select: { $count: 'unordered', 'units:max': 'unordered' } })
    expect(none).toEqual({ $count: 0, units: { max: undefined } })
  })

  it('group by value, in the order of a metric', async () => {
    const counted = { $count: 'unordered' } as const
    const sales = client(Sale)
    expect(await sales.aggregate({ $select: counted, $groupBy: { city: 'exact' } })).toEqual([
      { $group: { city: 'Bern' }, $count: 2 },
      { $group: { city: 'Zürich' }, $count: 1 },
    ])
    expect(
      await sales.aggregate({
        $select: { 'units:max': 'desc', $count: 'unordered' },
        $groupBy: { city: 'exact' },
      }),
    ).toEqual([
      { $group: { city: 'Zürich' }, $count: 1, units: { max: 12 } },
      { $group: { city: 'Bern' }, $count: 2, units: { max: 7 } },
    ])
    expect(
      await sales.aggregate({ $select: counted, $groupBy: { city: { $exactWithLimit: 1 } } }),
    ).toEqual([{ $group: { city: 'Bern' }, $count: 2 }])
    expect(
      await sales.aggregate({
        $select: counted,
        $groupBy: { paid: { $exact: { $includeNullValue: true, $limit: 5 } } },
      }),
    ).toEqual([
      { $group: { paid: false }, $count: 1 },
      { $group: { paid: true }, $count: 1 },
      { $group: { paid: null }, $count: 2 },
    ])
    expect(
      await sales.aggregate({
        $select: counted,
        $groupBy: { city: { $exact: { $defaultValue: 'nowhere' } } },
      }),
    ).toEqual([
      { $group: { city: 'Bern' }, $count: 2 },
      { $group: { city: 'Zürich' }, $count: 1 },
      { $group: { city: 'nowhere' }, $count: 1 },
    ])
  })

  it('group by width, range and duration', async () => {
    const counted = { $count: 'unordered' } as const
    const sales = client(Sale)
    expect(
      await sales.aggregate({ $select: counted, $groupBy: { units: { $fixedWidth: 5 } } }),
    ).toEqual([
      { $group: { units: 0 }, $count: 1 },
      { $group: { units: 5 }, $count: 1 },
      { $group: { units: 10 }, $count: 2 },
    ])
    expect(
      await sales.aggregate({
        $select: counted,
        $groupBy: {
          units: {
            $ranges: [
              [0, 7],
              [7, 13],
            ],
          },
        },
      }),
    ).toEqual([
      { $group: { units: { startValue: 0, endValue: 7 } }, $count: 1 },
      { $group: { units: { startValue: 7, endValue: 13 } }, $count: 3 },
    ])
    expect(
      await sales.aggregate({ $select: counted, $groupBy: { day: { $duration: [1, 'quarter'] } } }),
    ).toEqual([{ $group: { day: '2020-01-01' }, $count: 2 }])
    expect(
      await sales.aggregate({
        $select: counted,
        $groupBy: { at: { $duration: [30, 'minutes'] }, city: 'exact' },
      }),
    ).toEqual([
      { $group: { at: '2020-01-31T23:30:00Z', city: 'Bern' }, $count: 1 },
      { $group: { at: '2020-02-01T00:30:00Z', city: 'Zürich' }, $count: 1 },
    ])
  })

  it('aggregate the objects of a type, and name errors', async () => {
    const platform = createPlatformClient(service.url, async () => ADMIN_TOKEN)
    const result = await OntologyObjectsV2.aggregate(platform, 'sales', 'sale', {
      aggregation: [
        { type: 'approximatePercentile', field: 'units', approximatePercentile: 50, name: 'p50' },
      ],
      where: { type: 'gt', field: 'units', value: 3 },
      groupBy: [],
      accuracy: 'REQUIRE_ACCURATE',
    })
    expect(result).toEqual({
      accuracy: 'ACCURATE',
      data: [{ group: {}, metrics: [{ name: 'p50', value: 12 }] }],
    })
    await expect(
      OntologyObjectsV2.aggregate(platform, 'sales', 'sale', {
        aggregation: [{ type: 'sum', field: 'city' }],
        groupBy: [],
      }),
    ).rejects.toMatchObject({ errorName: 'InvalidPropertyType', statusCode: 400 })
  })
})
