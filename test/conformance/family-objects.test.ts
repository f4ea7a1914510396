import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService, type TestResponse } from '../support/service.ts'

const WORLD: OntologyDefinition = {
  apiName: 'world',
  families: ['gotham', 'second'],
  objectTypes: [
    {
      apiName: 'city',
      primaryKey: 'id',
      titleProperty: 'name',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        population: { type: 'long' },
        aliases: { type: 'array', items: { type: 'string' } },
        'aliases.0': { type: 'string' },
        names: {
          type: 'array',
          items: { type: 'struct', fields: { TEXT: { type: 'string' } } },
        },
        mayor: { type: 'struct', fields: { NAME: { type: 'string' }, SINCE: { type: 'date' } } },
        country: { type: 'string' },
      },
    },
    {
      apiName: 'country',
      primaryKey: 'code',
      properties: { code: { type: 'string' }, number: { type: 'integer' } },
    },
    {
      apiName: 'flight',
      primaryKey: 'number',
      properties: { number: { type: 'integer' }, to: { type: 'string' }, on: { type: 'string' } },
    },
  ],
  linkTypes: [
    {
      apiName: 'country',
      reverseApiName: 'cities',
      from: 'city',
      to: 'country',
      foreignKey: 'country',
    },
    { apiName: 'to', reverseApiName: 'arrivals', from: 'flight', to: 'city', foreignKey: 'to' },
    { apiName: 'on', reverseApiName: 'arrivals', from: 'flight', to: 'country', foreignKey: 'on' },
  ],
}

const API = '/api/gotham/v1/objects'

const BERN = {
  id: 'BRN',
  name: 'Bern',
  population: '134794',
  aliases: ['Berne', 'Berna'],
  'aliases.0': 'not an alias',
  names: [{ TEXT: 'Bern' }, {}],
  mayor: { NAME: 'Ada', SINCE: '2026-01-01' },
  country: 'CH',
}

const keysOf = ({ body }: TestResponse) =>
  body.data.map((record: { primaryKey: string }) => record.primaryKey)

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(WORLD)
  await service.put('world', 'city', [
    BERN,
    { id: '7' },
    { id: 'CH' },
    ...Array.from({ length: 10 }, (_, index) => ({ id: `c${index}`, country: 'CH' })),
  ])
  await service.put('world', 'country', [{ code: 'CH' }, { code: '7' }, { code: 'DE' }])
  await service.put('world', 'flight', [
    { number: 7, to: 'BRN' },
    { number: 8, to: 'BRN' },
    { number: 9, to: 'c1', on: 'c1' },
  ])
})
afterAll(() => service[Symbol.asyncDispose]())

describe('get object, revision 2.0', () => {
  it('finds an object by its key alone, and returns the same record as a search', async () => {
    const { status, body } = await service.send(`${API}/BRN`)
    expect(status).toBe(200)
    expect(body).toEqual({
      primaryKey: 'BRN',
      objectType: 'city',
      title: 'Bern',
      properties: BERN,
    })
    const flight = await service.send('/api/second/v1/objects/8?preview=true')
    expect(flight.body).toEqual({
      primaryKey: '8',
      objectType: 'flight',
      properties: { number: 8, to: 'BRN' },
    })
  })

  it('requires the object type if several types have such an object', async () => {
    for (const path of ['7', '7/properties']) {
      const answer = await service.send(`${API}/${path}`)
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({
        errorName: 'Default:InvalidArgument',
        parameters: {
          parameter: 'objectType',
          reason: expect.stringContaining('city, country, flight'),
        },
      })
    }
    for (const objectType of ['city', 'country', 'flight']) {
      const { body } = await service.send(`${API}/7?objectType=${objectType}`)
      expect(body).toMatchObject({ primaryKey: '7', objectType })
    }
  })

  it('does not find objects that do not exist', async () => {
    for (const path of [
      'nothing',
      'nothing/properties',
      'nothing/links/country',
      'BRN?objectType=country',
      'BRN?objectType=flight',
      `${'x'.repeat(600)}`,
      '%00',
    ]) {
      const { status, body } = await service.send(`${API}/${path}`)
      expect([path, status, body.errorName]).toEqual([path, 404, 'ObjectNotFound'])
      const key = decodeURIComponent(path.split(/[/?]/)[0] ?? '')
      expect(body.parameters).toEqual({ primaryKeys: [key] })
    }
    const type = await service.send(`${API}/BRN?objectType=town`)
    expect([type.status, type.body.errorName]).toEqual([404, 'ObjectTypeNotFound'])
  })

  it('[5.2] requires a visible family, a token and the scope', async () => {
    await service.apply({ ...WORLD, apiName: 'other', families: ['other'] })
    const other = await service.createToken({ ontologies: ['other'] })
    const write = await service.createToken({ scopes: ['api:ontologies-write'] })
    for (const path of ['BRN', 'BRN/properties', 'BRN/links/country']) {
      const hidden = await service.send(`${API}/${path}`, { token: other })
      expect([hidden.status, hidden.body.errorName]).toEqual([404, 'OntologyNotFound'])
      const absent = await service.send(`/api/nowhere/v1/objects/${path}`)
      expect(absent.body.errorName).toBe('OntologyNotFound')
      expect((await service.send(`${API}/${path}`, { token: null })).status).toBe(401)
      expect((await service.send(`${API}/${path}`, { token: write })).status).toBe(403)
      const odd = await service.send(`${API}/${path}?type=city`)
      expect(odd.body.parameters).toMatchObject({ parameter: 'type' })
    }
  })
})

describe('get object properties, revision 2.0', () => {
  it('lists each value with its own id', async () => {
    const { status, body } = await service.send(`${API}/BRN/properties`)
    expect(status).toBe(200)
    const entry = (propertyId: string, value: unknown) => ({
      propertyId,
      propertyType: propertyId.split(':')[0],
      value,
    })
    expect(body).toEqual({
      properties: [
        entry('id', 'BRN'),
        entry('name', 'Bern'),
        entry('population', '134794'),
        entry('aliases:0', 'Berne'),
        entry('aliases:1', 'Berna'),
        entry('aliases.0', 'not an alias'),
        entry('names:0', { TEXT: 'Bern' }),
        entry('names:1', {}),
        entry('mayor', { NAME: 'Ada', SINCE: '2026-01-01' }),
        entry('country', 'CH'),
      ],
    })
  })

  it('omits properties without a value', async () => {
    const { body } = await service.send(`${API}/DE/properties`)
    expect(body).toEqual({
      properties: [{ propertyId: 'code', propertyType: 'code', value: 'DE' }],
    })
  })
})

describe('list linked objects, revision 2.0', () => {
  const cities = ['BRN', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9']

  async function walk(path: string, between?: () => Promise<unknown>): Promise<TestResponse[]> {
    const pages: TestResponse[] = []
    let pageToken: string | undefined
    do {
      const token: string = pageToken === undefined ? '' : `&pageToken=${pageToken}`
      const answer = await service.send(`${API}/${path}${token}`)
      pages.push(answer)
      pageToken = answer.body.nextPageToken
      if (pageToken !== undefined) await between?.()
    } while (pageToken !== undefined)
    return pages
  }

  it('[2.1.2] follows links in both directions, with records of this revision', async () => {
    const one = await service.send(`${API}/BRN/links/country?preview=true`)
    expect(one.body).toEqual({
      data: [{ primaryKey: 'CH', objectType: 'country', properties: { code: 'CH' } }],
    })
    const many = await service.send(`${API}/CH/links/cities`)
    expect(keysOf(many)).toEqual(cities)
    expect(Object.keys(many.body)).toEqual(['data'])
    const none = await service.send(`${API}/DE/links/cities`)
    expect(none.body).toEqual({ data: [] })
  })

  it('finds the object that has the link, and requires the type if several have it', async () => {
    // The city CH has no link cities, so the country is meant.
    expect(keysOf(await service.send(`${API}/CH/links/cities`))).toEqual(cities)
    const several = await service.send(`${API}/7/links/arrivals`)
    expect(several.body).toMatchObject({
      errorName: 'Default:InvalidArgument',
      parameters: { parameter: 'objectType', reason: expect.stringContaining('city, country') },
    })
    const chosen = await service.send(`${API}/7/links/arrivals?objectType=city`)
    expect(chosen.body).toEqual({ data: [] })
  })

  it('rejects unknown links by name', async () => {
    for (const [path, linkType] of [
      ['BRN/links/nothing', 'nothing'],
      ['nothing/links/nothing', 'nothing'],
      ['BRN/links/cities', 'cities'],
      ['BRN/links/cities?objectType=city', 'cities'],
      ['BRN/links/__proto__', '__proto__'],
    ]) {
      const { status, body } = await service.send(`${API}/${path}`)
      expect([path, status, body.errorName]).toEqual([path, 400, 'InvalidOntologyTypes'])
      expect(body.parameters).toEqual({
        invalidPropertyTypes: [],
        invalidObjectTypes: [],
        invalidLinkTypes: [linkType],
      })
    }
  })

  it('[1.2] [4.1.1] [4.1.2] pages, reduces a large page size and rejects an invalid one', async () => {
    const pages = await walk('CH/links/cities?pageSize=4')
    expect(pages.map((page) => keysOf(page).length)).toEqual([4, 4, 3])
    expect(pages.flatMap(keysOf)).toEqual(cities)
    expect(keysOf(await service.send(`${API}/CH/links/cities?pageSize=5000`))).toEqual(cities)
    const token = pages[0]?.body.nextPageToken
    // The object type only identifies the object.
    const named = await service.send(
      `${API}/CH/links/cities?objectType=country&pageSize=2&pageToken=${token}`,
    )
    expect(keysOf(named)).toEqual(['c3', 'c4'])
    for (const path of [
      `DE/links/cities?pageToken=${token}`,
      `BRN/links/country?pageToken=${token}`,
      `CH/links/cities?snapshot=true&pageToken=${token}`,
    ]) {
      const { body } = await service.send(`${API}/${path}`)
      expect([path, body.errorName, body.parameters.reason]).toEqual([
        path,
        'InvalidPageToken',
        'other request',
      ])
    }
    const first = await service.send(
      '/api/v1/ontologies/world/objects/country/CH/links/cities?pageSize=4',
    )
    const crossed = await service.send(
      `${API}/CH/links/cities?pageToken=${first.body.nextPageToken}`,
    )
    expect(crossed.body.parameters.reason).toBe('other request')
    const zero = await service.send(`${API}/CH/links/cities?pageSize=0`)
    expect(zero.body.errorName).toBe('InvalidPageSize')
  })

  it('[4.5.2] keeps a snapshot, even if the start object is deleted', async () => {
    const pages = await walk('CH/links/cities?pageSize=4&snapshot=true', async () => {
      await service.write('world', 'city', [
        { put: { id: 'c9' } },
        { put: { id: 'd', country: 'CH' } },
      ])
      await service.write('world', 'country', [{ delete: 'CH' }])
    })
    expect(pages.flatMap(keysOf)).toEqual(cities)
    // The city with that key still exists, and has no such link.
    const gone = await service.send(`${API}/CH/links/cities?snapshot=true`)
    expect(gone.body.errorName).toBe('InvalidOntologyTypes')
  })
})
