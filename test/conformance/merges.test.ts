/** Merges: batches whose lines change only the properties that they have. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Service, startService } from '../support/service.ts'

const property = (type: string) => ({ type })
const TOWNS = {
  apiName: 'towns',
  objectTypes: [
    {
      apiName: 'town',
      primaryKey: 'id',
      properties: {
        id: property('string'),
        name: property('string'),
        people: property('integer'),
        area: property('geoshape'),
        address: {
          type: 'struct',
          fields: { city: property('string'), zip: property('string') },
        },
      },
    },
  ],
}

describe('a batch of merges', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(TOWNS as never)
  })
  afterAll(() => service[Symbol.asyncDispose]())
  beforeEach(async () => {
    await service.send(`${PATH}/deleteByQuery`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: { type: 'empty' } }),
    })
    await service.put('towns', 'town', [
      { id: 'a', name: 'Aarau', people: 5, address: { city: 'Aarau', zip: '5000' } },
      { id: 'b', name: 'Bern', people: 7 },
    ])
  })

  const PATH = '/api/admin/v1/ontologies/towns/objects/town'
  const merge = (lines: readonly object[], parameters = '', headers = {}) =>
    service.send(`${PATH}?mode=merge${parameters}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...headers },
      body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    })
  const stored = async () => {
    const { text } = await service.send(`${PATH}/export`)
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }

  it('changes the given properties, removes those that are null, and creates objects', async () => {
    const { body } = await merge([
      { put: { id: 'a', people: 6, address: { zip: '5001' } } },
      { put: { id: 'b', name: null, people: 7 } },
      { put: { id: 'c', name: 'Chur' } },
    ])
    expect(body).toMatchObject({ put: 3, deleted: 0, kept: 0 })
    expect(await stored()).toEqual([
      { id: 'a', name: 'Aarau', people: 6, address: { city: 'Aarau', zip: '5001' } },
      { id: 'b', people: 7 },
      { id: 'c', name: 'Chur' },
    ])
  })

  it('writes no version if every object has the values already', async () => {
    const before = await merge([])
    const { body } = await merge([{ put: { id: 'a', people: 5 } }, { put: { id: 'b' } }])
    expect(body).toEqual({ version: before.body.version, put: 0, deleted: 0, kept: 2 })
  })

  it('applies several lines for one object in their order', async () => {
    await merge([
      { put: { id: 'a', people: 1 } },
      { put: { id: 'a', name: 'A' } },
      { delete: 'b' },
      { put: { id: 'b', people: 3 } },
      { put: { id: 'c', people: 3 } },
      { delete: 'c' },
    ])
    expect(await stored()).toEqual([
      { id: 'a', name: 'A', people: 1, address: { city: 'Aarau', zip: '5000' } },
      { id: 'b', people: 3 },
    ])
  })

  it('replaces shapes as a whole, and removes a struct with its last field', async () => {
    const point = { type: 'Point', coordinates: [1, 2] }
    await merge([{ put: { id: 'a', area: { type: 'GeometryCollection', geometries: [point] } } }])
    await merge([{ put: { id: 'a', area: point, address: { city: null, zip: null } } }])
    expect((await stored())[0]).toEqual({ id: 'a', name: 'Aarau', people: 5, area: point })
  })

  it('reports every invalid line, and writes nothing', async () => {
    const before = await stored()
    const { status, body } = await merge([
      { put: { id: 'a', people: 'many' } },
      { put: { id: 'b', people: 9 } },
      { put: { name: 'no key' } },
      { put: { id: 'd', nope: 1 } },
      { put: 5 },
    ])
    expect([status, body.errorName]).toEqual([400, 'InvalidBatchLine'])
    const { refused } = body.parameters
    expect(refused.map(({ line, property }: never) => [line, property])).toEqual([
      [1, 'people'],
      [3, 'id'],
      [4, 'nope'],
      [5, undefined],
    ])
    expect(await stored()).toEqual(before)
  })

  it('is applied once with an idempotency key, and only checked with dryRun', async () => {
    const key = { 'idempotency-key': 'merge-1' }
    const first = await merge([{ put: { id: 'a', people: 1 } }, { put: { id: 'b' } }], '', key)
    await service.put('towns', 'town', [{ id: 'a', people: 2 }])
    const again = await merge([{ put: { id: 'a', people: 1 } }, { put: { id: 'b' } }], '', key)
    expect(again.body).toEqual(first.body)
    expect(again.body.kept).toBe(1)
    await merge([{ put: { id: 'a', people: 3 } }], '&dryRun=true')
    expect((await stored())[0]).toEqual({ id: 'a', people: 2 })
  })

  it('loses no change of others that write the same objects at the same time', async () => {
    const one = Array.from({ length: 5 }, () => merge([{ put: { id: 'a', people: 1 } }]))
    const other = Array.from({ length: 5 }, () => merge([{ put: { id: 'a', name: 'A' } }]))
    const fields = ['city', 'zip'].map((field) =>
      merge([{ put: { id: 'a', address: { [field]: field } } }]),
    )
    const statuses = (await Promise.all([...one, ...other, ...fields])).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    const address = { city: 'city', zip: 'zip' }
    expect((await stored())[0]).toEqual({ id: 'a', name: 'A', people: 1, address })
  })

  it('is refused beyond 1,000 changes, for large objects, and for a replacement', async () => {
    const many = Array.from({ length: 1001 }, (_, n) => ({ put: { id: String(n) } }))
    expect((await merge(many)).status).toBe(413)
    const large = Array.from({ length: 3 }, (_, n) => ({
      id: `large${n}`,
      name: 'x'.repeat(2_900_000),
    }))
    for (const object of large) await service.put('towns', 'town', [object])
    const changes = large.map(({ id }) => ({ put: { id, people: 1 } }))
    const refused = await merge(changes)
    expect([refused.status, refused.body.errorName]).toEqual([413, 'Default:RequestEntityTooLarge'])
    expect((await merge(changes.slice(2))).body).toMatchObject({ put: 1 })
    expect((await merge([{ put: { id: 'a' } }], '&replacement=1')).status).toBe(400)
  })
})
