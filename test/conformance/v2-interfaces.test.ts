import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PLACES, STATIONS, startPlaces } from '../support/places.ts'
import { type Service, startService } from '../support/service.ts'

const API = '/api/v2/ontologies/places'

describe('interfaces', () => {
  let service: Service
  const get = (path: string) => service.send(`${API}/${path}`)
  const post = (path: string, json: object) => service.send(`${API}/${path}`, { json })
  const keysOf = ({ body }: { body: { data: Record<string, unknown>[] } }) =>
    body.data.map((record) => record['__primaryKey']).join(' ')

  beforeAll(async () => {
    service = (await startPlaces()).service
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
        actionTypes: {},
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
      aggregation: [{ type: 'max', field: 'closed' }],
    })
    expect(missing.body).toMatchObject({
      errorName: 'PropertiesNotFound',
      parameters: { properties: ['closed'] },
    })
  })

  describe('a property that a type lacks', () => {
    const objectSet = { type: 'interfaceBase', interfaceType: 'Place' }

    /** Returns the groups and values of an aggregation, which is the same one of an object set. */
    async function aggregated(groupBy: readonly object[], ...metrics: readonly object[]) {
      const aggregation = [{ type: 'count' }, ...metrics]
      const { status, body } = await post('interfaces/Place/aggregate', { aggregation, groupBy })
      expect([status, body.errorName]).toEqual([200, undefined])
      const ofSet = await post('objectSets/aggregate', { objectSet, aggregation, groupBy })
      expect(ofSet.body).toEqual(body)
      type Row = { group: object; metrics: { value: unknown }[] }
      return body.data.map((row: Row) => [row.group, ...row.metrics.map(({ value }) => value)])
    }

    it('is a value that its objects do not have, in groups', async () => {
      const opened = { type: 'exact', field: 'opened' }
      expect(await aggregated([opened])).toEqual([[{ opened: '1950-01-01' }, 1]])
      expect(await aggregated([{ ...opened, includeNullValues: true }])).toEqual([
        [{ opened: '1950-01-01' }, 1],
        [{ opened: null }, 4],
      ])
      expect(await aggregated([{ ...opened, defaultValue: '2000-01-01' }])).toEqual([
        [{ opened: '1950-01-01' }, 1],
        [{ opened: '2000-01-01' }, 4],
      ])
      const byYear = { type: 'duration', field: 'opened', value: 1, unit: 'YEARS' }
      expect(await aggregated([byYear])).toEqual([[{ opened: '1950-01-01' }, 1]])
      const ranges = { type: 'ranges', field: 'opened', ranges: [{ startValue: '1900-01-01' }] }
      expect(await aggregated([ranges])).toEqual([[{ opened: { startValue: '1900-01-01' } }, 1]])
    })

    it('is in no metric', async () => {
      const of = (type: string) => ({ type, field: 'opened', name: type })
      const percentile = { ...of('approximatePercentile'), approximatePercentile: 50 }
      expect(await aggregated([], of('max'), of('exactDistinct'), percentile)).toEqual([
        [{}, 5, '1950-01-01', 1, '1950-01-01'],
      ])
      const byHeight = { type: 'exact', field: 'height', includeNullValues: true }
      expect(await aggregated([byHeight], of('min'))).toEqual([
        [{ height: 10 }, 2, undefined],
        [{ height: 20 }, 1, undefined],
        [{ height: 30 }, 1, '1950-01-01'],
        [{ height: null }, 1, undefined],
      ])
    })
  })

  describe('the title', () => {
    const title = { propertyIdentifier: { type: 'titleProperty' } }
    const where = { type: 'startsWith', ...title, value: 'alp' }
    const isUntitled = { type: 'isNull', ...title, value: true }

    it('is that of each object in conditions; some types have none', async () => {
      expect(keysOf(await post('interfaces/Place/search', { where }))).toBe('B')
      expect(keysOf(await post('interfaces/Place/search', { where: isUntitled }))).toBe('1 2')
      const not = { type: 'not', value: where }
      expect(keysOf(await post('interfaces/Place/search', { where: not }))).toBe('A C 1 2')
      const base = { type: 'interfaceBase', interfaceType: 'Place' }
      const objectSet = { type: 'filter', objectSet: base, where }
      const set = await post('objectSets/loadObjectsOrInterfaces', { objectSet })
      expect(set.body.data.map(({ $primaryKey }: never) => $primaryKey)).toEqual(['B'])
      const aggregation = [{ type: 'count' }]
      const counted = await post('interfaces/Place/aggregate', { aggregation, where })
      expect(counted.body.data[0].metrics[0].value).toBe(1)
    })

    it('names groups, as in records', async () => {
      const { body } = await post('interfaces/Place/aggregate', {
        aggregation: [{ type: 'count' }],
        groupBy: [{ type: 'exact', ...title }],
      })
      expect(body.data.map(({ group }: { group: object }) => group)).toEqual([
        { $title: 'Alpha Field' },
        { $title: 'Mike Field' },
        { $title: 'Zebra Field' },
      ])
    })

    it.each([
      [
        'Named',
        { type: 'isNull', propertyIdentifier: { type: 'titleProperty' }, value: true },
        200,
      ],
      ['Place', { type: 'isNull', field: '$title', value: true }, 404],
      ['Place', { type: 'eq', propertyIdentifier: { type: 'primaryKeyProperty' }, value: 1 }, 404],
      ['Named', { type: 'eq', propertyIdentifier: { type: 'property', apiName: '$title' } }, 404],
    ])('of %s with %j is %d', async (name, where, status) => {
      expect((await post(`interfaces/${name}/search`, { where })).status).toBe(status)
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
