import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AIRPORTS, COUNTRIES, PLACES, STATIONS } from '../support/places.ts'
import { type Service, startService } from '../support/service.ts'

const SETS = '/api/v2/ontologies/places/objectSets/'
const AIRPORT = { type: 'base', objectType: 'airport' }
const byName = { fields: [{ field: 'placeName' }] }

describe('walks over listed objects', () => {
  let service: Service
  let airports: string[]
  let stations: string[]

  const load = async (endpoint: string, json: object) => {
    const { status, body } = await service.send(SETS + endpoint, { json })
    expect([status, body.errorName, body.parameters]).toEqual([200, undefined, undefined])
    return body
  }
  const keys = (data: Record<string, unknown>[]) =>
    data.map((one) => one['$primaryKey'] ?? one['__primaryKey']).join('')
  /** Reads a page of one object, changes the objects, and reads the rest of the walk. */
  const walk = async (endpoint: string, json: object, change: () => Promise<unknown>) => {
    const first = await load(endpoint, { ...json, pageSize: 1 })
    await change()
    const rest = await load(endpoint, { ...json, pageToken: first.nextPageToken })
    expect(rest.nextPageToken).toBeUndefined()
    return [keys(first.data), keys(rest.data), rest.totalCount]
  }
  const deleteAll = async (objectType: string, pks: readonly unknown[]) =>
    service.write(
      'places',
      objectType,
      pks.map((pk) => ({ delete: pk })),
    )
  const deleteAirports = () => deleteAll('airport', ['A', 'B', 'C'])
  const deleteStations = () => deleteAll('station', [1, 2])

  const fill = async () => {
    await service.put('places', 'airport', AIRPORTS)
    await service.put('places', 'station', STATIONS)
    await service.put('places', 'country', COUNTRIES)
  }

  beforeAll(async () => {
    service = await startService()
    await service.apply(PLACES)
    await fill()
    const ridsOf = async (objectType: string) => {
      const { data } = await load('loadObjects', { objectSet: { type: 'base', objectType } })
      return data.map(({ __rid }: { __rid: string }) => __rid)
    }
    airports = await ridsOf('airport')
    stations = await ridsOf('station')
  })
  beforeEach(() => fill())
  afterAll(() => service[Symbol.asyncDispose]())

  it.each([
    ['the current type', deleteAirports, '12'],
    ['the next type', deleteStations, 'BC'],
    ['both', () => Promise.all([deleteAirports(), deleteStations()]), ''],
    ['one object', () => deleteAll('airport', ['B']), 'C12'],
  ])('go on after a deletion of %s', async (_, change, rest) => {
    const objectSet = { type: 'static', objects: [...stations, ...airports] }
    for (const endpoint of ['loadObjectsMultipleObjectTypes', 'loadObjectsOrInterfaces']) {
      expect(await walk(endpoint, { objectSet }, change)).toEqual(['A', rest, '5'])
      await fill()
      const snapshot = { objectSet, snapshot: true }
      expect(await walk(endpoint, snapshot, change)).toEqual(['A', 'BC12', '5'])
      await fill()
    }
  })

  it('go on with a single type', async () => {
    const objectSet = { type: 'static', objects: airports }
    expect(await walk('loadObjects', { objectSet }, deleteAirports)).toEqual(['A', '', '3'])
    await service.put('places', 'airport', AIRPORTS)
    const snapshot = { objectSet, snapshot: true }
    expect(await walk('loadObjects', snapshot, deleteAirports)).toEqual(['A', 'BC', '3'])
  })

  it('keep the type that a filter left', async () => {
    const objects = [...stations, ...airports]
    const where = { type: 'gt', field: 'runways', value: 0 }
    const objectSet = { type: 'filter', objectSet: { type: 'static', objects }, where }
    await service.put('places', 'airport', [
      { id: 'C', name: 'C', runways: 1 },
      { id: 'A', name: 'A' },
    ])
    const change = () => deleteAll('airport', ['C'])
    expect(await walk('loadObjects', { objectSet }, change)).toEqual(['B', '', '2'])
  })

  it('go on with objects viewed as an interface, in an order', async () => {
    const listed = { type: 'static', objects: [...stations, ...airports] }
    const objectSet = { type: 'asType', entityType: 'Place', objectSet: listed }
    const json = { objectSet, orderBy: byName }
    const filtered = {
      type: 'filter',
      objectSet,
      where: { type: 'lt', field: 'height', value: 25 },
    }
    expect(await walk('loadObjectsOrInterfaces', json, deleteStations)).toEqual(['B', 'CA', '5'])
    await service.put('places', 'station', STATIONS)
    const snapshot = { objectSet: filtered, orderBy: byName, snapshot: true }
    expect(await walk('loadObjectsMultipleObjectTypes', snapshot, deleteAirports)).toEqual([
      'B',
      '12',
      '3',
    ])
  })

  it('go on after objects were created of a type that had none', async () => {
    await deleteStations()
    const listed = { type: 'static', objects: [...stations, ...airports] }
    const create = () => service.put('places', 'station', STATIONS)
    const endpoint = 'loadObjectsMultipleObjectTypes'
    expect(await walk(endpoint, { objectSet: listed }, create)).toEqual(['A', 'BC', '3'])
    await deleteStations()
    const objectSet = { type: 'union', objectSets: [AIRPORT, { ...listed, objects: stations }] }
    expect(await walk(endpoint, { objectSet }, create)).toEqual(['A', 'BC', '3'])
  })

  it('go on through links of listed objects', async () => {
    const objectSet = {
      type: 'searchAround',
      objectSet: { type: 'static', objects: airports },
      link: 'country',
    }
    expect(await walk('loadObjects', { objectSet }, deleteAirports)).toEqual(['CH', '', '2'])
  })

  it('are refused for other objects, or for the same ones in another endpoint', async () => {
    const objectSet = { type: 'static', objects: airports }
    const { nextPageToken: pageToken } = await load('loadObjects', { objectSet, pageSize: 1 })
    for (const objects of [airports.slice(1), stations, []]) {
      const json = { objectSet: { type: 'static', objects }, pageToken }
      const { body } = await service.send(`${SETS}loadObjects`, { json })
      expect([body.errorName, body.parameters.reason]).toEqual([
        'InvalidPageToken',
        'other request',
      ])
    }
    const { body } = await service.send(`${SETS}loadObjectsMultipleObjectTypes`, {
      json: { objectSet, pageToken },
    })
    expect(body.errorName).toBe('InvalidPageToken')
  })

  it('name a property that no type has as not found', async () => {
    const where = { type: 'isNull', field: 'wings', value: true }
    const objectSet = { type: 'filter', objectSet: { type: 'static', objects: airports }, where }
    const { status, body } = await service.send(`${SETS}loadObjects`, { json: { objectSet } })
    expect([status, body.errorName]).toEqual([404, 'PropertiesNotFound'])
  })
})
