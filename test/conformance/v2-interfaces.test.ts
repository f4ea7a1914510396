import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AIRPORTS, COUNTRIES, PLACES, STATIONS } from '../support/places.ts'
import { type Service, startService } from '../support/service.ts'

const API = '/api/v2/ontologies/places'
const PLACE = { type: 'interfaceBase', interfaceType: 'Place' }

describe('interfaces', () => {
  let service: Service
  const get = (path: string) => service.send(`${API}/${path}`)
  const post = (path: string, json: object, token?: string) =>
    service.send(`${API}/${path}`, { json, ...(token && { token }) })
  const load = (json: object) => post('objectSets/loadObjectsMultipleObjectTypes', json)
  const view = (json: object) => post('objectSets/loadObjectsOrInterfaces', json)
  const keysOf = ({ body }: { body: { data: Record<string, unknown>[] } }) =>
    body.data.map((record) => record['$primaryKey'] ?? record['__primaryKey']).join(' ')

  beforeAll(async () => {
    service = await startService()
    expect((await service.apply(PLACES)).status).toBe(200)
    await service.put('places', 'country', COUNTRIES)
    await service.put('places', 'airport', AIRPORTS)
    await service.put('places', 'station', STATIONS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  describe('metadata', () => {
    it('lists interface types by name, in pages', async () => {
      const first = await get('interfaceTypes?pageSize=1&preview=true')
      expect(first.body.data.map(({ apiName }: { apiName: string }) => apiName)).toEqual(['Named'])
      const next = await get(`interfaceTypes?pageSize=1&pageToken=${first.body.nextPageToken}`)
      expect(next.body.data.map(({ apiName }: { apiName: string }) => apiName)).toEqual(['Place'])
      expect(next.body).not.toHaveProperty('nextPageToken')
    })

    it('describes an interface type with everything that it inherits', async () => {
      const { status, body } = await get('interfaceTypes/Place?preview=true')
      expect(status).toBe(200)
      expect(body).toMatchObject({
        apiName: 'Place',
        displayName: 'Place',
        extendsInterfaces: ['Named'],
        allExtendsInterfaces: ['Named'],
        implementedByObjectTypes: ['airport', 'harbour', 'station'],
      })
      expect(Object.keys(body.properties)).toEqual(['height', 'opened'])
      expect(Object.keys(body.allProperties).sort()).toEqual(['height', 'opened', 'placeName'])
      expect(body.allProperties.placeName).toEqual({
        rid: expect.stringMatching(/^ri\.ontology\.main\.shared-property-type\./),
        apiName: 'placeName',
        displayName: 'Name of the place',
        dataType: { type: 'string' },
        required: true,
        typeClasses: [],
      })
      expect(body.allPropertiesV2.opened).toMatchObject({
        description: 'The first day',
        requireImplementation: false,
      })
      expect(body.links.state).toEqual({
        rid: expect.stringMatching(/^ri\.ontology\.main\.interface-link-type\./),
        apiName: 'state',
        displayName: 'State',
        linkedEntityApiName: { type: 'interfaceTypeApiName', apiName: 'Named' },
        cardinality: 'ONE',
        required: false,
      })
    })

    it('describes link types', async () => {
      const list = await get('interfaceTypes/Place/outgoingLinkTypes')
      const one = await get('interfaceTypes/Place/outgoingLinkTypes/state')
      expect(list.body.data).toEqual([one.body])
      const unknown = await get('interfaceTypes/Place/outgoingLinkTypes/none')
      expect(unknown.status).toBe(404)
      expect(unknown.body).toMatchObject({
        errorName: 'InterfaceLinkTypeNotFound',
        parameters: { interfaceType: 'Place', interfaceLinkType: 'none' },
      })
    })

    it('says which interfaces an object type implements', async () => {
      const { body } = await get('objectTypes/airport/fullMetadata?preview=true')
      expect(body.implementsInterfaces).toEqual(['Named', 'Place'])
      expect(body.implementsInterfaces2.Place).toMatchObject({
        properties: { placeName: 'name', height: 'elevation', opened: 'opened' },
        propertiesV2: {
          placeName: { type: 'localPropertyImplementation', propertyApiName: 'name' },
        },
        links: { state: ['country'] },
      })
      expect(body.sharedPropertyTypeMapping).toEqual({
        placeName: 'name',
        height: 'elevation',
        opened: 'opened',
      })
    })

    it('is part of the ontology', async () => {
      const { body } = await get('fullMetadata?preview=true')
      expect(Object.keys(body.interfaceTypes)).toEqual(['Named', 'Place'])
      expect(Object.keys(body.sharedPropertyTypes)).toEqual(['placeName', 'height', 'opened'])
    })

    it('refuses unknown interfaces', async () => {
      for (const path of ['interfaceTypes/Plaec', 'interfaces/Plaec']) {
        const { status, body } = await get(path)
        expect(status).toBe(404)
        expect(body).toMatchObject({
          errorName: 'InterfaceTypeNotFound',
          parameters: { apiName: 'Plaec' },
        })
      }
    })
  })

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

  describe('list and search', () => {
    it('lists the objects of an interface', async () => {
      const { status, body } = await get(
        'interfaces/Place?select=placeName&orderBy=p.height:desc&excludeRid=true',
      )
      expect(status).toBe(200)
      expect(body).toEqual({
        data: [
          {
            __primaryKey: 'A',
            __apiName: 'airport',
            __title: 'Zebra Field',
            placeName: 'Zebra Field',
          },
          { __primaryKey: 1, __apiName: 'station', placeName: 'North' },
          {
            __primaryKey: 'B',
            __apiName: 'airport',
            __title: 'Alpha Field',
            placeName: 'Alpha Field',
          },
          { __primaryKey: 2, __apiName: 'station', placeName: 'South' },
          {
            __primaryKey: 'C',
            __apiName: 'airport',
            __title: 'Mike Field',
            placeName: 'Mike Field',
          },
        ],
        totalCount: '5',
      })
    })

    it('sends entity tags that follow every type', async () => {
      const first = await get('interfaces/Named?select=placeName')
      const etag = first.headers.get('etag') ?? ''
      const again = await service.send(`${API}/interfaces/Named?select=placeName`, {
        headers: { 'if-none-match': etag },
      })
      expect(again.status).toBe(304)
      await service.put('places', 'country', [{ code: 'AT', label: 'Austria' }])
      const changed = await service.send(`${API}/interfaces/Named?select=placeName`, {
        headers: { 'if-none-match': etag },
      })
      expect(changed.status).toBe(200)
      await service.write('places', 'country', [{ delete: 'AT' }])
    })

    it('searches by properties of the interface', async () => {
      const { status, body } = await post('interfaces/Place/search', {
        where: { type: 'gte', field: 'height', value: 20 },
        orderBy: { fields: [{ field: 'placeName', direction: 'asc' }] },
        augmentedProperties: { station: ['tracks'] },
        augmentedSharedPropertyTypes: { Named: ['placeName'] },
        augmentedInterfacePropertyTypes: {},
        selectedSharedPropertyTypes: ['height'],
        selectedInterfacePropertyTypes: [],
        selectedObjectTypes: [],
        otherInterfaceTypes: [],
      })
      expect(status).toBe(200)
      expect(body.data).toMatchObject([
        { __primaryKey: 1, height: 20, tracks: 4, number: 1 },
        { __primaryKey: 'A', height: 30 },
      ])
      expect(body.totalCount).toBe('2')
      const stations = await post('interfaces/Place/search', { selectedObjectTypes: ['station'] })
      expect(keysOf(stations)).toBe('1 2')
    })

    it('refuses what it does not support', async () => {
      const several = await post('interfaces/Place/search', { otherInterfaceTypes: ['Named'] })
      expect(several.status).toBe(422)
      const unknown = await post('interfaces/Place/search', { selectedObjectTypes: ['x'] })
      expect(unknown.body.errorName).toBe('ObjectTypeNotFound')
    })
  })

  it('aggregates the objects of all types together', async () => {
    const { status, body } = await post('interfaces/Named/aggregate', {
      aggregation: [
        { type: 'count', name: 'count' },
        { type: 'max', field: 'placeName', name: 'last' },
        { type: 'exactDistinct', field: 'placeName', name: 'names' },
      ],
      groupBy: [],
    })
    expect(status).toBe(200)
    expect(body.data).toEqual([
      {
        group: {},
        metrics: [
          { name: 'count', value: 7 },
          { name: 'last', value: 'Zebra Field' },
          { name: 'names', value: 7 },
        ],
      },
    ])
    const set = await post('objectSets/aggregate', {
      objectSet: { type: 'interfaceBase', interfaceType: 'Named' },
      aggregation: [{ type: 'count', name: 'count' }],
      groupBy: [],
    })
    expect(set.body.data[0].metrics).toEqual([{ name: 'count', value: 7 }])
    const missing = await post('interfaces/Place/aggregate', {
      aggregation: [{ type: 'max', field: 'opened' }],
    })
    expect(missing.body).toMatchObject({
      errorName: 'PropertiesNotFound',
      parameters: { properties: ['opened'] },
    })
  })

  describe('links of an interface', () => {
    it('lead to objects that are viewed as the target interface', async () => {
      const { status, body } = await get('interfaces/Place/airport/A/links/state?excludeRid=true')
      expect(status).toBe(200)
      expect(body).toEqual({
        data: [{ __primaryKey: 'CH', __apiName: 'country', placeName: 'Switzerland' }],
      })
      expect((await get('interfaces/Place/airport/C/links/state')).body).toEqual({ data: [] })
    })

    it.each([
      ['interfaces/Place/airport/X/links/state', 'ObjectNotFound'],
      ['interfaces/Place/country/CH/links/state', 'ObjectTypeNotFound'],
      ['interfaces/Place/station/1/links/state', 'LinkTypeNotFound'],
      ['interfaces/Place/airport/A/links/none', 'InterfaceLinkTypeNotFound'],
    ])('%s is %s', async (path, errorName) => {
      const { status, body } = await get(path)
      expect(status).toBe(404)
      expect(body.errorName).toBe(errorName)
    })
  })

  it('keeps the definition as it was written', async () => {
    const { body } = await service.send('/api/admin/v1/ontologies/places')
    expect(body.interfaceTypes).toEqual(PLACES.interfaceTypes)
    expect(body.sharedPropertyTypes).toEqual(PLACES.sharedPropertyTypes)
    expect(body.objectTypes[0].implements).toEqual(PLACES.objectTypes[0]?.implements)
  })
})

it('changes interfaces of types that have objects', async () => {
  await using service = await startService()
  await service.apply(PLACES)
  await service.put('places', 'station', STATIONS)
  const plain = PLACES.objectTypes.map(({ implements: _, ...type }) => type)
  const removed = await service.apply({ ...PLACES, objectTypes: plain, interfaceTypes: [] })
  expect(removed.status).toBe(200)
  const { status } = await service.send('/api/v2/ontologies/places/interfaceTypes/Place')
  expect(status).toBe(404)
  expect((await service.apply(PLACES)).status).toBe(200)
  const wrong = await service.apply({ ...PLACES, sharedPropertyTypes: {} })
  expect(wrong.body).toMatchObject({ errorName: 'InvalidOntologyDefinition' })
})
