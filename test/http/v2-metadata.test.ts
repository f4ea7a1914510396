import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const BASE = '/api/v2/ontologies/aviation'

describe('metadata of v2', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
    await service.apply(NUMBERS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('lists and gets ontologies by API name and RID', async () => {
    const list = await service.send('/api/v2/ontologies')
    expect(list.body.data.map((one: { apiName: string }) => one.apiName)).toEqual([
      'aviation',
      'numbers',
    ])
    const [aviation] = list.body.data
    expect((await service.send(BASE)).body).toEqual(aviation)
    expect((await service.send(`/api/v2/ontologies/${aviation.rid}`)).body).toEqual(aviation)
    expect(aviation).toEqual({
      apiName: 'aviation',
      displayName: 'Aviation',
      description: '',
      rid: expect.stringMatching(/^ri\.ontology\.main\.ontology\./),
    })
  })

  it('describes an object type', async () => {
    const { body } = await service.send(`${BASE}/objectTypes/airport`)
    expect(body).toMatchObject({
      apiName: 'airport',
      displayName: 'Airport',
      pluralDisplayName: 'Airport',
      status: 'ACTIVE',
      visibility: 'NORMAL',
      icon: { type: 'blueprint', name: 'cube', color: '#4C90F0' },
      primaryKey: 'id',
      titleProperty: 'name',
      rid: expect.stringMatching(/^ri\.ontology\.main\.object-type\./),
    })
    expect(body.properties.elevation).toEqual({
      dataType: { type: 'integer' },
      rid: expect.stringMatching(/^ri\.ontology\.main\.property\.[0-9a-f-]{36}$/),
      visibility: 'NORMAL',
      typeClasses: [],
    })
    expect(body.properties.names.dataType).toEqual({
      type: 'array',
      reducers: [],
      subType: {
        type: 'struct',
        structFieldTypes: ['text', 'language'].map((apiName) => ({
          apiName,
          rid: expect.stringMatching(/^ri\.ontology\.main\.property\./),
          dataType: { type: 'string' },
          typeClasses: [],
        })),
      },
    })
    const rids = JSON.stringify(body).match(/ri\.ontology\.main\.property\.[0-9a-f-]+/g) ?? []
    expect(new Set(rids).size).toBe(11)
  })

  it('names the primary key as the title property of a type without one', async () => {
    const { body } = await service.send('/api/v2/ontologies/numbers/objectTypes/number')
    expect(body).toMatchObject({ primaryKey: 'n', titleProperty: 'n', displayName: 'number' })
  })

  it('keeps the RIDs of properties and link types when a definition changes', async () => {
    const before = await service.send(`${BASE}/objectTypes/airport/fullMetadata`)
    await service.apply({ ...AVIATION, description: 'Changed' })
    const after = await service.send(`${BASE}/objectTypes/airport/fullMetadata`)
    expect(after.body).toEqual(before.body)
  })

  it('has full metadata with the members that clients require', async () => {
    const plain = await service.send(`${BASE}/objectTypes/airport`)
    const { body } = await service.send(`${BASE}/objectTypes/airport/fullMetadata?preview=true`)
    expect(body).toEqual({
      objectType: plain.body,
      linkTypes: [
        {
          apiName: 'country',
          displayName: 'country',
          status: 'ACTIVE',
          objectTypeApiName: 'country',
          cardinality: 'ONE',
          foreignKeyPropertyApiName: 'countryCode',
          linkTypeRid: expect.stringMatching(/^ri\.ontology\.main\.relation\.[0-9a-f-]{36}$/),
        },
      ],
      implementsInterfaces: [],
      implementsInterfaces2: {},
      sharedPropertyTypeMapping: {},
    })
  })

  it('has full metadata of an ontology', async () => {
    const { body } = await service.send(`${BASE}/fullMetadata`)
    const airport = await service.send(`${BASE}/objectTypes/airport/fullMetadata`)
    const ontology = await service.send(BASE)
    expect(body.ontology).toEqual(ontology.body)
    expect(Object.keys(body.objectTypes)).toEqual(['airport', 'country'])
    expect(body.objectTypes.airport).toEqual(airport.body)
    expect(body).toMatchObject({ queryTypes: {}, valueTypes: {} })
  })

  it('gives both sides of a link type the same RID', async () => {
    const forward = await service.send(`${BASE}/objectTypes/airport/outgoingLinkTypes/country`)
    const { body } = await service.send(`${BASE}/objectTypes/country/outgoingLinkTypes`)
    expect(body.data).toEqual([
      {
        apiName: 'airports',
        displayName: 'airports',
        status: 'ACTIVE',
        objectTypeApiName: 'airport',
        cardinality: 'MANY',
        linkTypeRid: forward.body.linkTypeRid,
      },
    ])
  })

  it('pages through object types by name', async () => {
    const first = await service.send(`${BASE}/objectTypes?pageSize=1`)
    const second = await service.send(
      `${BASE}/objectTypes?pageSize=1&pageToken=${first.body.nextPageToken}`,
    )
    const names = [first, second].map(({ body }) => body.data[0].apiName)
    expect(names).toEqual(['airport', 'country'])
    expect(Object.keys(second.body)).toEqual(['data'])
  })

  it('gets object types by RID, and leaves out unknown ones', async () => {
    const { body: airport } = await service.send(`${BASE}/objectTypes/airport`)
    const unknown = 'ri.ontology.main.object-type.unknown'
    const { body } = await service.send(`${BASE}/objectTypes/getByRidBatch`, {
      json: { requests: [{ objectTypeRid: unknown }, { objectTypeRid: airport.rid }] },
    })
    expect(body).toEqual({ data: [airport] })
  })

  it.each([
    [{ requests: [] }, 400, 'MissingBatchRequest', {}],
    [
      { requests: Array.from({ length: 101 }, () => ({ objectTypeRid: 'x' })) },
      400,
      'BatchRequestSizeExceededLimit',
      { maximumBatchSize: 100, providedBatchSize: 101 },
    ],
    [{}, 422, 'Conjure:UnprocessableEntity', { parameter: 'requests' }],
    [
      { requests: [{ rid: 'x' }] },
      422,
      'Conjure:UnprocessableEntity',
      { parameter: 'requests[0].objectTypeRid' },
    ],
  ])('refuses the batch %j', async (json, status, errorName, parameters) => {
    const response = await service.send(`${BASE}/objectTypes/getByRidBatch`, { json })
    expect(response.status).toBe(status)
    expect(response.body).toMatchObject({ errorName, parameters })
  })

  it('has no query types', async () => {
    expect((await service.send(`${BASE}/queryTypes?pageSize=10`)).body).toEqual({ data: [] })
  })

  it.each([
    ['objectTypes/airprot', 'ObjectTypeNotFound', { objectType: 'airprot' }],
    ['objectTypes/airprot/fullMetadata', 'ObjectTypeNotFound', { objectType: 'airprot' }],
    ['objectTypes/airprot/outgoingLinkTypes', 'ObjectTypeNotFound', { objectType: 'airprot' }],
    [
      'objectTypes/airport/outgoingLinkTypes/contry',
      'LinkTypeNotFound',
      { objectType: 'airport', linkType: 'contry' },
    ],
  ])('answers 404 for %s', async (path, errorName, parameters) => {
    const { status, body } = await service.send(`${BASE}/${path}`)
    expect(status).toBe(404)
    expect(body).toMatchObject({ errorName, parameters })
  })

  it('hides ontologies from callers that may not see them', async () => {
    const token = await service.createToken({ ontologies: ['numbers'] })
    for (const path of [
      '',
      '/fullMetadata',
      '/objectTypes',
      '/objectTypes/airport',
      '/queryTypes',
    ]) {
      const { status, body } = await service.send(BASE + path, { token })
      expect([path, status, body.errorName]).toEqual([path, 404, 'OntologyNotFound'])
    }
  })
})
