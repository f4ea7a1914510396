/** The official `@osdk/client`, unmodified, against a running service. */
import { type Client, createClient, type WhereClause } from '@osdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { Airport, Country, NumberType } from '../support/sdk-types.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const AIRPORTS = [
  { id: 'A', name: 'Alpha', elevation: 10, passengers: '9007199254740993', countryCode: 'CH' },
  { id: 'B', name: 'Beta', elevation: 20, opened: '1948-06-14', countryCode: 'CH' },
  { id: 'C', name: 'Gamma Lake', elevation: 30, countryCode: 'DE', aliases: ['G', 'GL'] },
  { id: 'D' },
]

describe('@osdk/client', () => {
  let service: Service
  let aviation: Client
  let numbersClient: Client
  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
    await service.apply(NUMBERS)
    await service.put('aviation', 'country', [{ code: 'CH', name: 'Switzerland' }, { code: 'DE' }])
    await service.put('aviation', 'airport', AIRPORTS)
    await service.put('numbers', 'number', numbers(25_000))
    const clientOf = async (ontology: string) => {
      const { body } = await service.send(`/api/v2/ontologies/${ontology}`)
      return createClient(service.url, body.rid, async () => ADMIN_TOKEN)
    }
    aviation = await clientOf('aviation')
    numbersClient = await clientOf('numbers')
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const keys = (objects: Iterable<{ readonly $primaryKey: unknown }>) =>
    [...objects].map((object) => object.$primaryKey).join('')

  it('fetches pages until the last one', async () => {
    const first = await aviation(Airport).fetchPage({ $pageSize: 3 })
    expect(keys(first.data)).toBe('ABC')
    expect(first.totalCount).toBe('4')
    const second = await aviation(Airport).fetchPage({
      $pageSize: 3,
      $nextPageToken: first.nextPageToken ?? '',
    })
    expect(keys(second.data)).toBe('D')
    expect(second.nextPageToken).toBeUndefined()
  })

  it('hydrates objects: values, key, title, type and RID', async () => {
    const [airport] = (await aviation(Airport).fetchPage({ $includeRid: true, $pageSize: 1 })).data
    expect(airport).toMatchObject({
      $primaryKey: 'A',
      $title: 'Alpha',
      $apiName: 'airport',
      $objectType: 'airport',
      $rid: expect.stringMatching(/^ri\.phonograph2-objects\.main\.object\./),
      elevation: 10,
      passengers: '9007199254740993',
    })
  })

  it('fetches one object, and fails if there is none', async () => {
    const airport = await aviation(Airport).fetchOne('B')
    expect([airport.name, airport.opened]).toEqual(['Beta', '1948-06-14'])
    await expect(aviation(Airport).fetchOne('X')).rejects.toThrow()
    const number = await numbersClient(NumberType).fetchOne(12_345)
    expect([number.$primaryKey, number.n]).toEqual([12_345, 12_345])
  })

  it('iterates over 25,000 objects as of one snapshot, while others write', async () => {
    const seen: number[] = []
    for await (const { $primaryKey } of numbersClient(NumberType).asyncIter()) {
      seen.push(Number($primaryKey))
      if (seen.length % 5000 === 1) {
        await service.write('numbers', 'number', [
          { delete: 24_999 - seen.length },
          { put: { n: 30_000 + seen.length } },
        ])
      }
    }
    expect(seen).toEqual(numbers(25_000).map(({ n }) => n))
  })

  it('filters with where', async () => {
    const where = async (clause: WhereClause<Airport>) =>
      keys((await aviation(Airport).where(clause).fetchPage()).data)
    expect(await where({ elevation: { $gt: 10 } })).toBe('BC')
    expect(await where({ $and: [{ elevation: { $gte: 10 } }, { elevation: { $lt: 30 } }] })).toBe(
      'AB',
    )
    expect(await where({ countryCode: 'CH', name: { $ne: 'Alpha' } })).toBe('B')
    expect(await where({ name: { $in: ['Alpha', 'Gamma Lake'] } })).toBe('AC')
    expect(await where({ name: { $isNull: true } })).toBe('D')
    expect(await where({ name: { $startsWith: 'gam' } })).toBe('C')
    expect(await where({ name: { $containsAnyTerm: 'lake alpha' } })).toBe('AC')
    expect(await where({ name: { $containsAllTerms: 'lake gamma' } })).toBe('C')
    expect(await where({ name: { $containsAllTermsInOrder: 'gamma lake' } })).toBe('C')
    expect(await where({ aliases: { $contains: 'GL' } })).toBe('C')
    expect(await where({ $or: [{ id: 'A' }, { $not: { elevation: { $lt: 25 } } }] })).toBe('ACD')
  })

  it('orders and selects', async () => {
    const { data } = await aviation(Airport).fetchPage({
      $orderBy: { elevation: 'desc' },
      $select: ['elevation'],
    })
    expect(keys(data)).toBe('CBAD')
    expect(data[0]).toMatchObject({ elevation: 30 })
    expect(data[0]).not.toHaveProperty('name')
  })

  it('combines object sets and follows links', async () => {
    const airports = aviation(Airport)
    const swiss = airports.where({ countryCode: 'CH' })
    const high = airports.where({ elevation: { $gt: 15 } })
    expect(keys((await swiss.union(high).fetchPage()).data)).toBe('ABC')
    expect(keys((await swiss.intersect(high).fetchPage()).data)).toBe('B')
    expect(keys((await airports.subtract(swiss, high).fetchPage()).data)).toBe('D')
    const pivoted = aviation(Country).where({ code: 'CH' }).pivotTo('airports')
    expect(keys((await pivoted.fetchPage()).data)).toBe('AB')
    const airport = await airports.fetchOne('A')
    expect((await airport.$link.country.fetchOne()).name).toBe('Switzerland')
    const country = await aviation(Country).fetchOne('CH')
    expect(keys((await country.$link.airports.fetchPage()).data)).toBe('AB')
  })

  it('fetches metadata', async () => {
    const metadata = await aviation.fetchMetadata(Airport)
    expect(metadata).toMatchObject({
      apiName: 'airport',
      displayName: 'Airport',
      primaryKeyApiName: 'id',
      primaryKeyType: 'string',
      titleProperty: 'name',
      icon: { type: 'blueprint', name: 'cube', color: '#4C90F0' },
    })
    expect(metadata.properties['elevation']).toMatchObject({ type: 'integer', nullable: true })
    expect(metadata.properties['aliases']).toMatchObject({ type: 'string', multiplicity: true })
    expect(metadata.links['country']).toMatchObject({ targetType: 'country', multiplicity: false })
  })

  it('reports errors by name', async () => {
    const unknown = { ...NumberType, apiName: 'nmber' } as NumberType
    await expect(numbersClient(unknown).fetchPage()).rejects.toMatchObject({
      errorName: 'ObjectTypeNotFound',
      errorCode: 'NOT_FOUND',
      statusCode: 404,
    })
  })
})
