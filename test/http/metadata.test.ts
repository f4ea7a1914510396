import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { SCALAR_TYPES } from '../../src/ontology/definition/property-type.ts'
import { AVIATION, NUMBERS } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const API = '/api/v1/ontologies'

/** Object types with only a key, and a link between each pair of neighbours. */
function typesNamed(names: readonly string[]): OntologyDefinition {
  return {
    apiName: 'many',
    objectTypes: names.map((apiName) => ({
      apiName,
      primaryKey: 'id',
      properties: { id: { type: 'string' }, other: { type: 'string' } },
    })),
    linkTypes: names.map((apiName) => ({
      apiName: `to-${apiName}`,
      from: names[0] ?? '',
      to: apiName,
      foreignKey: 'other',
    })),
  }
}

async function walk(
  service: Service,
  path: string,
  pageSize: number,
  between?: () => Promise<unknown>,
): Promise<string[][]> {
  const pages: string[][] = []
  let pageToken: string | undefined
  do {
    const token = pageToken === undefined ? '' : `&pageToken=${pageToken}`
    const { status, body } = await service.send(`${path}?pageSize=${pageSize}${token}`)
    expect(status).toBe(200)
    expect(Object.keys(body).filter((name) => name !== 'nextPageToken')).toEqual(['data'])
    pages.push(body.data.map((part: { apiName: string }) => part.apiName))
    pageToken = body.nextPageToken
    if (pageToken !== undefined) await between?.()
  } while (pageToken !== undefined)
  return pages
}

describe('ontologies, revision 1.0', () => {
  let service: Service
  let rid: string
  beforeAll(async () => {
    service = await startService()
    await service.apply({ ...NUMBERS, description: 'All of them.' })
    rid = (await service.apply(AVIATION)).body.rid
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('are listed by name, with every member that clients require', async () => {
    const { status, body } = await service.send(API)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        { apiName: 'aviation', displayName: 'Aviation', description: '', rid },
        {
          apiName: 'numbers',
          displayName: 'numbers',
          description: 'All of them.',
          rid: expect.stringMatching(/^ri\.ontology\.main\.ontology\./),
        },
      ],
    })
  })

  it('are found by API name and by RID', async () => {
    const expected = { apiName: 'aviation', displayName: 'Aviation', description: '', rid }
    for (const identifier of ['aviation', rid]) {
      const { status, body } = await service.send(`${API}/${identifier}`)
      expect([status, body]).toEqual([200, expected])
    }
  })

  it('[5.2] are not found if they are hidden from the caller', async () => {
    const token = await service.createToken({ ontologies: ['numbers'] })
    const { body } = await service.send(API, { token })
    expect(body.data.map(({ apiName }: { apiName: string }) => apiName)).toEqual(['numbers'])
    for (const path of [
      `${API}/aviation`,
      `${API}/aviation/objectTypes`,
      `${API}/aviation/objectTypes/airport`,
      `${API}/aviation/objectTypes/airport/outgoingLinkTypes`,
      `${API}/aviation/objectTypes/airport/outgoingLinkTypes/country`,
      `${API}/aviation/objects/airport/ZRH`,
      `${API}/aviation/objects/airport/ZRH/links/country`,
      `${API}/aviation/objects/airport/ZRH/links/country/CH`,
    ]) {
      const hidden = await service.send(path, { token })
      const absent = await service.send(path.replace('aviation', 'nowhere'), { token })
      expect([path, hidden.status]).toEqual([path, 404])
      expect(hidden.body).toMatchObject({
        errorName: 'OntologyNotFound',
        parameters: { apiName: 'aviation' },
      })
      expect(absent.body.errorName).toBe('OntologyNotFound')
    }
  })

  it('[5.2] require the read scope, and reject unknown parameters', async () => {
    const token = await service.createToken({ scopes: ['api:ontologies-write'] })
    for (const path of [
      API,
      `${API}/numbers`,
      `${API}/numbers/objectTypes`,
      `${API}/numbers/objectTypes/number`,
      `${API}/numbers/objectTypes/number/outgoingLinkTypes`,
      `${API}/numbers/objectTypes/number/outgoingLinkTypes/x`,
    ]) {
      expect((await service.send(path, { token })).body.errorName).toBe('ApiUsageDenied')
      expect((await service.send(path, { token: null })).status).toBe(401)
      const odd = await service.send(`${path}?pagesize=1`)
      expect(odd.body).toMatchObject({
        errorName: 'Default:InvalidArgument',
        parameters: { parameter: 'pagesize' },
      })
    }
  })
})

describe('object types, revision 1.0', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
    await service.apply(NUMBERS)
    await service.apply(typesNamed(['d', 'b', 'e', 'a', 'c']))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('are described by their properties', async () => {
    const { status, body } = await service.send(`${API}/aviation/objectTypes/airport`)
    expect(status).toBe(200)
    expect(body).toEqual({
      apiName: 'airport',
      displayName: 'Airport',
      status: 'ACTIVE',
      visibility: 'NORMAL',
      primaryKey: ['id'],
      properties: {
        id: { baseType: 'String' },
        name: { baseType: 'String' },
        elevation: { baseType: 'Integer' },
        passengers: { baseType: 'Long' },
        opened: { baseType: 'LocalDate' },
        location: { baseType: 'GeoPoint' },
        aliases: { baseType: 'Array<String>' },
        names: { baseType: 'Array<Struct<{text: String, language: String}>>' },
        countryCode: { baseType: 'String' },
      },
      rid: expect.stringMatching(/^ri\.ontology\.main\.object-type\./),
    })
    const list = await service.send(`${API}/aviation/objectTypes`)
    expect(list.body.data).toHaveLength(2)
    expect(list.body.data[0]).toEqual(body)
    expect('nextPageToken' in list.body).toBe(false)
  })

  it('name every property type, and repeat descriptions and display names', async () => {
    const scalars = Object.fromEntries(SCALAR_TYPES.map((type) => [type, { type }]))
    await service.apply({
      apiName: 'types',
      objectTypes: [
        {
          apiName: 'all',
          description: 'One of each.',
          primaryKey: 'string',
          properties: {
            ...scalars,
            struct: { type: 'struct', fields: { x: { type: 'double' } }, displayName: 'Struct' },
            list: { type: 'array', items: { type: 'date' }, description: 'Days.' },
          },
        },
      ],
    })
    const { body } = await service.send(`${API}/types/objectTypes/all`)
    expect(body.description).toBe('One of each.')
    expect('displayName' in body).toBe(false)
    const names = Object.entries(body.properties as Record<string, { baseType: string }>)
    expect(Object.fromEntries(names.map(([name, { baseType }]) => [name, baseType]))).toEqual({
      string: 'String',
      boolean: 'Boolean',
      byte: 'Byte',
      short: 'Short',
      integer: 'Integer',
      long: 'Long',
      float: 'Float',
      double: 'Double',
      decimal: 'Decimal',
      date: 'LocalDate',
      timestamp: 'Timestamp',
      geopoint: 'GeoPoint',
      geoshape: 'GeoShape',
      attachment: 'Attachment',
      marking: 'Marking',
      struct: 'Struct<{x: Double}>',
      list: 'Array<LocalDate>',
    })
    expect(body.properties.struct.displayName).toBe('Struct')
    expect(body.properties.list.description).toBe('Days.')
  })

  it('[2.1.1] [2.1.2] are listed in pages, by name', async () => {
    const path = `${API}/many/objectTypes`
    expect(await walk(service, path, 2)).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(await walk(service, path, 5)).toEqual([['a', 'b', 'c', 'd', 'e']])
    expect(await walk(service, path, 2_147_483_647)).toHaveLength(1)
  })

  it('are neither skipped nor repeated when the definition changes between pages', async () => {
    const before = ['b', 'd', 'f', 'h']
    const changes = [
      ['a', 'b', 'd', 'f', 'h'],
      ['a', 'b', 'd', 'f', 'g', 'h'],
      ['h', 'g', 'f', 'd', 'a'],
    ]
    const define = (names: readonly string[]) =>
      service.apply({ ...typesNamed(names), apiName: 'changing', linkTypes: [] })
    await define(before)
    const pages = await walk(service, `${API}/changing/objectTypes`, 1, async () => {
      const names = changes.shift()
      if (names !== undefined) expect((await define(names)).status).toBe(200)
    })
    expect(pages.flat()).toEqual(['b', 'd', 'f', 'g', 'h'])
  })

  it('[2.1.3] end a page at its byte budget, with at least one type', async () => {
    await using small = await startService({ settings: { OQS_PAGE_MAX_BYTES: '65536' } })
    const text = 'x'.repeat(9000)
    const definition = typesNamed(['a', 'b', 'c'])
    await small.apply({
      ...definition,
      linkTypes: [],
      objectTypes: definition.objectTypes.map((type, index) => ({
        ...type,
        properties: {
          ...type.properties,
          ...Object.fromEntries(
            Array.from({ length: index === 1 ? 9 : 1 }, (_, at) => [
              `p${at}`,
              { type: 'string' as const, description: text },
            ]),
          ),
        },
      })),
    })
    expect(await walk(small, `${API}/many/objectTypes`, 10)).toEqual([['a'], ['b'], ['c']])
  })

  it('[2.1.5] [4.1.1] have tokens that are bound to the endpoint and the caller', async () => {
    const alice = await service.createToken({ name: 'alice' })
    const bob = await service.createToken({ name: 'bob' })
    const path = `${API}/many/objectTypes?pageSize=1`
    const { body } = await service.send(path, { token: alice })
    const token = body.nextPageToken
    expect(token).toMatch(/^v1\./)
    const again = await service.send(`${path}&pageToken=${token}`, { token: alice })
    expect(again.body.data[0].apiName).toBe('b')
    const foreign: readonly [path: string, caller: string, reason: string][] = [
      [path, bob, 'other caller'],
      [`${API}/aviation/objectTypes?pageSize=1`, alice, 'other request'],
      [`${API}/many/objectTypes/d/outgoingLinkTypes?pageSize=1`, alice, 'other request'],
      [`${API}/many/objects/a?pageSize=1`, alice, 'other request'],
    ]
    for (const [other, caller, reason] of foreign) {
      const answer = await service.send(`${other}&pageToken=${token}`, { token: caller })
      expect([other, answer.status, answer.body.errorName, answer.body.parameters.reason]).toEqual([
        other,
        400,
        'InvalidPageToken',
        reason,
      ])
    }
    service.clock.now += 301_000
    const late = await service.send(`${path}&pageToken=${token}`, { token: alice })
    expect(late.body.parameters.reason).toBe('expired')
  })

  it('reject invalid page sizes and tokens', async () => {
    for (const list of ['objectTypes', 'objectTypes/d/outgoingLinkTypes']) {
      for (const size of ['0', '-1', 'x', '1.5', '']) {
        const answer = await service.send(`${API}/many/${list}?pageSize=${size}`)
        expect([size, answer.status, answer.body.errorName]).toEqual([size, 400, 'InvalidPageSize'])
      }
      for (const token of ['', 'x', 'v1.AAAA']) {
        const answer = await service.send(`${API}/many/${list}?pageToken=${token}`)
        expect([token, answer.body.errorName]).toEqual([token, 'InvalidPageToken'])
      }
    }
  })

  it('are not found if they do not exist', async () => {
    for (const name of ['nothing', '__proto__', 'toString', '%20', 'Airport']) {
      const answer = await service.send(`${API}/aviation/objectTypes/${name}`)
      expect(answer.status).toBe(404)
      expect(answer.body).toMatchObject({
        errorName: 'ObjectTypeNotFound',
        parameters: { objectType: decodeURIComponent(name) },
      })
    }
  })
})

describe('outgoing link types, revision 1.0', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply({
      ...AVIATION,
      linkTypes: (AVIATION.linkTypes ?? []).map((link) => ({ ...link, displayName: 'Country' })),
    })
    await service.apply({
      apiName: 'staff',
      objectTypes: [
        {
          apiName: 'person',
          primaryKey: 'id',
          properties: { id: { type: 'long' }, boss: { type: 'long' } },
        },
      ],
      linkTypes: [
        {
          apiName: 'manager',
          reverseApiName: 'reports',
          from: 'person',
          to: 'person',
          foreignKey: 'boss',
        },
      ],
    })
    await service.apply(typesNamed(['d', 'b', 'e', 'a', 'c']))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const country = {
    apiName: 'country',
    displayName: 'Country',
    status: 'ACTIVE',
    objectTypeApiName: 'country',
    cardinality: 'ONE',
    foreignKeyPropertyApiName: 'countryCode',
  }
  const airports = {
    apiName: 'airports',
    displayName: 'airports',
    status: 'ACTIVE',
    objectTypeApiName: 'airport',
    cardinality: 'MANY',
  }

  it('include both sides of a link, each at its type', async () => {
    const from = await service.send(`${API}/aviation/objectTypes/airport/outgoingLinkTypes`)
    const to = await service.send(`${API}/aviation/objectTypes/country/outgoingLinkTypes`)
    expect([from.body, to.body]).toEqual([{ data: [country] }, { data: [airports] }])
  })

  it('are found by name', async () => {
    const types = `${API}/aviation/objectTypes`
    const one = await service.send(`${types}/airport/outgoingLinkTypes/country`)
    const many = await service.send(`${types}/country/outgoingLinkTypes/airports`)
    expect([one.body, many.body]).toEqual([country, airports])
  })

  it('are two for a type that is linked to itself', async () => {
    const { body } = await service.send(`${API}/staff/objectTypes/person/outgoingLinkTypes`)
    expect(
      body.data.map((link: Record<string, string>) => [link['apiName'], link['cardinality']]),
    ).toEqual([
      ['manager', 'ONE'],
      ['reports', 'MANY'],
    ])
  })

  it('[2.1.1] [2.1.2] are listed in pages, by name', async () => {
    const path = `${API}/many/objectTypes/d/outgoingLinkTypes`
    expect(await walk(service, path, 2)).toEqual([['to-a', 'to-b'], ['to-c', 'to-d'], ['to-e']])
    // A link without a reverse name has only one side.
    expect(await walk(service, `${API}/many/objectTypes/a/outgoingLinkTypes`, 2)).toEqual([[]])
  })

  it('[8.1] are returned in pages of at most 500', async () => {
    const names = Array.from({ length: 501 }, (_, index) => `l${index}`)
    await service.apply({
      ...typesNamed(['a', 'b']),
      apiName: 'large',
      linkTypes: names.map((apiName) => ({ apiName, from: 'a', to: 'b', foreignKey: 'other' })),
    })
    const path = `${API}/large/objectTypes/a/outgoingLinkTypes`
    const { body } = await service.send(path)
    expect(body.data).toHaveLength(500)
    const pages = await walk(service, path, 1000)
    expect(pages.map((page) => page.length)).toEqual([500, 1])
    expect(pages.flat()).toEqual(names.toSorted())
  })

  it('are not found if they do not exist', async () => {
    const types = `${API}/aviation/objectTypes`
    for (const [objectType, linkType] of [
      ['airport', 'airports'],
      ['country', 'country'],
      ['airport', 'nothing'],
      ['airport', '__proto__'],
    ]) {
      const answer = await service.send(`${types}/${objectType}/outgoingLinkTypes/${linkType}`)
      expect(answer.status).toBe(404)
      expect(answer.body).toMatchObject({
        errorName: 'LinkTypeNotFound',
        parameters: { objectType, linkType },
      })
    }
    for (const path of ['outgoingLinkTypes', 'outgoingLinkTypes/country']) {
      const answer = await service.send(`${types}/nothing/${path}`)
      expect(answer.body.errorName).toBe('ObjectTypeNotFound')
    }
  })
})
