import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPlaces } from '../support/places.ts'
import type { Service } from '../support/service.ts'

const API = '/api/v2/ontologies/places'
const PLACE = { type: 'interfaceBase', interfaceType: 'Place' }

describe('object sets of several types', () => {
  let service: Service
  const post = (path: string, json: object, token?: string) =>
    service.send(`${API}/${path}`, { json, ...(token && { token }) })
  const load = (json: object) => post('objectSets/loadObjectsMultipleObjectTypes', json)
  const view = (json: object) => post('objectSets/loadObjectsOrInterfaces', json)
  const keysOf = ({ body }: { body: { data: Record<string, unknown>[] } }) =>
    body.data.map((record) => record['$primaryKey']).join(' ')

  beforeAll(async () => {
    service = (await startPlaces()).service
  })
  afterAll(() => service[Symbol.asyncDispose]())

  describe('loadObjectsMultipleObjectTypes', () => {
    it('returns objects with the properties that implement the interface, and the mapping', async () => {
      const { status, body } = await load({ objectSet: PLACE, excludeRid: true })
      expect(status).toBe(200)
      expect(body).toEqual({
        data: [
          {
            $primaryKey: 'A',
            $apiName: 'airport',
            $title: 'Zebra Field',
            id: 'A',
            name: 'Zebra Field',
            elevation: 30,
            opened: '1950-01-01',
          },
          {
            $primaryKey: 'B',
            $apiName: 'airport',
            $title: 'Alpha Field',
            id: 'B',
            name: 'Alpha Field',
            elevation: 10,
          },
          {
            $primaryKey: 'C',
            $apiName: 'airport',
            $title: 'Mike Field',
            id: 'C',
            name: 'Mike Field',
          },
          { $primaryKey: 1, $apiName: 'station', number: 1, placeName: 'North', height: 20 },
          { $primaryKey: 2, $apiName: 'station', number: 2, placeName: 'South', height: 10 },
        ],
        totalCount: '5',
        interfaceToObjectTypeMappings: {
          Place: {
            airport: { placeName: 'name', height: 'elevation', opened: 'opened' },
            harbour: { placeName: 'placeName' },
            station: { placeName: 'placeName', height: 'height' },
          },
        },
        interfaceToObjectTypeMappingsV2: expect.objectContaining({
          Place: expect.objectContaining({
            harbour: {
              placeName: { type: 'localPropertyImplementation', propertyApiName: 'placeName' },
            },
          }),
        }),
        propertySecurities: [],
      })
    })

    it('returns all properties if wanted, and RIDs by default', async () => {
      const all = { ...PLACE, includeAllBaseObjectProperties: true }
      const { body } = await load({
        objectSet: { type: 'intersect', objectSets: [PLACE, all] },
        pageSize: 2,
      })
      expect(body.data[1]).toMatchObject({ id: 'B', runways: 2, countryCode: 'DE' })
      expect(body.data[1].$rid).toMatch(/^ri\.phonograph2-objects\.main\.object\./)
      expect(body.interfaceToObjectTypeMappings).toHaveProperty('Place.airport')
    })

    it('orders all objects together, and those without a value last', async () => {
      const by = (...fields: object[]) => ({ objectSet: PLACE, orderBy: { fields } })
      expect(keysOf(await load(by({ field: 'placeName' })))).toBe('B C 1 2 A')
      expect(keysOf(await load(by({ field: 'height', direction: 'desc' })))).toBe('A 1 B 2 C')
      expect(keysOf(await load(by({ field: 'height' }, { field: 'placeName' })))).toBe('B 2 1 A C')
      expect(keysOf(await load(by({ field: 'opened' })))).toBe('A B C 1 2')
    })

    it('filters by properties of the interface, also by those that a type does not have', async () => {
      const filter = (where: object) =>
        load({ objectSet: { type: 'filter', objectSet: PLACE, where } })
      const height = { type: 'lte', field: 'height', value: 10 }
      expect(keysOf(await filter(height))).toBe('B 2')
      expect(keysOf(await filter({ type: 'not', value: height }))).toBe('A C 1')
      const opened = { type: 'isNull', field: 'opened', value: false }
      expect(keysOf(await filter(opened))).toBe('A')
      expect(keysOf(await filter({ ...opened, value: true }))).toBe('B C 1 2')
    })

    it('selects properties by the names of the interface', async () => {
      const { body } = await load({
        objectSet: PLACE,
        selectV2: [{ type: 'property', apiName: 'height' }],
        excludeRid: true,
        orderBy: { fields: [{ field: 'placeName' }] },
        pageSize: 3,
      })
      expect(body.data).toEqual([
        { $primaryKey: 'B', $apiName: 'airport', $title: 'Alpha Field', id: 'B', elevation: 10 },
        { $primaryKey: 'C', $apiName: 'airport', $title: 'Mike Field', id: 'C' },
        { $primaryKey: 1, $apiName: 'station', number: 1, height: 20 },
      ])
    })

    it('narrows an interface to an object type, and widens it again', async () => {
      const airports = { type: 'asType', entityType: 'airport', objectSet: PLACE }
      const narrowed = await load({ objectSet: airports })
      expect(keysOf(narrowed)).toBe('A B C')
      expect(narrowed.body.interfaceToObjectTypeMappings).toEqual({})
      const named = { type: 'asType', entityType: 'Named', objectSet: airports }
      const widened = await load({ objectSet: named })
      expect(Object.keys(widened.body.interfaceToObjectTypeMappings)).toEqual(['Named'])
      expect(widened.body.data[0]).not.toHaveProperty('elevation')
      const base = await load({ objectSet: { type: 'asBaseObjectTypes', objectSet: named } })
      expect(base.body.data[0]).toHaveProperty('elevation')
    })

    it('follows a link of the interface', async () => {
      const linked = { type: 'interfaceLinkSearchAround', objectSet: PLACE, interfaceLink: 'state' }
      const { body } = await load({ objectSet: linked, excludeRid: true })
      expect(body.data).toEqual([
        { $primaryKey: 'CH', $apiName: 'country', code: 'CH', label: 'Switzerland' },
        { $primaryKey: 'DE', $apiName: 'country', code: 'DE', label: 'Germany' },
      ])
      expect(body.interfaceToObjectTypeMappings).toEqual({
        Named: { country: { placeName: 'label' } },
      })
      const unknown = await load({ objectSet: { ...linked, interfaceLink: 'none' } })
      expect(unknown.body).toMatchObject({
        errorName: 'InterfaceLinkTypeNotFound',
        parameters: { interfaceType: 'Place', interfaceLinkType: 'none' },
      })
    })

    it('loads objects of several types by RID', async () => {
      const { body } = await load({ objectSet: PLACE })
      const rids = body.data.map(({ $rid }: { $rid: string }) => $rid)
      const found = await load({ objectSet: { type: 'static', objects: [rids[4], rids[0]] } })
      expect(keysOf(found)).toBe('A 2')
      expect(found.body.totalCount).toBe('2')
    })

    it('returns an empty page for an interface without objects', async () => {
      const set = {
        type: 'filter',
        objectSet: PLACE,
        where: { type: 'eq', field: 'placeName', value: 'x' },
      }
      expect((await load({ objectSet: set })).body).toMatchObject({ data: [], totalCount: '0' })
      const ordered = { objectSet: set, orderBy: { fields: [{ field: 'height' }] } }
      expect((await load(ordered)).body).toMatchObject({ data: [], totalCount: '0' })
    })

    it.each([
      [
        'an unknown property in where',
        { type: 'eq', field: 'elevation', value: 1 },
        'PropertiesNotFound',
      ],
      [
        'a value of another type',
        { type: 'eq', field: 'height', value: 'x' },
        'InvalidPropertyValue',
      ],
      [
        'an unknown condition',
        { type: 'equals', field: 'height', value: 1 },
        'Default:InvalidArgument',
      ],
    ])('refuses %s', async (_, where, errorName) => {
      const { status, body } = await load({
        objectSet: { type: 'filter', objectSet: PLACE, where },
      })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      expect(body.errorName).toBe(errorName)
    })

    it.each([
      [
        'an unknown order property',
        { orderBy: { fields: [{ field: 'elevation' }] } },
        404,
        'PropertiesNotFound',
      ],
      ['an order by relevance', { orderBy: { orderType: 'relevance' } }, 400, 'InvalidOrderType'],
      ['an unknown selection', { select: ['elevation'] }, 404, 'PropertiesNotFound'],
      ['an invalid page size', { pageSize: 0 }, 400, 'InvalidPageSize'],
      ['an invalid token', { pageToken: 'v1.x' }, 400, 'InvalidPageToken'],
      ['an unknown member', { objectTypes: [] }, 422, 'Conjure:UnprocessableEntity'],
      ['property securities', { loadPropertySecurities: true }, 422, 'Conjure:UnprocessableEntity'],
    ])('refuses %s', async (_, members, status, errorName) => {
      const response = await load({ objectSet: PLACE, ...members })
      expect(response.body.errorName).toBe(errorName)
      expect(response.status).toBe(status)
    })

    it('needs a token with access to the ontology', async () => {
      const path = 'objectSets/loadObjectsMultipleObjectTypes'
      expect((await post(path, { objectSet: PLACE }, 'wrong')).status).toBe(401)
      const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
      expect((await post(path, { objectSet: PLACE }, writer)).status).toBe(403)
      const other = await service.createToken({ ontologies: ['other'] })
      expect((await post(path, { objectSet: PLACE }, other)).body.errorName).toBe(
        'OntologyNotFound',
      )
    })
  })

  describe('loadObjectsOrInterfaces', () => {
    it('returns the properties of the interface, under its names', async () => {
      const { status, body } = await view({ objectSet: PLACE, excludeRid: true })
      expect(status).toBe(200)
      expect(body.data.slice(1)).toEqual([
        {
          $primaryKey: 'B',
          $apiName: 'airport',
          $title: 'Alpha Field',
          placeName: 'Alpha Field',
          height: 10,
        },
        { $primaryKey: 'C', $apiName: 'airport', $title: 'Mike Field', placeName: 'Mike Field' },
        { $primaryKey: 1, $apiName: 'station', placeName: 'North', height: 20 },
        { $primaryKey: 2, $apiName: 'station', placeName: 'South', height: 10 },
      ])
      expect(body.totalCount).toBe('5')
    })

    it('returns objects without any of the properties', async () => {
      const { body } = await view({
        objectSet: PLACE,
        select: ['opened'],
        excludeRid: true,
        orderBy: { fields: [{ field: 'opened' }] },
      })
      expect(body.data).toEqual([
        { $primaryKey: 'A', $apiName: 'airport', $title: 'Zebra Field', opened: '1950-01-01' },
        { $primaryKey: 'B', $apiName: 'airport', $title: 'Alpha Field' },
        { $primaryKey: 'C', $apiName: 'airport', $title: 'Mike Field' },
        { $primaryKey: 1, $apiName: 'station' },
        { $primaryKey: 2, $apiName: 'station' },
      ])
    })

    it('refuses a set that is partly viewed as an interface', async () => {
      const set = { type: 'union', objectSets: [PLACE, { type: 'base', objectType: 'country' }] }
      const { status, body } = await view({ objectSet: set })
      expect(status).toBe(400)
      expect(body).toMatchObject({
        errorName: 'IncompatibleNestedObjectSet',
        parameters: { parameter: 'objectSet' },
      })
      expect(keysOf(await load({ objectSet: set }))).toBe('A B C CH DE 1 2')
    })
  })

  it('refuse a filter that is too large for the number of types', async () => {
    const objectTypes = Array.from({ length: 80 }, (_, index) => ({
      apiName: `type${index}`,
      primaryKey: 'name',
      properties: { name: { type: 'string' } as const },
      implements: { Named: { properties: { label: 'name' } } },
    }))
    const applied = await service.apply({
      apiName: 'many',
      sharedPropertyTypes: { label: { type: 'string' } },
      interfaceTypes: [{ apiName: 'Named', properties: ['label'] }],
      objectTypes,
    })
    expect(applied.status).toBe(200)
    const path = '/api/v2/ontologies/many/objectSets/loadObjectsMultipleObjectTypes'
    const named = { type: 'interfaceBase', interfaceType: 'Named' }
    const value = Array.from({ length: 90 }, () => 'x'.repeat(9999))
    const send = (objectSet: object) => service.send(path, { json: { objectSet } })
    const where = { type: 'in', field: 'label', value }
    const refused = await send({ type: 'filter', objectSet: named, where })
    expect([refused.status, refused.body.errorName]).toEqual([400, 'UnsupportedObjectSet'])
    expect(refused.body.parameters.reason).toContain('of 80 object types')
    const small = { ...where, value: value.slice(0, 9) }
    expect((await send({ type: 'filter', objectSet: named, where: small })).status).toBe(200)
  })
})
