/** Every endpoint of the revisions and the administration, called through the client. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, or } from '../../src/client/index.ts'
import { AVIATION } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const AIRPORTS = [
  { id: 'BSL', name: 'EuroAirport Basel', elevation: 885, countryCode: 'FR', aliases: ['MLH'] },
  { id: 'GVA', name: 'Geneva Airport', elevation: 1411, countryCode: 'CH' },
  {
    id: 'ZRH',
    name: 'Zurich Airport',
    elevation: 1416,
    countryCode: 'CH',
    passengers: '31000000',
    names: [{ text: 'Flughafen Zürich', language: 'de' }],
  },
]

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(AVIATION)
})
afterAll(() => service[Symbol.asyncDispose]())

const connect = () =>
  createClient({ baseUrl: service.url, ontology: 'aviation', token: ADMIN_TOKEN })
const AIRPORT = { ontology: 'aviation', objectType: 'airport' }

describe('the client', () => {
  it.each(['.', '..'])('refuses the key %s, which no URL can contain', async (key) => {
    const client = connect()
    await expect(client.objects('airport').get(key)).rejects.toThrow(
      /cannot contain the name or key/,
    )
    await expect(client.objectSet('airport').get(key)).rejects.toThrow(TypeError)
    await expect(client.edit('airport').put(key, { id: key })).rejects.toThrow(TypeError)
  })

  it('writes batches and replacements', async () => {
    const client = connect()
    const countries = [
      { code: 'CH', name: 'Switzerland' },
      { code: 'FR', name: 'France' },
    ]
    expect(await client.edit('country').batch(countries.map((put) => ({ put })))).toEqual({
      version: 1,
      put: 2,
      deleted: 0,
    })
    expect(await client.edit('airport').batch([{ put: { id: 'OLD' } }])).toMatchObject({ put: 1 })
    expect(await client.edit('airport').replaceAll(AIRPORTS)).toMatchObject({ put: 3, deleted: 1 })
    const invalid = client.edit('airport').replaceAll([{ id: 'X', elevation: 'high' }])
    await expect(invalid).rejects.toMatchObject({ errorName: 'InvalidBatchLine' })
    expect(await client.objects('airport').toArray()).toEqual(AIRPORTS)
  })

  it('queries revision 1.0', async () => {
    const airports = connect().objects('airport')
    expect(await airports.get('GVA')).toEqual(AIRPORTS[1])
    expect(await airports.select('name').get('GVA')).toEqual({ id: 'GVA', name: 'Geneva Airport' })
    await expect(airports.get('XXX')).rejects.toMatchObject({
      errorName: 'ObjectNotFound',
      statusCode: 404,
    })
    const ids = async (query: typeof airports) => (await query.toArray()).map(({ id }) => id)
    expect(await ids(airports.where({ countryCode: 'CH' }))).toEqual(['GVA', 'ZRH'])
    expect(await ids(airports.where({ elevation: { gt: 1000, lt: 1415 } }))).toEqual(['GVA'])
    expect(await ids(airports.where({ id: { in: ['BSL', 'ZRH'] } }))).toEqual(['BSL', 'ZRH'])
    expect(await ids(airports.where({ countryCode: { neq: 'CH' } }))).toEqual(['BSL'])
    expect(await ids(airports.where({ aliases: { contains: 'MLH' } }))).toEqual(['BSL'])
    expect(await ids(airports.where({ passengers: { isNull: false } }))).toEqual(['ZRH'])
    expect(await ids(airports.where({ passengers: { gte: 31_000_000n } }))).toEqual(['ZRH'])
    expect(await ids(airports.where({ 'names:text': { prefix: 'flug' } }))).toEqual(['ZRH'])
    expect(await ids(airports.where({ name: { anyTerm: 'basel geneva' } }))).toEqual(['BSL', 'GVA'])
    const fuzzy = { allTerms: { value: 'zurch', fuzzy: true } }
    expect(await ids(airports.where({ name: fuzzy }))).toEqual(['ZRH'])
    const either = or({ id: 'BSL' }, { name: { phrase: 'zurich airport' } })
    expect(await ids(airports.where(either))).toEqual(['BSL', 'ZRH'])
    expect(await ids(airports.orderBy('countryCode').orderBy('elevation', 'desc'))).toEqual([
      'ZRH',
      'GVA',
      'BSL',
    ])
    const byLast = airports.orderBy('passengers', 'asc', { nulls: 'first' })
    expect((await ids(byLast)).at(-1)).toBe('ZRH')
  })

  it('aggregates', async () => {
    const airports = connect().objects('airport')
    const { data } = await airports.where({ elevation: { gt: 0 } }).aggregate({
      metrics: { n: { type: 'count' }, highest: { type: 'max', field: 'elevation' } },
      groupBy: [{ type: 'exact', field: 'countryCode' }],
    })
    expect(data).toEqual([
      { group: { countryCode: 'CH' }, metrics: { n: 2, highest: 1416 } },
      { group: { countryCode: 'FR' }, metrics: { n: 1, highest: 885 } },
    ])
    expect(await airports.aggregate({ metrics: { n: { type: 'count' } } })).toEqual({
      data: [{ group: {}, metrics: { n: 3 } }],
    })
  })

  it('runs several aggregations in one request', async () => {
    const { objectSets } = connect().endpoints
    const aggregation = [{ type: 'count', name: 'n' }]
    const where = { type: 'eq', field: 'countryCode', value: 'CH' }
    const aggregations = [
      { aggregation, groupBy: [] },
      { aggregation, groupBy: [], where },
    ]
    const answers = await objectSets.aggregateBatch(AIRPORT, { aggregations })
    expect(answers.map(({ data }) => data[0]?.metrics)).toEqual([
      [{ name: 'n', value: 3 }],
      [{ name: 'n', value: 2 }],
    ])
  })

  it('follows links', async () => {
    const client = connect()
    const swiss = client.linked('country', 'CH', 'airports')
    expect(await swiss.select('name').orderBy('name', 'desc').toArray()).toEqual([
      { id: 'ZRH', name: 'Zurich Airport' },
      { id: 'GVA', name: 'Geneva Airport' },
    ])
    expect(await swiss.where({ elevation: { gt: 1411 } }).first()).toMatchObject({ id: 'ZRH' })
    expect(await swiss.where({ id: { in: ['GVA', 'BSL'] } }).toArray()).toHaveLength(1)
    expect(await client.linked('airport', 'BSL', 'country').first()).toMatchObject({ code: 'FR' })
  })

  it('queries revision 2.0', async () => {
    const family = connect().family('gotham').objects('airport')
    const ids = async (query: typeof family) => (await query.toArray()).map(({ id }) => id)
    expect(await ids(family)).toEqual(['BSL', 'GVA', 'ZRH'])
    expect(await ids(family.where({ $keyword: 'airport' }))).toEqual(['GVA', 'ZRH'])
    expect(await ids(family.where({ aliases: { contains: 'MLH' } }))).toEqual(['BSL'])
    expect(await ids(family.where({ 'names:language': 'de' }))).toEqual(['ZRH'])
    expect(await family.get('GVA')).toEqual(AIRPORTS[1])
    for await (const { records, totalCount } of family.pages()) {
      expect([records[0], totalCount]).toMatchObject([{ primaryKey: 'BSL' }, undefined])
    }
  })

  it('exports conditions and selections', async () => {
    const swiss = connect().objects('airport').where({ countryCode: 'CH' }).select('name')
    const exported: unknown[] = []
    for await (const object of swiss.export()) exported.push(object)
    expect(exported).toEqual(await swiss.toArray())
    expect(() => swiss.orderBy('name').export()).toThrow(TypeError)
  })

  it('reads and applies definitions', async () => {
    const client = connect()
    const definition = await client.getDefinition()
    expect(definition).toMatchObject({ apiName: 'aviation' })
    expect(await client.applyDefinition(definition)).toEqual(definition)
  })
})

describe('the endpoints', () => {
  it('of revision 1.0 return what the service sends', async () => {
    const { revision1 } = connect().endpoints
    const [ontology] = await revision1.listOntologies()
    expect(ontology).toEqual(await revision1.getOntology('aviation'))
    const types = await revision1.listObjectTypes('aviation', { pageSize: 1 })
    expect(types.data[0]).toEqual(await revision1.getObjectType(AIRPORT))
    expect(types.nextPageToken).toMatch(/^v1\./)
    const links = await revision1.listLinkTypes(AIRPORT)
    expect(links.data).toEqual([await revision1.getLinkType(AIRPORT, 'country')])
    const link = { ...AIRPORT, primaryKey: 'ZRH', linkType: 'country' }
    const linked = await revision1.getLinkedObject(link, 'CH', { properties: 'name' })
    expect(linked.properties).toEqual({ code: 'CH', name: 'Switzerland' })
    expect((await revision1.listLinkedObjects(link)).data).toEqual([linked])
    const listed = await revision1.listObjects(AIRPORT, {
      filters: { 'properties.countryCode.eq': ['FR'] },
      orderBy: 'properties.name:desc',
    })
    expect(listed.data).toEqual([await revision1.getObject(AIRPORT, 'BSL')])
    expect(listed.totalCount).toBe('1')
  })

  it('of revision 2.0 return what the service sends', async () => {
    const { revision2 } = connect().endpoints
    const object = await revision2.getObject('gotham', 'BSL', { objectType: 'airport' })
    expect(object).toMatchObject({ primaryKey: 'BSL', title: 'EuroAirport Basel' })
    const { properties } = await revision2.getObjectProperties('gotham', 'BSL')
    expect(properties).toContainEqual({
      propertyId: 'aliases:0',
      propertyType: 'aliases',
      value: 'MLH',
    })
    const { data } = await revision2.listLinkedObjects('gotham', 'BSL', 'country')
    expect(data).toMatchObject([{ primaryKey: 'FR' }])
  })
})
