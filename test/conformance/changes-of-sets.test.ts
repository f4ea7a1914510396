import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AIRPORTS, COUNTRIES, PLACES, STATIONS } from '../support/places.ts'
import { type Service, startService } from '../support/service.ts'

const API = '/api/v2/ontologies/places'
const PLACE = { type: 'interfaceBase', interfaceType: 'Place' }
const LOW = {
  type: 'filter',
  objectSet: PLACE,
  where: { type: 'lt', field: 'height', value: 15 },
}

interface Change {
  readonly put?: Record<string, unknown>
  readonly delete?: { readonly primaryKey: unknown; readonly objectType: string }
}

describe('changes of an object set with several types', () => {
  let service: Service
  const post = (path: string, json: object) => service.send(`${API}/objectSets/${path}`, { json })
  const load = async (path: string, json: object) => {
    const { status, body } = await post(path, json)
    expect([status, body.errorName, body.parameters]).toEqual([200, undefined, undefined])
    return body
  }
  const write = (objectType: string, ...lines: readonly object[]) =>
    service.write('places', objectType, lines)
  const now = async (objectSet: object) =>
    (await load('changes', { objectSet, since: 'now' })).nextChangesToken as string
  /** Returns the changes as `+airport A` and `-station 1`. */
  const textOf = ({ put, delete: removed }: Change) =>
    put === undefined
      ? `-${removed?.objectType} ${removed?.primaryKey}`
      : `+${put['__apiName']} ${put['__primaryKey']}`
  const changes = async (objectSet: object, since: string) =>
    (await load('changes', { objectSet, since })).data.map(textOf)

  beforeAll(async () => {
    service = await startService()
    await service.apply(PLACES)
  })
  beforeEach(async () => {
    await service.put('places', 'country', COUNTRIES)
    await service.put('places', 'airport', AIRPORTS)
    await service.put('places', 'station', STATIONS)
    await write('harbour', { delete: 'H' })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('come type after type, and deletes name the type', async () => {
    const since = await now(PLACE)
    await write('station', { put: { number: 3, placeName: 'New' } }, { delete: 1 })
    await write('harbour', { put: { id: 'H', placeName: 'Haven' } })
    await write('airport', { delete: 'B' })
    await write('airport', { put: { id: 'A', name: 'Again', elevation: 7 } })
    const { data } = await load('changes', { objectSet: PLACE, since, excludeRid: true })
    expect(data).toEqual([
      { delete: { primaryKey: 'B', objectType: 'airport' } },
      {
        put: {
          __primaryKey: 'A',
          __apiName: 'airport',
          __title: 'Again',
          id: 'A',
          name: 'Again',
          elevation: 7,
        },
      },
      { put: { __primaryKey: 'H', __apiName: 'harbour', id: 'H', placeName: 'Haven' } },
      { delete: { primaryKey: 1, objectType: 'station' } },
      { put: { __primaryKey: 3, __apiName: 'station', number: 3, placeName: 'New' } },
    ])
  })

  it('are the same in pages of any size, of one moment', async () => {
    const since = await now(PLACE)
    await write('station', { put: { number: 3, placeName: 'New' } }, { delete: 1 })
    await write('airport', { delete: 'B' }, { delete: 'C' })
    const walked: Change[] = []
    let pageToken: string | undefined
    do {
      const request = { objectSet: PLACE, since, pageSize: 1, pageToken }
      const page = await load('changes', request)
      expect(page.data).toHaveLength(1)
      walked.push(...page.data)
      pageToken = page.nextPageToken
      await write('airport', { put: { id: `later${walked.length}`, name: 'Later' } })
    } while (pageToken !== undefined)
    expect(walked.map(textOf)).toEqual(['-airport B', '-airport C', '-station 1', '+station 3'])
    await write('airport', ...[1, 2, 3, 4].map((n) => ({ delete: `later${n}` })))
  })

  it.each(['loadObjectsMultipleObjectTypes', 'loadObjectsOrInterfaces'])(
    'follow the last page of a snapshot of %s',
    async (path) => {
      const objectSet = LOW
      const walk = { objectSet, snapshot: true, pageSize: 1, selectV2: [height()] }
      const first = await load(path, walk)
      expect(first.nextChangesToken).toBeUndefined()
      await write('airport', { put: { ...AIRPORTS[1], elevation: 20 } })
      const last = await load(path, { ...walk, pageToken: first.nextPageToken })
      await write('station', { put: { number: 1, placeName: 'Deep', height: 1 } })
      const followed = { objectSet, since: last.nextChangesToken, selectV2: [height()] }
      const { data } = await load('changes', { ...followed, excludeRid: true })
      expect(data).toEqual([
        { delete: { primaryKey: 'B', objectType: 'airport' } },
        { put: { __primaryKey: 1, __apiName: 'station', number: 1, height: 1 } },
      ])
      const { body } = await post('changes', { objectSet, since: last.nextChangesToken })
      expect(body.parameters.reason).toBe('other request')
    },
  )

  it('follow the last page of a list of an interface', async () => {
    const { body } = await service.send(`${API}/interfaces/Place?snapshot=true`)
    await write('station', { delete: 2 })
    expect(await changes(PLACE, body.nextChangesToken)).toEqual(['-station 2'])
  })

  it('have what a linked object of any part changes', async () => {
    const countries = {
      type: 'filter',
      objectSet: { type: 'base', objectType: 'country' },
      where: { type: 'eq', field: 'label', value: 'Germany' },
    }
    const objectSet = {
      type: 'union',
      objectSets: [
        { type: 'searchAround', objectSet: countries, link: 'airports' },
        { type: 'base', objectType: 'station' },
      ],
    }
    const since = await now(objectSet)
    await write('country', { put: { code: 'CH', label: 'Germany' } })
    await write('station', { delete: 1 })
    expect(await changes(objectSet, since)).toEqual(['+airport A', '-station 1'])
  })

  it('have the deletes of listed objects, also of the last of their type', async () => {
    const ridsOf = async (objectType: string) =>
      (await load('loadObjects', { objectSet: { type: 'base', objectType } })).data.map(
        ({ __rid }: { __rid: string }) => __rid,
      )
    const objects = [...(await ridsOf('airport')), ...(await ridsOf('station'))]
    const objectSet = { type: 'static', objects }
    const walked = await load('loadObjectsMultipleObjectTypes', { objectSet, snapshot: true })
    await write('station', { delete: 1 }, { delete: 2 })
    const gone = ['-station 1', '-station 2']
    expect(await changes(objectSet, walked.nextChangesToken)).toEqual(gone)
    const { nextChangesToken } = await load('changes', {
      objectSet,
      since: walked.nextChangesToken,
    })
    await write('station', { put: STATIONS[0] })
    expect(await changes(objectSet, nextChangesToken)).toEqual(['+station 1'])
  })

  it('are waited for, whichever type changes', async () => {
    const since = await now(PLACE)
    const waiting = load('changes', { objectSet: PLACE, since, wait: 60 })
    await write('country', { put: { code: 'AT', label: 'Austria' } })
    await write('station', { delete: 2 })
    expect((await waiting).data.map(textOf)).toEqual(['-station 2'])
  })

  it('cannot be followed over a type that joins the interface', async () => {
    await using other = await startService()
    await other.apply(PLACES)
    const path = `${API}/objectSets/changes`
    const { body } = await other.send(path, { json: { objectSet: PLACE, since: 'now' } })
    const bridge = {
      apiName: 'bridge',
      primaryKey: 'id',
      properties: { id: { type: 'string' as const }, placeName: { type: 'string' as const } },
      implements: { Place: {} },
    }
    const objectTypes = [...(PLACES.objectTypes ?? []), bridge]
    expect((await other.apply({ ...PLACES, objectTypes })).status).toBe(200)
    const since = body.nextChangesToken
    const refused = await other.send(path, { json: { objectSet: PLACE, since } })
    expect(refused.body.parameters.reason).toBe('other request')
  })
})

function height() {
  return { type: 'property', apiName: 'height' }
}
