/** Interfaces with the official `@osdk/client`, unmodified, against a running service. */
import {
  type Client,
  createClient,
  type InterfaceDefinition,
  type ObjectTypeDefinition,
} from '@osdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPlaces } from '../support/places.ts'
import { ADMIN_TOKEN, type Service } from '../support/service.ts'

const osdkMetadata = { extraUserAgent: 'typescript-sdk/0.0.0 osdk-test/0.0.0' }

/** Definitions as generated code has them at run time. */
const Place = { type: 'interface', apiName: 'Place', osdkMetadata } as InterfaceDefinition
const Named = { type: 'interface', apiName: 'Named', osdkMetadata } as InterfaceDefinition
const Airport = {
  type: 'object',
  apiName: 'airport',
  osdkMetadata,
  primaryKeyApiName: 'id',
  primaryKeyType: 'string',
} as ObjectTypeDefinition

/** Without generated types, objects are looked into freely. */
// biome-ignore lint/suspicious/noExplicitAny: generated types are checked elsewhere
type Untyped = any

describe('interfaces of @osdk/client', () => {
  let service: Service
  let client: Client
  const set = (definition: object): Untyped => (client as Untyped)(definition)
  const keys = ({ data }: { data: { $primaryKey: unknown }[] }) =>
    data.map(({ $primaryKey }) => $primaryKey).join(' ')

  beforeAll(async () => {
    const started = await startPlaces()
    service = started.service
    client = createClient(service.url, started.ontologyRid, async () => ADMIN_TOKEN)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('fetches metadata', async () => {
    const metadata = (await client.fetchMetadata(Place)) as Untyped
    expect(metadata).toMatchObject({
      type: 'interface',
      apiName: 'Place',
      implements: ['Named'],
      implementedBy: ['airport', 'harbour', 'station'],
    })
    expect(Object.keys(metadata.properties)).toEqual(['height', 'opened', 'placeName'])
    expect(metadata.links).toEqual({
      state: { multiplicity: false, targetTypeApiName: 'Named', targetType: 'interface' },
    })
    const airport = (await client.fetchMetadata(Airport)) as Untyped
    expect(airport.interfaceMap.Place).toEqual({
      placeName: 'name',
      height: 'elevation',
      opened: 'opened',
    })
  })

  it('fetches objects of all types as the interface, page by page', async () => {
    const first = await set(Place).fetchPage({ $pageSize: 3 })
    expect(keys(first)).toBe('A B C')
    expect(first.data[0]).toMatchObject({
      $apiName: 'Place',
      $objectType: 'airport',
      $title: 'Zebra Field',
      placeName: 'Zebra Field',
      height: 30,
    })
    expect(first.data[0]).not.toHaveProperty('elevation')
    const second = await set(Place).fetchPage({ $pageSize: 3, $nextPageToken: first.nextPageToken })
    expect(keys(second)).toBe('1 2')
    expect(second.data[0]).toMatchObject({ $objectType: 'station', placeName: 'North', height: 20 })
    expect(second.nextPageToken).toBeUndefined()
    expect(second.totalCount).toBe('5')
  })

  it('subscribes to the objects of all types', async () => {
    const calls: string[] = []
    const { unsubscribe } = set(Place)
      .where({ height: { $lte: 10 } })
      .subscribe({
        onChange: ({ object, state }: Untyped) =>
          calls.push([state, object.$objectType, object.$primaryKey, object.placeName].join(' ')),
        onSuccessfulSubscription: () => calls.push('subscribed'),
        onError: ({ error }: Untyped) => calls.push(`error ${JSON.stringify(error)}`),
      })
    await expect.poll(() => calls).toEqual(['subscribed'])
    await service.write('places', 'station', [{ put: { number: 9, placeName: 'Pit', height: 0 } }])
    await service.write('places', 'airport', [{ put: { id: 'Z', name: 'Sea', elevation: 1 } }])
    await expect.poll(() => calls.length).toBe(3)
    await service.write('places', 'airport', [{ delete: 'Z' }])
    await service.write('places', 'station', [{ delete: 9 }])
    await expect
      .poll(() => calls)
      .toEqual([
        'subscribed',
        'ADDED_OR_UPDATED station 9 Pit',
        'ADDED_OR_UPDATED airport Z Sea',
        'REMOVED airport Z ',
        'REMOVED station 9 ',
      ])
    unsubscribe()
  })

  it('turns objects into their own type and back with $as', async () => {
    const { data } = await set(Place).fetchPage({ $pageSize: 1 })
    const airport = data[0].$as(Airport)
    expect(airport).toMatchObject({ $apiName: 'airport', id: 'A', elevation: 30 })
    expect(airport.$as(Named)).toMatchObject({ $apiName: 'Named', placeName: 'Zebra Field' })
    expect(airport.$as(Place).height).toBe(30)
    const all = await set(Place).fetchPage({ $pageSize: 2, $includeAllBaseObjectProperties: true })
    expect(all.data[1].$as(Airport).runways).toBe(2)
    const one = await set(Airport).fetchOne('B')
    expect(one.$as(Place)).toMatchObject({ placeName: 'Alpha Field', height: 10 })
  })

  it('filters and orders by properties of the interface', async () => {
    const low = set(Place).where({ height: { $lte: 10 } })
    expect(keys(await low.fetchPage())).toBe('B 2')
    const either = set(Place).where({
      $or: [{ placeName: { $startsWith: 'Nor' } }, { opened: { $isNull: false } }],
    })
    expect(keys(await either.fetchPage())).toBe('A 1')
    expect(
      keys(
        await set(Place)
          .where({ $not: { height: 20 } })
          .fetchPage(),
      ),
    ).toBe('A B C 2')
    const ordered = await set(Place).fetchPage({ $orderBy: { height: 'desc', placeName: 'asc' } })
    expect(keys(ordered)).toBe('A 1 B 2 C')
    const selected = await set(Place).fetchPage({
      $select: ['height'],
      $orderBy: { placeName: 'asc' },
    })
    expect(selected.data.map(({ height }: { height?: number }) => height ?? 0)).toEqual([
      10, 0, 20, 10, 30,
    ])
  })

  it('combines sets, and narrows them to an object type', async () => {
    const high = set(Place).where({ height: { $gte: 20 } })
    const low = set(Place).where({ height: { $lte: 20 } })
    expect(keys(await high.intersect(low).fetchPage())).toBe('1')
    expect(keys(await high.union(low).fetchPage())).toBe('A B 1 2')
    expect(keys(await set(Place).subtract(high).fetchPage())).toBe('B C 2')
    expect(keys(await high.narrowToType(Airport).fetchPage())).toBe('A')
  })

  it('follows links of the interface', async () => {
    const states = await set(Place).pivotTo('state').fetchPage()
    expect(states.data.map(({ placeName }: { placeName: string }) => placeName)).toEqual([
      'Switzerland',
      'Germany',
    ])
    const { data } = await set(Place).fetchPage({ $pageSize: 1 })
    const state = await data[0].$link.state.fetchOne()
    expect(state).toMatchObject({ $objectType: 'country', placeName: 'Switzerland' })
  })

  it('aggregates', async () => {
    const total = await set(Named).aggregate({
      $select: { $count: 'unordered', 'placeName:exactDistinct': 'unordered' },
    })
    expect(total).toMatchObject({ $count: 7, placeName: { exactDistinct: 7 } })
  })

  it('iterates over one snapshot of all types while others write', async () => {
    const many = Array.from({ length: 12_000 }, (_, index) => ({ number: 100 + index }))
    await service.put('places', 'station', many)
    const seen: unknown[] = []
    for await (const { $primaryKey } of set(Place).asyncIter()) {
      seen.push($primaryKey)
      if (seen.length % 4000 === 1) {
        await service.write('places', 'station', [
          { delete: 12_099 - Math.floor(seen.length / 10) },
          { put: { number: 50_000 + seen.length } },
        ])
        await service.put('places', 'airport', [{ id: `new ${seen.length}` }])
      }
    }
    expect(seen).toHaveLength(5 + many.length)
    expect(new Set(seen).size).toBe(seen.length)
  })
})
