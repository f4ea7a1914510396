import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION } from '../support/ontologies.ts'
import { type Service, startService, type TestResponse } from '../support/service.ts'

const OBJECTS = '/api/v2/ontologies/aviation/objects'
const COUNT = [{ type: 'count', name: 'count' }]

const linked = (link: string, where?: object) => ({ type: 'linked', link, where })
const code = (value: string) => ({ type: 'eq', field: 'code', value })
const inSwitzerland = linked('country', code('CH'))

const keysOf = ({ body }: TestResponse) =>
  (body.data as { __primaryKey: string }[]).map((record) => record.__primaryKey)

describe('where: linked', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(AVIATION)
    await service.put('aviation', 'country', [{ code: 'CH' }, { code: 'DE' }, { code: 'FR' }])
    await service.put('aviation', 'airport', [
      { id: 'A', countryCode: 'CH', elevation: 1 },
      { id: 'B', countryCode: 'CH', elevation: 2 },
      { id: 'C', countryCode: 'DE', elevation: 3 },
      { id: 'D' },
      { id: 'E', countryCode: 'XX' },
    ])
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const search = (where: object, type = 'airport', more: object = {}) =>
    service.send(`${OBJECTS}/${type}/search`, { json: { where, ...more } })

  it.each<[string, object, string[]]>([
    ['to one', inSwitzerland, ['A', 'B']],
    ['to any', linked('country'), ['A', 'B', 'C']],
    ['to none', { type: 'not', value: linked('country') }, ['D', 'E']],
    [
      'and a condition of its own',
      { type: 'and', value: [inSwitzerland, { type: 'gt', field: 'elevation', value: 1 }] },
      ['B'],
    ],
    [
      'or a condition of its own',
      { type: 'or', value: [inSwitzerland, { type: 'eq', field: 'elevation', value: 3 }] },
      ['A', 'B', 'C'],
    ],
    [
      'over two links',
      linked('country', linked('airports', { type: 'eq', field: 'elevation', value: 1 })),
      ['A', 'B'],
    ],
  ])('finds objects linked %s', async (_, where, keys) => {
    const found = await search(where)
    expect(keysOf(found)).toEqual(keys)
    expect(found.body.totalCount).toBe(String(keys.length))
  })

  it('finds the objects at the other side of a link, each once', async () => {
    const low = linked('airports', { type: 'lt', field: 'elevation', value: 4 })
    expect(keysOf(await search(low, 'country'))).toEqual(['CH', 'DE'])
  })

  it('holds for the pages, counts, sets, changes and exports of a view alike', async () => {
    const paged = await search(inSwitzerland, 'airport', { pageSize: 1, snapshot: true })
    const { nextPageToken: pageToken } = paged.body
    const next = await search(inSwitzerland, 'airport', { pageSize: 1, snapshot: true, pageToken })
    expect([...keysOf(paged), ...keysOf(next)]).toEqual(['A', 'B'])
    const version = Number(paged.headers.get('oqs-version'))
    const aggregation = { where: inSwitzerland, aggregation: COUNT, groupBy: [] }
    const counted = await service.send(`${OBJECTS}/airport/aggregateBatch`, {
      json: { aggregations: [aggregation], version },
    })
    expect(counted.body.data[0].data[0].metrics).toEqual([{ name: 'count', value: 2 }])
    const objectSet = {
      type: 'filter',
      objectSet: { type: 'base', objectType: 'airport' },
      where: inSwitzerland,
    }
    const set = await service.send('/api/v2/ontologies/aviation/objectSets/loadObjects', {
      json: { objectSet },
    })
    expect(keysOf(set)).toEqual(['A', 'B'])
    const whereV2 = encodeURIComponent(JSON.stringify(inSwitzerland))
    const path = '/api/admin/v1/ontologies/aviation/objects/airport/export'
    const exported = await service.send(`${path}?whereV2=${whereV2}&select=id`)
    expect(exported.text).toBe('{"id":"A"}\n{"id":"B"}\n')
    const changes = (since: string) =>
      service.send('/api/v2/ontologies/aviation/objectSets/changes', { json: { objectSet, since } })
    const { nextChangesToken } = (await changes('now')).body
    await service.put('aviation', 'airport', [{ id: 'D', countryCode: 'CH' }])
    const changed = await changes(nextChangesToken)
    expect(changed.body.data).toMatchObject([{ put: { __primaryKey: 'D' } }])
    await service.put('aviation', 'airport', [{ id: 'D' }])
  })

  it('refuses unknown links, and links where they cannot be followed', async () => {
    expect((await search(linked('nowhere'))).body.errorName).toBe('LinkTypeNotFound')
    expect((await search({ type: 'linked' })).body).toMatchObject({
      parameters: { parameter: 'where.link' },
    })
    const wrong = linked('country', { type: 'eq', field: 'nothing', value: 1 })
    expect((await search(wrong)).body.errorName).toBe('PropertiesNotFound')
    const round = (inner: object) => linked('country', linked('airports', inner))
    const deep = round(round({ type: 'eq', field: 'elevation', value: 1 }))
    expect((await search(deep)).body.errorName).toBe('QueryDepthExceededLimit')
  })

  it('refuses two conditions of an export', async () => {
    const path = '/api/admin/v1/ontologies/aviation/objects/airport/export'
    expect((await service.send(`${path}?where={}&whereV2={}`)).body.parameters).toMatchObject({
      parameter: 'whereV2',
    })
  })

  it('orders nulls as it is told', async () => {
    const orderBy = { fields: [{ field: 'elevation', direction: 'desc', nulls: 'first' }] }
    const all = { type: 'isNull', field: 'id', value: false }
    expect(keysOf(await search(all, 'airport', { orderBy }))).toEqual(['E', 'D', 'C', 'B', 'A'])
  })
})
