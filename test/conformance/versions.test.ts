import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { retentionOf } from '../../src/server/maintenance.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const V1 = '/api/v1/ontologies/numbers/objects/number'
const V2 = '/api/v2/ontologies/numbers/objects/number'
const COUNT = [{ type: 'count' }]
const SET = { type: 'base', objectType: 'number' }

describe('the header oqs-version', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
    await service.put('numbers', 'number', numbers(1, 3))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const everything = { type: 'not', value: { type: 'isNull', field: 'n', value: true } }

  it.each([
    ['a listing', V1, undefined],
    ['a search', `${V1}/search`, { query: { type: 'gte', field: 'properties.n', value: 0 } }],
    [
      'a search by type',
      '/api/family/v1/objects/types/number/search',
      { query: { type: 'gte', field: 'n', value: 0 } },
    ],
    ['a listing of v2', V2, undefined],
    ['an object', `${V1}/1`, undefined],
    ['an object of revision 2.0', '/api/family/v1/objects/1?objectType=number', undefined],
    ['an object of v2', `${V2}/1`, undefined],
    ['a search of v2', `${V2}/search`, { where: everything }],
    [
      'an object set',
      '/api/v2/ontologies/numbers/objectSets/loadObjects',
      { objectSet: SET, select: [] },
    ],
    ['an aggregation', `${V1}/aggregate`, { aggregation: COUNT }],
    ['an aggregation of v2', `${V2}/aggregate`, { aggregation: COUNT }],
    [
      'an aggregation of an object set',
      '/api/v2/ontologies/numbers/objectSets/aggregate',
      { objectSet: SET, aggregation: COUNT },
    ],
  ])('%s names the version that was read', async (_, path, json) => {
    const answer = await service.send(path, json === undefined ? {} : { json })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('oqs-version')).toBe('2')
    expect(answer.headers.get('server-timing')).toMatch(
      /^total;dur=\d+\.\d\d, store;dur=\d+\.\d\d(?:, plan;desc=[a-zA-Z]+)*$/,
    )
  })

  it('comes with the plan by which the page was found', async () => {
    const { headers } = await service.send(`${V1}?pageSize=1`)
    expect(headers.get('server-timing')).toMatch(/, plan;desc=(?:keyWalk|pageCache)$/)
  })

  it('stays the same through a snapshot walk, and comes with 304', async () => {
    const first = await service.send(`${V1}?pageSize=1&snapshot=true`)
    const version = first.headers.get('oqs-version')
    const etag = first.headers.get('etag') ?? ''
    const kept = await service.send(`${V1}?pageSize=1&snapshot=true`, {
      headers: { 'if-none-match': etag },
    })
    expect([kept.status, kept.headers.get('oqs-version')]).toEqual([304, version])
    await service.put('numbers', 'number', [{ n: 100 }])
    const token = encodeURIComponent(first.body.nextPageToken)
    const next = await service.send(`${V1}?pageSize=1&snapshot=true&pageToken=${token}`)
    expect(next.headers.get('oqs-version')).toBe(version)
    expect(Number((await service.send(V1)).headers.get('oqs-version'))).toBe(Number(version) + 1)
  })

  it('is absent where no objects are read', async () => {
    const { headers } = await service.send('/api/v1/ontologies/numbers/objectTypes')
    expect(headers.get('oqs-version')).toBeNull()
    expect(headers.get('server-timing')).toMatch(/^total;/)
  })
})

describe('an aggregation as of a version', () => {
  const endpoints = [
    ['revision 1.0', `${V1}/aggregate`, {}],
    ['v2', `${V2}/aggregate`, {}],
    ['an object set', '/api/v2/ontologies/numbers/objectSets/aggregate', { objectSet: SET }],
  ] as const

  let service: Service
  beforeAll(async () => {
    service = await startService()
    const [number] = NUMBERS.objectTypes
    if (number === undefined) throw new Error('no type')
    await service.apply({ ...NUMBERS, objectTypes: [number, { ...number, apiName: 'other' }] })
    await service.put('numbers', 'number', numbers(3))
    await service.put('numbers', 'number', numbers(4, 1))
    await service.write('numbers', 'number', [{ delete: 0 }, { put: { n: 50 } }])
  })
  afterAll(() => service[Symbol.asyncDispose]())

  type Endpoint = readonly [name: string, path: string, members: object]

  const sumAt = async ([, path, members]: Endpoint, version: number | null | undefined) => {
    const field = path === `${V1}/aggregate` ? 'properties.n' : 'n'
    const aggregation = [...COUNT, { type: 'sum', field }]
    const answer = await service.send(path, { json: { ...members, aggregation, version } })
    const [group] = answer.body.data
    const values = group.metrics.map(({ value }: { value?: number }) => value)
    return [answer.headers.get('oqs-version'), ...values]
  }
  const countAt = ([, path, members]: Endpoint, version: unknown) =>
    service.send(path, { json: { ...members, aggregation: COUNT, version } })
  const notFound = (version: number) => ({
    errorName: 'VersionNotFound',
    parameters: { version },
  })

  it.each(endpoints)('%s reads the objects of that version', async (...endpoint) => {
    expect(await sumAt(endpoint, 0)).toEqual(['0', 0, undefined])
    expect(await sumAt(endpoint, 1)).toEqual(['1', 3, 3])
    expect(await sumAt(endpoint, 2)).toEqual(['2', 5, 10])
    expect(await sumAt(endpoint, 3)).toEqual(['3', 5, 60])
    for (const latest of [undefined, null]) {
      expect(await sumAt(endpoint, latest)).toEqual(['3', 5, 60])
    }
  })

  it.each(endpoints)('%s refuses what is no version', async (...endpoint) => {
    expect((await countAt(endpoint, 4)).body).toMatchObject(notFound(4))
    for (const version of [-1, 1.5, '3', 2 ** 60]) {
      expect((await countAt(endpoint, version)).status).toBe(422)
    }
  })

  it('is refused for a set of several types', async () => {
    const objectSet = { type: 'union', objectSets: [SET, { type: 'base', objectType: 'other' }] }
    const answer = await service.send('/api/v2/ontologies/numbers/objectSets/aggregate', {
      json: { objectSet, aggregation: COUNT, version: 0 },
    })
    expect([answer.status, answer.body.parameters.parameter]).toEqual([422, 'version'])
  })

  it('reads the versions before a replacement, until they are reclaimed', async () => {
    const replacements = '/api/admin/v1/ontologies/numbers/objects/number/replacements'
    const { replacement } = (await service.send(replacements, { method: 'POST' })).body
    const publish = `${replacements}/${replacement}/publish`
    expect((await service.send(publish, { method: 'POST' })).status).toBe(200)
    for (const endpoint of endpoints) {
      const [, ...latest] = await sumAt(endpoint, undefined)
      expect(latest).toEqual([0, undefined])
      expect(await sumAt(endpoint, 2)).toEqual(['2', 5, 10])
    }

    const retention = retentionOf(
      { snapshotMaxAgeSeconds: 60, pageTokenTtlSeconds: 60 },
      () => service.clock.now,
    )
    await service.store.reclaim(retention)
    service.clock.now += 3_600_000
    await service.store.reclaim(retention)
    for (const endpoint of endpoints) {
      expect((await countAt(endpoint, 2)).body).toMatchObject(notFound(2))
      expect((await countAt(endpoint, undefined)).status).toBe(200)
    }
  })
})
