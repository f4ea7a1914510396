import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService, type TestResponse } from '../support/service.ts'

const FLEET: OntologyDefinition = {
  apiName: 'fleet',
  objectTypes: [
    {
      apiName: 'ship',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' },
        name: { type: 'string' },
        port: { type: 'long' },
        twin: { type: 'integer' },
      },
    },
    { apiName: 'port', primaryKey: 'no', properties: { no: { type: 'long' } } },
    {
      apiName: 'log',
      primaryKey: 'at',
      properties: { at: { type: 'timestamp' }, before: { type: 'timestamp' } },
    },
    {
      apiName: 'depth',
      primaryKey: 'm',
      properties: { m: { type: 'double' }, next: { type: 'double' } },
    },
  ],
  linkTypes: [
    { apiName: 'home', reverseApiName: 'ships', from: 'ship', to: 'port', foreignKey: 'port' },
    { apiName: 'base', reverseApiName: 'based', from: 'ship', to: 'port', foreignKey: 'port' },
    { apiName: 'twin', reverseApiName: 'twinOf', from: 'ship', to: 'ship', foreignKey: 'twin' },
    { apiName: 'before', reverseApiName: 'after', from: 'log', to: 'log', foreignKey: 'before' },
    { apiName: 'next', reverseApiName: 'previous', from: 'depth', to: 'depth', foreignKey: 'next' },
  ],
}

const API = '/api/v1/ontologies/fleet/objects'
const BIG = '9223372036854775807'

const ships = Array.from({ length: 25 }, (_, id) => ({
  id,
  name: `ship ${24 - id}`,
  port: id === 24 ? null : id % 2 === 0 ? BIG : '7',
}))
const idsOf = (answer: TestResponse) =>
  answer.body.data.map((record: { properties: { id: number } }) => record.properties.id)

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(FLEET)
})
afterAll(() => service[Symbol.asyncDispose]())

/** Returns every page of a walk; `between` runs after each page but the last. */
async function walk(path: string, between?: () => Promise<unknown>): Promise<TestResponse[]> {
  const pages: TestResponse[] = []
  let pageToken: string | undefined
  do {
    const answer = await service.send(
      pageToken === undefined ? path : `${path}&pageToken=${pageToken}`,
    )
    pages.push(answer)
    pageToken = answer.body.nextPageToken
    if (pageToken !== undefined) await between?.()
  } while (pageToken !== undefined)
  return pages
}

beforeEach(async () => {
  await service.put('fleet', 'ship', ships)
  await service.put('fleet', 'port', [{ no: BIG }, { no: '7' }, { no: '8' }])
})

const even = Array.from({ length: 12 }, (_, index) => index * 2)

describe('list linked objects, revision 1.0', () => {
  it('[2.1.2] follows a link to one object, without a count', async () => {
    const answer = await service.send(`${API}/ship/4/links/home`)
    expect(answer.status).toBe(200)
    const port = await service.send(`${API}/port/${BIG}`)
    expect(answer.body).toEqual({ data: [port.body] })
  })

  it('follows a link back to all objects that refer to the object', async () => {
    const answer = await service.send(`${API}/port/${BIG}/links/ships`)
    expect(idsOf(answer)).toEqual(even)
    expect(Object.keys(answer.body)).toEqual(['data'])
    expect(answer.body.data[0]).toEqual((await service.send(`${API}/ship/0`)).body)
  })

  it('returns an empty page if nothing is linked', async () => {
    await service.put('fleet', 'ship', [{ id: 100, port: '12345' }])
    const none = [
      'ship/24/links/home', // no foreign key
      'ship/100/links/home', // a foreign key without an object
      'port/8/links/ships', // no object refers to it
    ]
    for (const path of none) {
      const { status, body } = await service.send(`${API}/${path}`)
      expect([path, status, body]).toEqual([path, 200, { data: [] }])
    }
    await service.write('fleet', 'ship', [{ delete: 100 }])
  })

  it('[1.2] [2.1.1] [4.2.5] [8.4] pages, and allows another page size for each page', async () => {
    const pages = await walk(`${API}/port/${BIG}/links/ships?pageSize=5`)
    expect(pages.map((page) => idsOf(page).length)).toEqual([5, 5, 2])
    expect(pages.flatMap(idsOf)).toEqual(even)
    const token = pages[0]?.body.nextPageToken
    const rest = await service.send(`${API}/port/${BIG}/links/ships?pageToken=${token}`)
    expect(idsOf(rest)).toEqual(even.slice(5))
  })

  it('supports selection, order and filters of the linked type', async () => {
    const path = `${API}/port/${BIG}/links/ships`
    const ordered = await walk(`${path}?orderBy=properties.name:desc&pageSize=5`)
    const byName = ships
      .filter(({ port }) => port === BIG)
      .sort((a, b) => (a.name < b.name ? 1 : -1))
    expect(ordered.flatMap(idsOf)).toEqual(byName.map(({ id }) => id))
    const filtered = await walk(`${path}?p.id.gte=4&properties.id.lt=20&p.id.neq=6&pageSize=3`)
    expect(filtered.flatMap(idsOf)).toEqual([4, 8, 10, 12, 14, 16, 18])
    const outside = await service.send(`${path}?p.port.eq=7`)
    expect(outside.body).toEqual({ data: [] })
    const selected = await service.send(`${path}?properties=name&pageSize=1`)
    expect(selected.body.data[0].properties).toEqual({ id: 0, name: 'ship 24' })
    const one = await service.send(`${API}/ship/4/links/home?p.no.eq=7`)
    expect(one.body).toEqual({ data: [] })
  })

  it('[4.5.1] returns the latest state on each page, and ends when the start object is deleted', async () => {
    let changed = false
    const pages = await walk(`${API}/port/${BIG}/links/ships?pageSize=8`, async () => {
      if (changed) return
      changed = true
      await service.put('fleet', 'ship', [
        { id: 1, port: BIG },
        { id: 20, port: '7' },
        { id: 21, port: BIG },
      ])
    })
    expect(pages.flatMap(idsOf)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 21, 22])

    const [first, second] = await walk(`${API}/port/${BIG}/links/ships?pageSize=8`, () =>
      service.write('fleet', 'port', [{ delete: BIG }]),
    )
    expect(first?.status).toBe(200)
    expect(second?.body).toMatchObject({
      errorName: 'ObjectNotFound',
      parameters: { objectType: 'port', primaryKey: { no: BIG } },
    })
  })

  it('[4.5.2] keeps a snapshot, even if the start object is deleted', async () => {
    const path = `${API}/port/${BIG}/links/ships?pageSize=5&snapshot=true`
    const pages = await walk(path, async () => {
      await service.put(
        'fleet',
        'ship',
        ships.map((ship) => ({ ...ship, port: '8' })),
      )
      await service.write('fleet', 'ship', [{ delete: 22 }])
      await service.write('fleet', 'port', [{ delete: BIG }])
    })
    expect(pages.flatMap(idsOf)).toEqual(even)
    const again = await service.send(path)
    expect(again.body.errorName).toBe('ObjectNotFound')
  })

  it('[2.1.5] [4.1.1] binds tokens to the object, the link and the query', async () => {
    const path = `${API}/port/7/links/ships?pageSize=2`
    const token = (await service.send(path)).body.nextPageToken
    expect((await service.send(`${path}&pageToken=${token}`)).status).toBe(200)
    // Another spelling of the same key is the same object.
    const spelt = await service.send(`${API}/port/+7/links/ships?pageToken=${token}`)
    expect(spelt.status).toBe(200)
    for (const other of [
      `${API}/port/${BIG}/links/ships?pageSize=2`,
      `${API}/port/7/links/based?pageSize=2`,
      `${API}/ship/4/links/home?pageSize=2`,
      `${API}/ship?p.port.eq=7&pageSize=2`,
      `${API}/ship/24/links/home?pageSize=2`,
      `${path}&snapshot=true`,
      `${path}&properties=name`,
      `${path}&orderBy=p.id`,
      `${path}&p.id.gt=0`,
    ]) {
      const answer = await service.send(`${other}&pageToken=${token}`)
      expect([other, answer.body.errorName, answer.body.parameters.reason]).toEqual([
        other,
        'InvalidPageToken',
        'other request',
      ])
    }
    const bob = await service.createToken({ name: 'bob' })
    const foreign = await service.send(`${path}&pageToken=${token}`, { token: bob })
    expect(foreign.body.parameters.reason).toBe('other caller')
    const odd = await service.send(`${API}/port/555/links/ships?snapshot=true&pageToken=x`)
    expect(odd.body.errorName).toBe('InvalidPageToken')
  })

  it('links objects by long, timestamp and double keys, and a type to itself', async () => {
    await service.put('fleet', 'ship', [{ id: 50, twin: 51 }, { id: 51, twin: 50 }, { id: 52 }])
    await service.put('fleet', 'log', [
      { at: '2026-01-01T00:00:00Z' },
      { at: '2026-01-01T00:00:00.5Z', before: '2026-01-01T01:00:00+01:00' },
    ])
    await service.put('fleet', 'depth', [
      { m: 0.1, next: 'Infinity' },
      { m: 'Infinity', next: 0.1 },
    ])
    const follow = async (path: string) =>
      (await service.send(`${API}/${path}`)).body.data.map(
        (record: { properties: Record<string, unknown> }) => Object.values(record.properties)[0],
      )
    expect(await follow('ship/50/links/twin')).toEqual([51])
    expect(await follow('ship/50/links/twinOf')).toEqual([51])
    const early = encodeURIComponent('2026-01-01T00:00:00.000Z')
    expect(await follow(`log/${early}/links/after`)).toHaveLength(1)
    expect(await follow(`log/${early}/links/before`)).toEqual([])
    expect(await follow('depth/0.1/links/next')).toEqual(['Infinity'])
    expect(await follow('depth/Infinity/links/previous')).toEqual([0.1])
    for (const id of [50, 51, 52]) await service.write('fleet', 'ship', [{ delete: id }])
  })

  it('[7.1] [8.2] [8.3] ends at the cross-page limit of the linked type', async () => {
    await using limited = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: '10' } })
    await limited.apply(FLEET)
    await limited.put('fleet', 'ship', ships)
    await limited.put('fleet', 'port', [{ no: BIG }])
    const path = `${API}/port/${BIG}/links/ships?pageSize=10`
    const first = await limited.send(path)
    expect(idsOf(first)).toEqual(even.slice(0, 10))
    const second = await limited.send(`${path}&pageToken=${first.body.nextPageToken}`)
    expect(second.body).toMatchObject({
      errorName: 'ObjectsExceededLimit',
      parameters: { limit: 10 },
    })
  })

  it('rejects unknown parts of the request by name', async () => {
    const cases: readonly [path: string, status: number, errorName: string, parameters: object][] =
      [
        ['ship/999/links/home', 404, 'ObjectNotFound', { primaryKey: { id: '999' } }],
        ['ship/x/links/home', 404, 'ObjectNotFound', { primaryKey: { id: 'x' } }],
        ['port/9223372036854775808/links/ships', 404, 'ObjectNotFound', { objectType: 'port' }],
        ['ship/4/links/ships', 404, 'LinkTypeNotFound', { objectType: 'ship', linkType: 'ships' }],
        ['ship/999/links/x', 404, 'LinkTypeNotFound', { objectType: 'ship', linkType: 'x' }],
        ['boat/4/links/home', 404, 'ObjectTypeNotFound', { objectType: 'boat' }],
        ['ship/4/links/home?p.name.eq=x', 404, 'PropertiesNotFound', { objectType: 'port' }],
        ['ship/4/links/home?properties=name', 404, 'PropertiesNotFound', { properties: ['name'] }],
        ['ship/4/links/home?orderBy=p.name', 404, 'PropertiesNotFound', { properties: ['name'] }],
        ['port/7/links/ships?orderBy=p.id:up', 400, 'InvalidSortOrder', { invalidSortOrder: 'up' }],
        ['port/7/links/ships?p.id.eq=x', 400, 'InvalidPropertyFilterValue', { property: 'id' }],
        ['port/7/links/ships?pageSize=0', 400, 'InvalidPageSize', { pageSize: 0 }],
        [
          'port/7/links/ships?snapshot=1',
          400,
          'Default:InvalidArgument',
          { parameter: 'snapshot' },
        ],
        ['port/7/links/ships?select=id', 400, 'Default:InvalidArgument', { parameter: 'select' }],
      ]
    for (const [path, status, errorName, parameters] of cases) {
      const answer = await service.send(`${API}/${path}`)
      expect([path, answer.status, answer.body.errorName]).toEqual([path, status, errorName])
      expect(answer.body.parameters).toMatchObject(parameters)
    }
    expect((await service.send(`${API}/ship/4/links/home`, { token: null })).status).toBe(401)
  })
})

describe('get linked object, revision 1.0', () => {
  it('returns a linked object, in both directions', async () => {
    const one = await service.send(`${API}/ship/4/links/home/${BIG}`)
    const many = await service.send(`${API}/port/${BIG}/links/ships/4`)
    expect([one.status, many.status]).toEqual([200, 200])
    expect(one.body).toEqual((await service.send(`${API}/port/${BIG}`)).body)
    expect(many.body).toEqual((await service.send(`${API}/ship/4`)).body)
    const selected = await service.send(`${API}/port/${BIG}/links/ships/4?properties=name`)
    expect(selected.body.properties).toEqual({ id: 4, name: 'ship 20' })
  })

  it('does not find objects that are not linked, do not exist or cannot exist', async () => {
    const cases: readonly [path: string, linkedObjectType: string, key: object][] = [
      [`port/${BIG}/links/ships/5`, 'ship', { id: '5' }],
      [`port/${BIG}/links/ships/999`, 'ship', { id: '999' }],
      [`port/${BIG}/links/ships/x`, 'ship', { id: 'x' }],
      ['ship/24/links/home/7', 'port', { no: '7' }],
      ['ship/4/links/home/7', 'port', { no: '7' }],
    ]
    for (const [path, linkedObjectType, linkedObjectPrimaryKey] of cases) {
      const { status, body } = await service.send(`${API}/${path}`)
      expect([path, status, body.errorName]).toEqual([path, 404, 'LinkedObjectNotFound'])
      expect(body.parameters).toEqual({
        linkType: path.split('/')[3],
        linkedObjectType,
        linkedObjectPrimaryKey,
      })
    }
  })

  it('rejects other unknown parts of the request by name', async () => {
    const cases: readonly [path: string, status: number, errorName: string][] = [
      ['ship/999/links/home/7', 404, 'ObjectNotFound'],
      ['ship/x/links/home/7', 404, 'ObjectNotFound'],
      ['ship/4/links/ships/7', 404, 'LinkTypeNotFound'],
      ['boat/4/links/home/7', 404, 'ObjectTypeNotFound'],
      ['ship/5/links/home/7?properties=name', 404, 'PropertiesNotFound'],
      ['ship/5/links/home/7?pageSize=1', 400, 'Default:InvalidArgument'],
    ]
    for (const [path, status, errorName] of cases) {
      const answer = await service.send(`${API}/${path}`)
      expect([path, answer.status, answer.body.errorName]).toEqual([path, status, errorName])
    }
  })
})
