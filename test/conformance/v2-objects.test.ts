import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const LIST = '/api/v2/ontologies/numbers/objects/number'
const AIRPORTS = '/api/v2/ontologies/aviation/objects/airport'

const LOS_ANGELES = {
  id: 'LAX',
  name: 'Los Angeles "LA"',
  elevation: 125,
  passengers: '88068013',
  countryCode: 'US',
}

/** A type for each kind of primary key, and a value whose JSON shows the kind. */
const KEYS = {
  boolean: true,
  byte: -7,
  integer: -50_030,
  long: '9007199254740993',
  double: -1.5e300,
  date: '2026-01-31',
  timestamp: '2026-01-31T10:00:00Z',
  string: 'a"b/c',
} as const

describe('objects of v2', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(12_000))
    await service.apply(AVIATION)
    await service.put('aviation', 'airport', [LOS_ANGELES, { id: 'XXX' }])
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('returns flat records with rid, primary key, type and title', async () => {
    const { status, body } = await service.send(AIRPORTS)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        {
          __rid: expect.stringMatching(/^ri\.phonograph2-objects\.main\.object\.[0-9a-f-]{36}$/),
          __primaryKey: 'LAX',
          __apiName: 'airport',
          __title: 'Los Angeles "LA"',
          ...LOS_ANGELES,
        },
        {
          __rid: expect.any(String),
          __primaryKey: 'XXX',
          __apiName: 'airport',
          id: 'XXX',
        },
      ],
      totalCount: '2',
    })
    expect(Object.keys(body.data[0]).slice(0, 4)).toEqual([
      '__rid',
      '__primaryKey',
      '__apiName',
      '__title',
    ])
    const one = await service.send(`${AIRPORTS}/LAX`)
    expect(one.body).toEqual(body.data[0])
  })

  it('has the same rid as revision 1.0', async () => {
    const v2 = await service.send(`${AIRPORTS}/LAX`)
    const v1 = await service.send('/api/v1/ontologies/aviation/objects/airport/LAX')
    expect(v2.body.__rid).toBe(v1.body.rid)
  })

  it('omits the rid with excludeRid, in lists and single objects', async () => {
    const list = await service.send(`${AIRPORTS}?excludeRid=true`)
    const one = await service.send(`${AIRPORTS}/LAX?excludeRid=true`)
    expect(list.body.data[0]).toEqual(one.body)
    expect(one.body).toEqual({
      __primaryKey: 'LAX',
      __apiName: 'airport',
      __title: 'Los Angeles "LA"',
      ...LOS_ANGELES,
    })
  })

  it('selects properties by repeated parameter and comma list, always with the key', async () => {
    const repeated = await service.send(`${AIRPORTS}?select=name&select=elevation&excludeRid=true`)
    const commas = await service.send(`${AIRPORTS}?select=elevation,name&excludeRid=true`)
    const one = await service.send(`${AIRPORTS}/LAX?select=name,elevation&excludeRid=true`)
    expect(repeated.body.data).toEqual([
      {
        __primaryKey: 'LAX',
        __apiName: 'airport',
        __title: 'Los Angeles "LA"',
        id: 'LAX',
        name: 'Los Angeles "LA"',
        elevation: 125,
      },
      { __primaryKey: 'XXX', __apiName: 'airport', id: 'XXX' },
    ])
    expect(commas.body).toEqual(repeated.body)
    expect(one.body).toEqual(repeated.body.data[0])
    const many = ['name', 'elevation', 'passengers', 'countryCode', 'opened', 'aliases'].join()
    const wide = await service.send(`${AIRPORTS}/LAX?select=${many}&excludeRid=true`)
    expect(wide.body).toMatchObject(LOS_ANGELES)
  })

  it('writes primary keys in the JSON of their type', async () => {
    const definition: OntologyDefinition = {
      apiName: 'keys',
      objectTypes: Object.keys(KEYS).map((type) => ({
        apiName: `${type}Key`,
        primaryKey: 'key',
        properties: { key: { type: type as keyof typeof KEYS } },
      })),
    }
    await service.apply(definition)
    for (const [type, key] of Object.entries(KEYS)) {
      await service.put('keys', `${type}Key`, [{ key }])
      const { body } = await service.send(`/api/v2/ontologies/keys/objects/${type}Key`)
      expect(body.data).toMatchObject([{ __primaryKey: key, key }])
    }
    await service.put('keys', 'doubleKey', [{ key: 'Infinity' }, { key: '-Infinity' }])
    const { body } = await service.send('/api/v2/ontologies/keys/objects/doubleKey')
    expect(body.data.map((record: { __primaryKey: unknown }) => record.__primaryKey)).toEqual([
      '-Infinity',
      -1.5e300,
      'Infinity',
    ])
  })

  it('has pages of 1,000 by default and of 10,000 at most', async () => {
    const byDefault = await service.send(LIST)
    const largest = await service.send(`${LIST}?pageSize=10000`)
    const reduced = await service.send(`${LIST}?pageSize=10001`)
    expect(byDefault.body.data).toHaveLength(1000)
    expect(largest.body.data).toHaveLength(10_000)
    expect(reduced.body.data).toHaveLength(10_000)
    expect(largest.body.totalCount).toBe('12000')
  })

  it('orders by properties, and has no retrieval limit', async () => {
    const keys: number[] = []
    let token: string | undefined
    do {
      const page = token === undefined ? '' : `&pageToken=${token}`
      const { body } = await service.send(
        `${LIST}?pageSize=5000&orderBy=p.n:desc&excludeRid=true${page}`,
      )
      keys.push(...body.data.map((record: { n: number }) => record.n))
      token = body.nextPageToken
    } while (token !== undefined)
    expect(keys).toEqual(
      numbers(12_000)
        .map(({ n }) => n)
        .reverse(),
    )
  })

  it('sends no token after an exactly full last page', async () => {
    const { body } = await service.send(`${AIRPORTS}?pageSize=2`)
    expect(Object.keys(body)).toEqual(['data', 'totalCount'])
  })

  it('binds page tokens to excludeRid and to v2', async () => {
    const first = await service.send(`${LIST}?pageSize=1`)
    const token = first.body.nextPageToken
    const changed = await service.send(`${LIST}?pageSize=1&excludeRid=true&pageToken=${token}`)
    const other = await service.send(
      `/api/v1/ontologies/numbers/objects/number?pageSize=1&pageToken=${token}`,
    )
    for (const refused of [changed, other]) {
      expect(refused.status).toBe(400)
      expect(refused.body.errorName).toBe('InvalidPageToken')
    }
  })

  it.each([
    ['pageSize=0', 400, 'InvalidPageSize', { pageSize: 0 }],
    ['pageToken=x', 400, 'InvalidPageToken', { pageToken: 'x' }],
    ['select=nme', 404, 'PropertiesNotFound', { properties: ['nme'] }],
    ['orderBy=n', 400, 'InvalidSortType', { invalidSortType: 'n' }],
    ['orderBy=p.n:up', 400, 'InvalidSortOrder', { invalidSortOrder: 'up' }],
    ['orderBy=p.n,p.n', 400, 'DuplicateOrderBy', { properties: ['n'] }],
    ['excludeRid=1', 400, 'Default:InvalidArgument', { parameter: 'excludeRid' }],
    ['snapshot=maybe', 400, 'Default:InvalidArgument', { parameter: 'snapshot' }],
    ['properties=n', 400, 'Default:InvalidArgument', { parameter: 'properties' }],
    ['branch=feature', 404, 'FoundryBranchNotFound', { branch: 'feature' }],
  ])('refuses ?%s', async (query, status, errorName, parameters) => {
    const { body, ...response } = await service.send(`${LIST}?${query}`)
    expect(response.status).toBe(status)
    expect(body).toMatchObject({ errorName, parameters })
  })

  it('accepts the parameters that SDKs send and that have no effect', async () => {
    const { status } = await service.send(
      `${LIST}?pageSize=1&preview=true&sdkPackageRid=ri.a&sdkVersion=1.0.0&branch=`,
    )
    expect(status).toBe(200)
  })

  it.each([
    ['/api/v2/ontologies/nowhere/objects/number', 'OntologyNotFound', { apiName: 'nowhere' }],
    ['/api/v2/ontologies/numbers/objects/nmber', 'ObjectTypeNotFound', { objectType: 'nmber' }],
    [`${LIST}/12000`, 'ObjectNotFound', { objectType: 'number', primaryKey: { n: '12000' } }],
    [`${LIST}/twelve`, 'ObjectNotFound', { objectType: 'number', primaryKey: { n: 'twelve' } }],
  ])('answers 404 for %s', async (path, errorName, parameters) => {
    const { status, body } = await service.send(path)
    expect(status).toBe(404)
    expect(body).toMatchObject({ errorName, parameters })
  })

  it('requires a token with the read scope that may see the ontology', async () => {
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    const stranger = await service.createToken({ ontologies: ['aviation'] })
    for (const path of ['/api/v2/ontologies', LIST, `${LIST}/1`]) {
      expect((await service.send(path, { token: null })).status).toBe(401)
      expect((await service.send(path, { token: writer })).status).toBe(403)
    }
    for (const path of ['/api/v2/ontologies/numbers', LIST, `${LIST}/1`]) {
      const { status, body } = await service.send(path, { token: stranger })
      expect([status, body.errorName]).toEqual([404, 'OntologyNotFound'])
    }
    const { body } = await service.send('/api/v2/ontologies', { token: stranger })
    expect(body.data.map((one: { apiName: string }) => one.apiName)).toEqual(['aviation'])
  })

  it('has entity tags that depend on excludeRid', async () => {
    const list = await service.send(`${LIST}?pageSize=1`)
    const etag = list.headers.get('etag') ?? ''
    const again = await service.send(`${LIST}?pageSize=1`, { headers: { 'if-none-match': etag } })
    const other = await service.send(`${LIST}?pageSize=1&excludeRid=true`, {
      headers: { 'if-none-match': etag },
    })
    expect([again.status, other.status]).toEqual([304, 200])
  })
})
