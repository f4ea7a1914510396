import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STRUCT_MAX_DEPTH } from '../../src/contract/limits.ts'
import type {
  FieldDefinition,
  FieldDefinitions,
  OntologyDefinition,
} from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from '../support/service.ts'

const GEO: FieldDefinitions = { lat: { type: 'double' }, spot: { type: 'geopoint' } }
const ADDRESS: FieldDefinitions = {
  city: { type: 'string' },
  floor: { type: 'integer' },
  geo: { type: 'struct', fields: GEO },
  tags: { type: 'array', items: { type: 'string' } },
}
const LINES: FieldDefinitions = {
  sku: { type: 'string' },
  parts: { type: 'array', items: { type: 'struct', fields: { count: { type: 'long' } } } },
}

const definition = (
  apiName: string,
  address: FieldDefinitions = ADDRESS,
  more: Record<string, FieldDefinition> = {},
): OntologyDefinition => ({
  apiName,
  families: [apiName],
  objectTypes: [
    {
      apiName: 'visit',
      primaryKey: 'id',
      properties: {
        id: { type: 'string' },
        address: { type: 'struct', fields: address },
        lines: { type: 'array', items: { type: 'struct', fields: LINES } },
        ...more,
      },
    },
  ],
})

const point = (longitude: number, latitude: number) => ({
  type: 'Point',
  coordinates: [longitude, latitude],
})

const VISITS = [
  {
    id: 'a',
    address: { city: 'Bern', floor: 2, geo: { lat: 46.9, spot: point(7.4, 46.9) }, tags: ['old'] },
    lines: [{ sku: 'x', parts: [{ count: '3' }, {}] }, { sku: 'y' }],
  },
  { id: 'b', address: { city: 'Bonn am Rhein', geo: { lat: 50.7, spot: point(7.1, 50.7) } } },
  { id: 'c', address: { floor: 9, geo: {}, tags: [] }, lines: [{ parts: [] }] },
  { id: 'd' },
]

let service: Service
beforeAll(async () => {
  service = await startService()
  expect((await service.apply(definition('visits'))).status).toBe(200)
  expect((await service.put('visits', 'visit', VISITS)).status).toBe(200)
})
afterAll(() => service[Symbol.asyncDispose]())

const V1 = '/api/v1/ontologies/visits/objects/visit'
const V2 = '/api/v2/ontologies/visits/objects/visit'

interface Found {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: responses of any endpoint
  readonly body: any
}

function idsOf({ status, body, text }: Found): string {
  expect(status, text).toBe(200)
  return body.data
    .map(
      (record: { id?: string; properties?: { id: string } }) => record.properties?.id ?? record.id,
    )
    .join('')
}

describe('a field inside structs', () => {
  it.each([
    ['eq', 'address.geo.lat', 46.9, 'a'],
    ['lt', 'address.geo.lat', 50, 'a'],
    ['gte', 'address.floor', 2, 'ac'],
    ['eq', 'lines.parts.count', '3', 'a'],
    ['eq', 'address.tags', 'old', 'a'],
  ])('is found by %s of %s in every revision', async (type, path, value, ids) => {
    const [first, ...rest] = path.split('.')
    const query = { type, field: `properties.${path}`, value }
    expect(idsOf(await service.send(`${V1}/search`, { json: { query } }))).toBe(ids)
    const byType = '/api/visits/v1/objects/types/visit/search'
    const named = { type, field: path.replaceAll('.', ':'), value }
    expect(idsOf(await service.send(byType, { json: { query: named } }))).toBe(ids)
    const propertyIdentifier = {
      type: 'structField',
      propertyApiName: first,
      structFieldApiName: rest.join('.'),
    }
    for (const where of [
      { type, field: path, value },
      { type, propertyIdentifier, value },
    ]) {
      expect(idsOf(await service.send(`${V2}/search`, { json: { where } }))).toBe(ids)
    }
  })

  it.each([
    [{ type: 'isNull', field: 'address.city', value: true }, 'cd'],
    [{ type: 'isNull', field: 'address.geo', value: false }, 'abc'],
    [{ type: 'isNull', field: 'address.geo.spot', value: true }, 'cd'],
    [{ type: 'isNull', field: 'address.tags', value: false }, 'ac'],
    [{ type: 'isNull', field: 'lines.parts', value: true }, 'bd'],
    [{ type: 'in', field: 'address.city', value: ['Bern', 'Rom'] }, 'a'],
    [{ type: 'contains', field: 'lines.sku', value: 'y' }, 'a'],
    [{ type: 'containsAllTerms', field: 'address.city', value: 'rhein bonn' }, 'b'],
    [{ type: 'startsWith', field: 'address.city', value: 'bo' }, 'b'],
    [{ type: 'wildcard', field: 'address.city', value: 'B?rn' }, 'a'],
    [{ type: 'not', value: { type: 'eq', field: 'address.city', value: 'Bern' } }, 'bcd'],
    [
      {
        type: 'withinDistanceOf',
        field: 'address.geo.spot',
        value: { center: point(7, 50), distance: { value: 100, unit: 'KILOMETERS' } },
      },
      'b',
    ],
  ])('is found by %j', async (where, ids) => {
    expect(idsOf(await service.send(`${V2}/search`, { json: { where } }))).toBe(ids)
  })

  it('filters and orders lists', async () => {
    const list = async (query: string) => idsOf(await service.send(`${V1}?${query}`))
    expect(await list('properties.address.city.eq=Bern')).toBe('a')
    expect(await list('p.address.geo.lat.gt=47')).toBe('b')
    expect(await list('p.address.city.isNull=true')).toBe('cd')
    expect(await list('orderBy=properties.address.floor:desc')).toBe('cadb')
    expect(await list('orderBy=p.address.geo.lat:desc:nullsFirst&pageSize=3')).toBe('dcb')
    const orderBy = { fields: [{ field: 'properties.address.city', direction: 'desc' }] }
    const query = { type: 'isNull', field: 'properties.address', value: false }
    expect(idsOf(await service.send(`${V1}/search`, { json: { query, orderBy } }))).toBe('bac')
  })

  it('is aggregated', async () => {
    const json = {
      aggregation: [
        { type: 'max', field: 'address.geo.lat' },
        { type: 'count', name: 'n' },
      ],
      groupBy: [{ type: 'exact', field: 'address.floor', includeNullValues: true }],
    }
    const { status, body, text } = await service.send(`${V2}/aggregate`, { json })
    expect(status, text).toBe(200)
    const metric = (name: string, value: number) => ({ name, value })
    const max = 'max_address.geo.lat'
    expect(body.data).toEqual([
      { group: { 'address.floor': 2 }, metrics: [metric(max, 46.9), metric('n', 1)] },
      { group: { 'address.floor': 9 }, metrics: [{ name: max }, metric('n', 1)] },
      { group: { 'address.floor': null }, metrics: [metric(max, 50.7), metric('n', 2)] },
    ])
  })

  it.each([
    [`${V1}?orderBy=p.lines.sku`, 'PropertiesNotSortable'],
    [`${V1}?orderBy=p.address.geo`, 'PropertiesNotSortable'],
    [`${V1}?orderBy=p.address.zip`, 'PropertiesNotFound'],
    [`${V1}?orderBy=p.address.floor,p.address.floor:desc`, 'DuplicateOrderBy'],
    [`${V1}?p.address.zip.eq=1`, 'PropertiesNotFound'],
    [`${V1}?p.address.geo.eq=1`, 'PropertyFiltersNotSupported'],
    [`${V1}?p.address.floor.eq=many`, 'InvalidPropertyFilterValue'],
    [`${V1}?properties=address.city`, 'PropertiesNotFound'],
  ])('is refused in %s', async (path, errorName) => {
    expect(await service.send(path)).toMatchObject({ body: { errorName } })
  })
})

describe('more fields than a store gives columns', () => {
  it('are found and ordered like others', async () => {
    const names = Array.from({ length: 950 }, (_, index) => `f${index}`)
    const fields = Object.fromEntries(names.map((name) => [name, { type: 'integer' } as const]))
    const id = { type: 'string' } as const
    const properties = { id, wide: { type: 'struct', fields } as const }
    const objectTypes = [{ apiName: 'visit', primaryKey: 'id', properties }]
    expect((await service.apply({ apiName: 'wide', objectTypes })).status).toBe(200)
    const objects = ['a', 'b', 'c'].map((id, index) => ({ id, wide: { f0: index, f949: -index } }))
    expect((await service.put('wide', 'visit', [...objects, { id: 'd' }])).status).toBe(200)
    for (const [field, ids] of [
      ['wide.f0', 'abcd'],
      ['wide.f949', 'cbad'],
    ] as const) {
      const path = V2.replace('visits', 'wide')
      const orderBy = { fields: [{ field }] }
      expect(idsOf(await service.send(`${path}/search`, { json: { orderBy } }))).toBe(ids)
      const where = { type: 'isNull', field, value: true }
      expect(idsOf(await service.send(`${path}/search`, { json: { where } }))).toBe('d')
    }
  })
})

describe('the value of a nested struct', () => {
  it.each([
    [{ address: { geo: { lat: 'north' } } }, 'address.geo.lat', 'is not a double'],
    [{ address: { geo: { lon: 1 } } }, 'address.geo.lon', 'is not a field of this struct'],
    [{ address: { geo: [] } }, 'address.geo', 'is not a struct: a JSON object'],
    [{ address: { tags: ['a', null] } }, 'address.tags[1]', 'is not a string'],
    [{ lines: [{}, { parts: [{ count: 'x' }] }] }, 'lines[1].parts[0].count', 'is not a long'],
  ])('is refused with its path: %j', async (put, property, reason) => {
    const { status, body } = await service.put('visits', 'visit', [{ id: 'e', ...put }])
    expect(status).toBe(400)
    expect(body.parameters).toMatchObject({ property, reason })
  })

  it('[2.2.2] is returned as it was written, without nulls', async () => {
    const e = { id: 'e', address: { city: null, geo: { lat: null } }, lines: [{ sku: null }] }
    expect((await service.put('visits', 'visit', [e])).status).toBe(200)
    const { body } = await service.send(`${V1}/e`)
    expect(body.properties).toEqual({ id: 'e', address: { geo: {} }, lines: [{}] })
    expect((await service.write('visits', 'visit', [{ delete: 'e' }])).status).toBe(200)
  })

  it('is merged by a patch, member by member', async () => {
    const path = '/api/admin/v1/ontologies/visits/objects/visit/a'
    const patched = await service.send(path, {
      method: 'PATCH',
      json: { address: { geo: { lat: 47, spot: null } } },
    })
    expect(patched.status, patched.text).toBe(200)
    const { body } = await service.send(`${V2}/a`)
    expect(body.address).toEqual({ ...VISITS[0]?.address, geo: { lat: 47 } })
    expect((await service.put('visits', 'visit', VISITS.slice(0, 1))).status).toBe(200)
  })
})

describe('the definition of a nested struct', () => {
  const nested = (depth: number): FieldDefinition =>
    depth === 0 ? { type: 'string' } : { type: 'struct', fields: { a: nested(depth - 1) } }

  it('has a maximum depth', async () => {
    const deep = definition('deep', ADDRESS, { deep: nested(STRUCT_MAX_DEPTH) })
    expect((await service.apply(deep)).status).toBe(200)
    const tooDeep = definition('deep', ADDRESS, { deep: nested(STRUCT_MAX_DEPTH + 1) })
    const { status, body } = await service.apply(tooDeep)
    expect([status, body.errorName]).toEqual([400, 'InvalidOntologyDefinition'])
    expect(body.parameters.mistakes).toEqual([
      {
        path: `objectTypes[0].properties.deep${'.fields.a'.repeat(STRUCT_MAX_DEPTH)}`,
        reason: `is nested too deeply: structs can be nested at most ${STRUCT_MAX_DEPTH} deep`,
      },
    ])
  })

  it.each(['primaryKey', 'titleProperty'])('is no %s', async (member) => {
    const { objectTypes } = definition('none')
    const types = objectTypes.map((type) => ({ ...type, [member]: 'address' }))
    const { status, body } = await service.apply({ apiName: 'none', objectTypes: types })
    expect([status, body.parameters.mistakes[0].path]).toEqual([400, `objectTypes[0].${member}`])
  })

  it('is in the metadata of each revision', async () => {
    const v1 = await service.send('/api/v1/ontologies/visits/objectTypes/visit')
    expect(v1.body.properties.address.baseType).toBe(
      'Struct<{city: String, floor: Integer, geo: Struct<{lat: Double, spot: GeoPoint}>, tags: Array<String>}>',
    )
    const v2 = await service.send('/api/v2/ontologies/visits/objectTypes/visit')
    const { dataType } = v2.body.properties.address
    const geo = dataType.structFieldTypes[2]
    expect(geo).toMatchObject({
      apiName: 'geo',
      dataType: { type: 'struct', structFieldTypes: [{ apiName: 'lat' }, { apiName: 'spot' }] },
    })
    const rids = [dataType, geo.dataType].flatMap(({ structFieldTypes }) =>
      structFieldTypes.map(({ rid }: { rid: string }) => rid),
    )
    expect(new Set(rids).size).toBe(6)
  })
})

describe('a changed nested struct', () => {
  const change = (address: FieldDefinitions, query = '') =>
    service.send(`/api/admin/v1/ontologies/changed${query}`, {
      method: 'PUT',
      json: definition('changed', address),
    })
  const find = async (where: object) =>
    idsOf(await service.send(`${V2.replace('visits', 'changed')}/search`, { json: { where } }))

  it('gains, widens, renames and drops fields', async () => {
    expect((await change(ADDRESS)).status).toBe(200)
    expect((await service.put('changed', 'visit', VISITS)).status).toBe(200)

    const zip: FieldDefinition = { type: 'string' }
    const wider = { ...ADDRESS, geo: { type: 'struct', fields: { ...GEO, zip } } } as const
    const added = await change(wider, '?dryRun=true')
    expect(added.body.changes).toMatchObject([{ kind: 'added', property: 'address.geo.zip' }])
    expect((await change(wider)).status).toBe(200)
    const e = { id: 'e', address: { floor: 7, geo: { zip: '3000' } } }
    expect((await service.put('changed', 'visit', [e])).status).toBe(200)
    expect(await find({ type: 'eq', field: 'address.geo.zip', value: '3000' })).toBe('e')

    const others = { zip }
    const renamed: FieldDefinitions = {
      ...wider,
      floor: { type: 'decimal' },
      geo: {
        type: 'struct',
        fields: { ...others, latitude: { type: 'string', renamedFrom: 'lat' } },
      },
    }
    const refused = await change(renamed)
    expect(refused.body.errorName).toBe('OntologyChangeRefused')
    expect(refused.body.parameters.reasons).toEqual([
      expect.stringContaining('visit.address.geo.spot is missing from the definition'),
    ])
    const applied = await change(renamed, '?allowDataLoss=true')
    expect(applied.status).toBe(200)
    const [{ properties }] = applied.body.objectTypes
    expect(properties.address.fields.geo.fields.latitude.renamedFrom).toBe('lat')
    expect(await find({ type: 'eq', field: 'address.geo.latitude', value: '46.9' })).toBe('a')
    expect(await find({ type: 'gt', field: 'address.floor', value: '6.5' })).toBe('ce')
    const { body } = await service.send(`${V2.replace('visits', 'changed')}/a`)
    expect(body.address.geo).toEqual({ latitude: '46.9' })

    const narrow: FieldDefinitions = {
      ...renamed,
      geo: { type: 'struct', fields: { zip: { type: 'integer' }, latitude: { type: 'date' } } },
    }
    const unfit = await change(narrow)
    expect(unfit.body.parameters.unfitObjects[0]).toMatchObject({
      primaryKey: 'a',
      property: 'address.geo.latitude',
    })
  })
})
