import { tableFromIPC } from '@uwdata/flechette'
import { parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXPORT_TYPES } from '../../src/contract/export-formats.ts'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const SETS = '/api/v2/ontologies/aviation/objectSets'
const AIRPORT = { type: 'base', objectType: 'airport' }

const AIRPORTS = [
  { id: 'A', name: 'Alpha', elevation: 10, countryCode: 'CH' },
  { id: 'B', name: 'Beta', elevation: 20, countryCode: 'CH' },
  { id: 'C', name: 'Gamma', elevation: 30, countryCode: 'DE' },
  { id: 'D', name: 'Delta' },
]

describe('object sets of one type', () => {
  let service: Service
  const load = (body: object, token?: string) =>
    service.send(`${SETS}/loadObjects`, { json: body, ...(token && { token }) })
  const keysOf = ({ body }: { body: { data: { __primaryKey: string }[] } }) =>
    body.data.map((record) => record.__primaryKey).join('')
  const where = (set: object, condition: object) => ({
    type: 'filter',
    objectSet: set,
    where: condition,
  })
  const elevation = (type: string, value: number) => ({ type, field: 'elevation', value })

  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
    await service.put('aviation', 'country', [{ code: 'CH' }, { code: 'DE' }])
    await service.put('aviation', 'airport', AIRPORTS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('exports all objects if Accept names a format of exports', async () => {
    const high = where(AIRPORT, elevation('gte', 20))
    const orderBy = { fields: [{ field: 'elevation', direction: 'desc' }] }
    const send = async (accept: string, body: object, token = ADMIN_TOKEN) => {
      const response = await fetch(`${service.url}${SETS}/loadObjects`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return {
        type: response.headers.get('content-type'),
        bytes: Buffer.from(await response.arrayBuffer()),
      }
    }
    const stream = await send(EXPORT_TYPES.arrow, { objectSet: high, orderBy, select: ['name'] })
    expect(stream.type).toBe(EXPORT_TYPES.arrow)
    expect(tableFromIPC(stream.bytes).toArray()).toEqual([
      { id: 'C', name: 'Gamma' },
      { id: 'B', name: 'Beta' },
    ])
    const { bytes } = await send(EXPORT_TYPES.parquet, { objectSet: AIRPORT })
    const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
    expect(rows.map(({ id }) => id)).toEqual(['A', 'B', 'C', 'D'])
    const csv = await send(EXPORT_TYPES.csv, { objectSet: high, select: ['id'] })
    expect(csv.bytes.toString()).toBe('id\nB\nC\n')
    for (const refused of [
      { pageSize: 1 },
      { pageToken: 'x' },
      { orderBy: { orderType: 'relevance', fields: [] } },
    ]) {
      const { type, bytes } = await send(EXPORT_TYPES.arrow, { objectSet: high, ...refused })
      expect([type, bytes.toString()]).toEqual([
        expect.stringContaining('application/json'),
        expect.stringContaining('INVALID_ARGUMENT'),
      ])
    }
    // A policy limits it as it limits pages.
    const rights = [
      {
        ontology: 'aviation',
        objectType: 'airport',
        access: 'read',
        where: elevation('lt', 30),
        hide: ['name'],
      },
    ]
    await service.send('/api/admin/v1/policies/low', { method: 'PUT', json: { rights } })
    const token = await service.createToken({ policies: ['low'] })
    const limited = await send(EXPORT_TYPES.arrow, { objectSet: AIRPORT }, token)
    const seen = tableFromIPC(limited.bytes)
    expect(seen.names).not.toContain('name')
    expect(seen.toArray().map(({ id }) => id)).toEqual(['A', 'B'])
  })

  it('loads objects with the body that the SDK sends', async () => {
    const { status, body } = await load({
      objectSet: AIRPORT,
      select: [],
      selectV2: [],
      loadPropertySecurities: false,
      includeComputeUsage: false,
      excludeRid: true,
      snapshot: false,
      pageSize: 1,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [{ __primaryKey: 'A', __apiName: 'airport', __title: 'Alpha', ...AIRPORTS[0] }],
      nextPageToken: expect.any(String),
      totalCount: '4',
      propertySecurities: [],
    })
  })

  it('sends no token if the only match fills the page', async () => {
    const set = where(AIRPORT, { type: 'eq', field: 'id', value: 'B' })
    const { body } = await load({ objectSet: set, pageSize: 1 })
    expect(Object.keys(body)).toEqual(['data', 'totalCount', 'propertySecurities'])
    expect(body.data).toHaveLength(1)
  })

  it('combines, orders and selects', async () => {
    const low = where(AIRPORT, elevation('lt', 15))
    const high = where(AIRPORT, elevation('gt', 25))
    const response = await load({
      objectSet: { type: 'union', objectSets: [low, high] },
      orderBy: { fields: [{ field: 'elevation', direction: 'desc' }] },
      selectV2: [{ type: 'property', apiName: 'elevation' }],
    })
    expect(keysOf(response)).toBe('CA')
    expect(response.body.data[0].name).toBeUndefined()
    const rest = { type: 'subtract', objectSets: [AIRPORT, low, high] }
    expect(keysOf(await load({ objectSet: rest }))).toBe('BD')
    const both = { type: 'intersect', objectSets: [where(AIRPORT, elevation('gt', 15)), high] }
    expect(keysOf(await load({ objectSet: both }))).toBe('C')
  })

  it('follows links', async () => {
    const swiss = where(
      { type: 'base', objectType: 'country' },
      { type: 'eq', field: 'code', value: 'CH' },
    )
    const objectSet = { type: 'searchAround', objectSet: swiss, link: 'airports' }
    expect(keysOf(await load({ objectSet }))).toBe('AB')
    // The version of one type does not say which objects of the other were linked.
    const changes = '/api/v2/ontologies/aviation/objectSets/changes'
    const refused = await service.send(changes, { json: { objectSet, select: [], since: '1' } })
    expect([refused.status, refused.body.parameters.parameter]).toEqual([400, 'since'])
  })

  it('reads every page of a snapshot that follows links as of its first page', async () => {
    await service.apply({ ...AVIATION, apiName: 'moving', families: [] })
    await service.put('moving', 'country', [{ code: 'CH', name: 'x' }])
    await service.put('moving', 'airport', AIRPORTS)
    const named = where(
      { type: 'base', objectType: 'country' },
      { type: 'eq', field: 'name', value: 'x' },
    )
    const body = {
      objectSet: { type: 'searchAround', objectSet: named, link: 'airports' },
      snapshot: true,
      pageSize: 1,
    }
    const path = '/api/v2/ontologies/moving/objectSets/loadObjects'
    const first = await service.send(path, { json: body })
    await service.put('moving', 'country', [{ code: 'CH', name: 'y' }])
    await service.write('moving', 'airport', [{ delete: 'B' }])
    const second = await service.send(path, {
      json: { ...body, pageToken: first.body.nextPageToken },
    })
    expect(keysOf(first) + keysOf(second)).toBe('AB')
    expect(second.body.nextPageToken).toBeUndefined()
  })

  it('orders by relevance', async () => {
    const objectSet = where(AIRPORT, { type: 'startsWith', field: 'name', value: 'al' })
    const { body } = await load({ objectSet, orderBy: { orderType: 'relevance', fields: [] } })
    expect(body.data).toMatchObject([{ __primaryKey: 'A', __score: 1 }])
  })

  it('finds the type of a static set by its objects', async () => {
    const { body } = await load({ objectSet: AIRPORT })
    const objects = body.data.slice(1, 3).map((one: { __rid: string }) => one.__rid)
    expect(keysOf(await load({ objectSet: { type: 'static', objects } }))).toBe('BC')
    expect(keysOf(await load({ objectSet: { type: 'static', objects: [] } }))).toBe('')
    const countries = await load({ objectSet: { type: 'base', objectType: 'country' } })
    const mixed = [...objects, countries.body.data[0].__rid]
    const { status, body: error } = await load({ objectSet: { type: 'static', objects: mixed } })
    expect([status, error.errorName]).toEqual([400, 'IncompatibleNestedObjectSet'])
    expect(error.parameters.objectTypes).toEqual(['airport', 'country'])
  })

  it('binds page tokens to the object set', async () => {
    const first = await load({ objectSet: AIRPORT, pageSize: 1 })
    const other = await load({
      objectSet: where(AIRPORT, elevation('gt', 0)),
      pageSize: 1,
      pageToken: first.body.nextPageToken,
    })
    expect([other.status, other.body.errorName]).toEqual([400, 'InvalidPageToken'])
  })

  it.each([
    [{}, 422, 'Conjure:UnprocessableEntity', { parameter: 'objectSet' }],
    [{ objectSet: 'airport' }, 422, 'Conjure:UnprocessableEntity', { parameter: 'objectSet' }],
    [
      { objectSet: { type: 'all' } },
      400,
      'Default:InvalidArgument',
      { parameter: 'objectSet.type' },
    ],
    [
      { objectSet: { type: 'withProperties' } },
      400,
      'UnsupportedObjectSet',
      { type: 'withProperties' },
    ],
    [
      { objectSet: { type: 'base', objectType: 'airprot' } },
      404,
      'ObjectTypeNotFound',
      { objectType: 'airprot' },
    ],
    [
      {
        objectSet: {
          type: 'filter',
          objectSet: AIRPORT,
          where: { type: 'eq', field: 'nme', value: 1 },
        },
      },
      404,
      'PropertiesNotFound',
      { properties: ['nme'] },
    ],
    [
      { objectSet: { type: 'reference', reference: 'ri.object-set.main.temporary-object-set.x' } },
      404,
      'ObjectSetNotFound',
      { objectSetRid: 'ri.object-set.main.temporary-object-set.x' },
    ],
    [
      {
        objectSet: {
          type: 'union',
          objectSets: [AIRPORT, { type: 'base', objectType: 'country' }],
        },
      },
      400,
      'IncompatibleNestedObjectSet',
      { objectTypes: ['airport', 'country'] },
    ],
    [
      { objectSet: AIRPORT, loadPropertySecurities: true },
      422,
      'Conjure:UnprocessableEntity',
      { parameter: 'loadPropertySecurities' },
    ],
    [{ objectSet: AIRPORT, pageSize: -1 }, 400, 'InvalidPageSize', { pageSize: -1 }],
    [{ objectSet: AIRPORT, limit: 1 }, 422, 'Conjure:UnprocessableEntity', { parameter: 'limit' }],
  ])('refuses %j', async (body, status, errorName, parameters) => {
    const response = await load(body)
    expect(response.status).toBe(status)
    expect(response.body).toMatchObject({ errorName, parameters })
  })

  it('requires the read scope, and an ontology that the caller may see', async () => {
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    const stranger = await service.createToken({ ontologies: ['moving'] })
    expect((await load({ objectSet: AIRPORT }, writer)).status).toBe(403)
    expect((await load({ objectSet: AIRPORT }, stranger)).body.errorName).toBe('OntologyNotFound')
  })

  describe('that are stored for a while', () => {
    const objectSet = {
      type: 'filter',
      objectSet: AIRPORT,
      where: { type: 'gt', field: 'elevation', value: 15 },
    }
    const create = (token?: string) =>
      service.send(`${SETS}/createTemporary`, { json: { objectSet }, ...(token && { token }) })

    it('can be read, used, and used inside others', async () => {
      const { body } = await create()
      const rid = body.objectSetRid
      expect(rid).toMatch(/^ri\.object-set\.main\.temporary-object-set\.[0-9a-f-]{36}$/)
      expect((await service.send(`${SETS}/${rid}`)).body).toEqual(objectSet)
      const reference = { type: 'reference', reference: rid }
      expect(keysOf(await load({ objectSet: reference }))).toBe('BC')
      const nested = { type: 'subtract', objectSets: [AIRPORT, reference] }
      expect(keysOf(await load({ objectSet: nested }))).toBe('AD')
    })

    it('are visible to other callers of the ontology, and to nobody else', async () => {
      const { body } = await create()
      const friend = await service.createToken({ ontologies: ['aviation'] })
      const stranger = await service.createToken({ ontologies: ['numbers'] })
      expect((await service.send(`${SETS}/${body.objectSetRid}`, { token: friend })).status).toBe(
        200,
      )
      const hidden = await service.send(`${SETS}/${body.objectSetRid}`, { token: stranger })
      expect([hidden.status, hidden.body.errorName]).toEqual([404, 'OntologyNotFound'])
      await service.apply(NUMBERS)
      const elsewhere = await service.send(
        `/api/v2/ontologies/numbers/objectSets/${body.objectSetRid}`,
        { token: stranger },
      )
      expect([elsewhere.status, elsewhere.body.errorName]).toEqual([404, 'ObjectSetNotFound'])
    })

    it('expire after an hour', async () => {
      await using other = await startService()
      await other.apply(AVIATION)
      const { body } = await other.send(`${SETS}/createTemporary`, { json: { objectSet } })
      other.clock.now += 3_599_000
      expect((await other.send(`${SETS}/${body.objectSetRid}`)).status).toBe(200)
      other.clock.now += 1000
      const expired = await other.send(`${SETS}/${body.objectSetRid}`)
      expect([expired.status, expired.body.errorName]).toEqual([404, 'ObjectSetNotFound'])
      expect(expired.body.parameters).toEqual({ objectSetRid: body.objectSetRid })
    })

    it('need both scopes, and are checked', async () => {
      const reader = await service.createToken({ scopes: ['api:ontologies-read'] })
      const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
      for (const token of [reader, writer]) {
        expect((await create(token)).body.errorName).toBe('ApiUsageDenied')
      }
      const { status, body } = await service.send(`${SETS}/createTemporary`, {
        json: { objectSet: { type: 'base', objectType: 'airprot' } },
      })
      expect([status, body.errorName]).toEqual([404, 'ObjectTypeNotFound'])
    })
  })
})

describe('a snapshot walk of 25,000 objects through an object set', () => {
  it('returns each object once, as of the first page, while others write', async () => {
    await using service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(25_000))
    const body = {
      objectSet: { type: 'base', objectType: 'number' },
      snapshot: true,
      pageSize: 10_000,
    }
    const seen: { n: number; text?: string }[] = []
    const counts: string[] = []
    let pageToken: string | undefined
    do {
      const page = await service.send('/api/v2/ontologies/numbers/objectSets/loadObjects', {
        json: { ...body, pageToken },
      })
      seen.push(...page.body.data)
      counts.push(page.body.totalCount)
      pageToken = page.body.nextPageToken
      await service.write('numbers', 'number', [
        { delete: seen.length - 1 },
        { delete: seen.length + 5 },
        { put: { n: seen.length + 6, text: 'changed' } },
        { put: { n: 100_000 + seen.length } },
      ])
    } while (pageToken !== undefined)
    expect(seen.map(({ n }) => n)).toEqual(numbers(25_000).map(({ n }) => n))
    expect(seen.filter(({ text }) => text !== undefined)).toEqual([])
    expect(counts).toEqual(['25000', '25000', '25000'])
  })

  it('has shorter pages with a token where the byte budget ends them', async () => {
    await using service = await startService({ settings: { OQS_PAGE_MAX_BYTES: '100000' } })
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3000))
    const seen: number[] = []
    let pages = 0
    let pageToken: string | undefined
    do {
      const page = await service.send('/api/v2/ontologies/numbers/objectSets/loadObjects', {
        json: { objectSet: { type: 'base', objectType: 'number' }, pageSize: 10_000, pageToken },
      })
      expect(page.text.length).toBeLessThan(101_000)
      seen.push(...page.body.data.map(({ n }: { n: number }) => n))
      pageToken = page.body.nextPageToken
      pages += 1
    } while (pageToken !== undefined)
    expect(seen).toEqual(numbers(3000).map(({ n }) => n))
    expect(pages).toBeGreaterThan(2)
  })
})
