import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const SEARCH = '/api/v2/ontologies/aviation/objects/airport/search'

const AIRPORTS = [
  { id: 'A', name: 'River Lake Airport', elevation: 10, countryCode: 'CH' },
  { id: 'B', name: 'Lake by the River Airport', elevation: 20, countryCode: 'CH' },
  { id: 'C', name: 'Lake Airport', elevation: 30, countryCode: 'DE' },
  { id: 'D', name: 'Lakeside Riverton', elevation: 40, countryCode: 'DE' },
  { id: 'E', name: 'River Lake Airport', elevation: 50 },
  { id: 'F' },
]

describe('search objects of v2', () => {
  let service: Service
  const search = (body: object) => service.send(SEARCH, { json: body })
  const keysOf = ({ body }: { body: { data: { __primaryKey: string }[] } }) =>
    body.data.map((record) => record.__primaryKey).join('')

  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
    await service.put('aviation', 'airport', AIRPORTS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('returns every object without where, with the body that SDKs send', async () => {
    const response = await search({ select: [], selectV2: [], snapshot: true, pageSize: 100 })
    expect(response.status).toBe(200)
    expect(keysOf(response)).toBe('ABCDEF')
    expect(response.body.totalCount).toBe('6')
    expect(response.body.nextPageToken).toBeUndefined()
  })

  it('filters, orders, selects, excludes RIDs and pages', async () => {
    const body = {
      where: { type: 'gt', field: 'elevation', value: 10 },
      orderBy: { fields: [{ field: 'elevation', direction: 'desc' }] },
      select: ['elevation'],
      excludeRid: true,
      pageSize: 2,
    }
    const first = await search(body)
    expect(first.body).toEqual({
      data: [
        {
          __primaryKey: 'E',
          __apiName: 'airport',
          __title: AIRPORTS[4]?.name,
          id: 'E',
          elevation: 50,
        },
        {
          __primaryKey: 'D',
          __apiName: 'airport',
          __title: AIRPORTS[3]?.name,
          id: 'D',
          elevation: 40,
        },
      ],
      nextPageToken: expect.any(String),
      totalCount: '4',
    })
    const second = await search({ ...body, pageToken: first.body.nextPageToken })
    expect(keysOf(second)).toBe('CB')
    expect(Object.keys(second.body)).toEqual(['data', 'totalCount'])
  })

  it('treats null as absent, also for page tokens', async () => {
    const nulls = { where: null, orderBy: null, select: null, selectV2: null, snapshot: null }
    const first = await search({ pageSize: 4 })
    const second = await search({ ...nulls, pageSize: 4, pageToken: first.body.nextPageToken })
    expect(keysOf(second)).toBe('EF')
  })

  it('selects by property identifiers', async () => {
    const { body } = await search({
      where: { type: 'eq', field: 'id', value: 'A' },
      selectV2: [{ type: 'property', apiName: 'elevation' }, { type: 'titleProperty' }],
      excludeRid: true,
    })
    expect(body.data[0]).toEqual({
      __primaryKey: 'A',
      __apiName: 'airport',
      __title: 'River Lake Airport',
      id: 'A',
      name: 'River Lake Airport',
      elevation: 10,
    })
  })

  describe('by relevance', () => {
    const relevance = (where: object | undefined, more: object = {}) =>
      search({ where, orderBy: { orderType: 'relevance', fields: [] }, excludeRid: true, ...more })
    const anyTerm = { type: 'containsAnyTerm', field: 'name', value: 'river lake' }
    const scoresOf = (data: readonly { __score: number }[]) => data.map((one) => one.__score)

    it('puts phrases before all terms, all terms before some, and ties in key order', async () => {
      const response = await relevance(anyTerm)
      expect(keysOf(response)).toBe('AEBC')
      expect(scoresOf(response.body.data)).toEqual([3, 3, 2, 1])
      expect(response.body.totalCount).toBe('4')
    })

    it('puts whole terms before prefixes', async () => {
      const response = await relevance({ type: 'startsWith', field: 'name', value: 'lake' })
      expect(keysOf(response)).toBe('CAEBD')
      expect(scoresOf(response.body.data)).toEqual([2, 2, 2, 2, 1])
    })

    it('counts the terms of one condition', async () => {
      const response = await relevance({
        type: 'containsAnyTerm',
        field: 'name',
        value: 'river by lake the airport',
      })
      expect(keysOf(response)).toBe('BAEC')
    })

    it('prefers objects that match more of several conditions', async () => {
      const of = ['by', 'river'].map((value) => ({ type: 'containsAnyTerm', field: 'name', value }))
      expect(keysOf(await relevance({ type: 'or', value: of }))).toBe('BAE')
    })

    it('scores nothing without text conditions', async () => {
      const response = await relevance(undefined)
      expect(keysOf(response)).toBe('ABCDEF')
      expect(new Set(scoresOf(response.body.data))).toEqual(new Set([1]))
    })

    it.each([1, 2, 3])('returns every match once over pages of %i', async (pageSize) => {
      const keys: string[] = []
      let pageToken: string | undefined
      do {
        const { body } = await relevance(anyTerm, { pageSize, snapshot: true, pageToken })
        expect(body.totalCount).toBe('4')
        expect(body.data.length).toBeGreaterThan(0)
        keys.push(...body.data.map((one: { id: string }) => one.id))
        pageToken = body.nextPageToken
      } while (pageToken !== undefined)
      expect(keys.join('')).toBe('AEBC')
    })

    it('reads all tiers of a snapshot as of its version', async () => {
      await service.apply({ ...AVIATION, apiName: 'moving', families: [] })
      await service.put('moving', 'airport', AIRPORTS)
      const path = '/api/v2/ontologies/moving/objects/airport/search'
      const body = {
        where: anyTerm,
        orderBy: { orderType: 'relevance', fields: [] },
        snapshot: true,
        pageSize: 1,
      }
      let page = await service.send(path, { json: body })
      const keys = [keysOf(page)]
      await service.put('moving', 'airport', [
        { id: 'B', name: 'River Lake' },
        { id: 'C', name: 'Hill' },
        { id: 'E', name: 'Lake' },
        { id: 'G', name: 'River Lake' },
      ])
      while (page.body.nextPageToken !== undefined) {
        const pageToken = page.body.nextPageToken
        page = await service.send(path, { json: { ...body, pageToken } })
        keys.push(keysOf(page))
      }
      expect(keys.join('')).toBe('AEBC')
    })

    it('refuses fields, and binds tokens to the order', async () => {
      const both = await search({
        orderBy: { orderType: 'relevance', fields: [{ field: 'id' }] },
      })
      expect([both.status, both.body.parameters.parameter]).toEqual([422, 'orderBy.fields'])
      const first = await relevance(anyTerm, { pageSize: 1 })
      const other = await search({
        where: anyTerm,
        excludeRid: true,
        pageToken: first.body.nextPageToken,
      })
      expect(other.body.errorName).toBe('InvalidPageToken')
    })
  })

  it.each([
    [
      { where: { type: 'eq', field: 'nme', value: 1 } },
      404,
      'PropertiesNotFound',
      { properties: ['nme'] },
    ],
    [
      { where: { type: 'equals', field: 'name', value: 'x' } },
      400,
      'Default:InvalidArgument',
      { parameter: 'where.type' },
    ],
    [
      { where: { type: 'eq', field: 'elevation', value: 'high' } },
      400,
      'InvalidPropertyValue',
      { property: 'elevation' },
    ],
    [
      { orderBy: { fields: [{ field: 'nme' }] } },
      404,
      'PropertiesNotFound',
      { properties: ['nme'] },
    ],
    [
      { orderBy: { fields: [{ field: 'location' }] } },
      400,
      'PropertiesNotSortable',
      { properties: ['location'] },
    ],
    [
      { orderBy: { fields: [{ field: 'name', direction: 'up' }] } },
      400,
      'InvalidSortOrder',
      { invalidSortOrder: 'up' },
    ],
    [{ orderBy: { orderType: 'random' } }, 400, 'InvalidOrderType', { orderType: 'random' }],
    [{ select: ['nme'] }, 404, 'PropertiesNotFound', { properties: ['nme'] }],
    [
      { select: ['name'], selectV2: [{ type: 'property', apiName: 'name' }] },
      400,
      'InvalidParameterCombination',
      { providedParameters: ['select', 'selectV2'] },
    ],
    [
      { selectV2: [{ type: 'structField', propertyApiName: 'names', structFieldApiName: 'text' }] },
      400,
      'Default:InvalidArgument',
      { parameter: 'selectV2[0].type' },
    ],
    [{ pageSize: 0 }, 400, 'InvalidPageSize', { pageSize: 0 }],
    [{ pageToken: 'x' }, 400, 'InvalidPageToken', { pageToken: 'x' }],
    [{ query: {} }, 422, 'Conjure:UnprocessableEntity', { parameter: 'query' }],
    [{ snapshot: 'yes' }, 422, 'Conjure:UnprocessableEntity', { parameter: 'snapshot' }],
  ])('refuses %j', async (body, status, errorName, parameters) => {
    const response = await search(body)
    expect(response.status).toBe(status)
    expect(response.body).toMatchObject({ errorName, parameters })
  })

  it('requires a body', async () => {
    const { status, body } = await service.send(SEARCH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    expect([status, body.errorName]).toEqual([400, 'MissingPostBody'])
  })

  it('requires the read scope, and an ontology that the caller may see', async () => {
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    const stranger = await service.createToken({ ontologies: ['numbers'] })
    const send = (token: string | null) => service.send(SEARCH, { token, json: {} })
    expect((await send(null)).status).toBe(401)
    expect((await send(writer)).status).toBe(403)
    expect((await send(stranger)).body.errorName).toBe('OntologyNotFound')
  })
})

describe('count and linked objects of v2', () => {
  let service: Service
  const COUNTRY = '/api/v2/ontologies/aviation/objects/country'
  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
    await service.put('aviation', 'country', [{ code: 'CH' }, { code: 'DE' }])
    await service.put('aviation', 'airport', AIRPORTS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('counts objects without a body, whatever the content type', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const { status, body } = await service.send(
        '/api/v2/ontologies/aviation/objects/airport/count?preview=true',
        { method: 'POST', headers },
      )
      expect([status, body]).toEqual([200, { count: 6 }])
    }
  })

  it('lists linked objects, without a total count', async () => {
    const { body } = await service.send(`${COUNTRY}/CH/links/airports?select=elevation`)
    expect(body).toEqual({
      data: [
        {
          __rid: expect.any(String),
          __primaryKey: 'A',
          __apiName: 'airport',
          __title: 'River Lake Airport',
          id: 'A',
          elevation: 10,
        },
        {
          __rid: expect.any(String),
          __primaryKey: 'B',
          __apiName: 'airport',
          __title: 'Lake by the River Airport',
          id: 'B',
          elevation: 20,
        },
      ],
    })
  })

  it('pages through linked objects in any order, as of a snapshot', async () => {
    const query = 'orderBy=p.elevation:desc&excludeRid=true&snapshot=true&pageSize=1'
    const first = await service.send(`${COUNTRY}/CH/links/airports?${query}`)
    expect(first.body.data).toMatchObject([{ __primaryKey: 'B' }])
    await service.write('aviation', 'airport', [{ delete: 'A' }])
    const second = await service.send(
      `${COUNTRY}/CH/links/airports?${query}&pageToken=${first.body.nextPageToken}`,
    )
    expect(second.body.data).toMatchObject([{ __primaryKey: 'A', __apiName: 'airport' }])
    expect(second.body.nextPageToken).toBeUndefined()
    await service.put('aviation', 'airport', AIRPORTS.slice(0, 1))
  })

  it('gets a linked object', async () => {
    const { body } = await service.send(
      '/api/v2/ontologies/aviation/objects/airport/C/links/country/DE?excludeRid=true',
    )
    expect(body).toEqual({ __primaryKey: 'DE', __apiName: 'country', code: 'DE' })
  })

  it.each([
    ['country/XX/links/airports', 'ObjectNotFound', { primaryKey: { code: 'XX' } }],
    ['country/CH/links/airprots', 'LinkTypeNotFound', { linkType: 'airprots' }],
    ['airport/C/links/country/CH', 'LinkedObjectNotFound', { linkType: 'country' }],
    ['country/CH/links/airports?select=nme', 'PropertiesNotFound', { properties: ['nme'] }],
  ])('answers 404 for %s', async (path, errorName, parameters) => {
    const { status, body } = await service.send(`/api/v2/ontologies/aviation/objects/${path}`)
    expect(status).toBe(404)
    expect(body).toMatchObject({ errorName, parameters })
  })
})
