import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { requestPage, valuesOf, type Walk, walkPages } from '../support/walk.ts'

const walk: Walk = { revision: '1.0', ontology: 'numbers', objectType: 'number' }

describe('list objects, revision 1.0', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(2500))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('[1.1] [1.3] [4.2.1] lists the objects of one type by API name or RID', async () => {
    const byName = await service.send('/api/v1/ontologies/numbers/objects/number?pageSize=2')
    const { body: definition } = await service.send('/api/admin/v1/ontologies/numbers')
    const rid = encodeURIComponent(definition.rid)
    const byRid = await service.send(`/api/v1/ontologies/${rid}/objects/number?pageSize=2`)
    expect(byName.status).toBe(200)
    expect(byRid.body.data).toEqual(byName.body.data)
    expect(byName.body.data.map((record: { properties: object }) => record.properties)).toEqual([
      { n: 0 },
      { n: 1 },
    ])
  })

  it('[1.2] [4.2.4] [4.2.5] returns every object once, in key order, over all pages', async () => {
    const pages = await walkPages(service, { ...walk, pageSize: 300 })
    expect(valuesOf(pages, 'n')).toEqual(numbers(2500).map(({ n }) => n))
    expect(pages.map((page) => page.data.length)).toEqual([
      300, 300, 300, 300, 300, 300, 300, 300, 100,
    ])
  })

  it('[2.1.1] [2.1.2] [9.4] returns a token if more exists, and omits it on the last page', async () => {
    const [first, second, ...others] = await walkPages(service, { ...walk, pageSize: 1250 / 2 })
    expect(first?.nextPageToken).toMatch(/./)
    expect(second?.nextPageToken).toMatch(/./)
    const last = others.at(-1)
    expect(last !== undefined && 'nextPageToken' in last).toBe(false)
  })

  it('[2.1.3] returns exactly k pages for k times the page size', async () => {
    const pages = await walkPages(service, { ...walk, pageSize: 500 })
    expect(pages.map((page) => page.data.length)).toEqual([500, 500, 500, 500, 500])
  })

  it('[2.1.4] [4.1.2] [8.1] [8.4] reduces a page size above the maximum, which is the default', async () => {
    const large = await requestPage(service, { ...walk, pageSize: 20_000 })
    const byDefault = await requestPage(service, walk)
    const largest = await requestPage(service, { ...walk, pageSize: 2_147_483_647 })
    expect(large.body.data).toHaveLength(1000)
    expect(byDefault.body.data).toHaveLength(1000)
    expect(largest.body.data).toHaveLength(1000)
  })

  it('[4.1.1] [9.1] accepts the token in the query string, also with another page size', async () => {
    const first = await requestPage(service, { ...walk, pageSize: 10 })
    const second = await requestPage(service, { ...walk, pageSize: 3 }, first.body.nextPageToken)
    expect(valuesOf([second.body], 'n')).toEqual([10, 11, 12])
  })

  it('[4.2.2] [9.2] [9.3] accepts pageSize, pageToken and snapshot, and no other parameter', async () => {
    const known = await service.send(
      '/api/v1/ontologies/numbers/objects/number?pageSize=1&snapshot=true',
    )
    const unknown = await service.send('/api/v1/ontologies/numbers/objects/number?pagesize=1')
    expect(known.status).toBe(200)
    expect(unknown.status).toBe(400)
    expect(unknown.body.parameters.parameter).toBe('pagesize')
  })

  it('[4.2.3] requires no body, but accepts the JSON content type that clients send', async () => {
    const answer = await service.send('/api/v1/ontologies/numbers/objects/number?pageSize=1', {
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(200)
  })

  it('[2.1.0] [2.2.4] returns totalCount as a string and a rid with each record', async () => {
    const { body } = await requestPage(service, { ...walk, pageSize: 7 })
    expect(body.totalCount).toBe('2500')
    const again = await requestPage(service, { ...walk, pageSize: 7 })
    expect(again.body.data.map((record: { rid: string }) => record.rid)).toEqual(
      body.data.map((record: { rid: string }) => record.rid),
    )
  })

  it('[2.1.5] accepts a token repeatedly until it expires', async () => {
    const first = await requestPage(service, { ...walk, pageSize: 10 })
    const token = first.body.nextPageToken
    const idempotencyKey = await requestPage(service, { ...walk, pageSize: 10 }, token)
    const twice = await requestPage(service, { ...walk, pageSize: 10 }, token)
    expect(twice.body.data).toEqual(idempotencyKey.body.data)
  })

  it('returns one empty page for an empty type', async () => {
    await service.apply(AVIATION)
    const pages = await walkPages(service, {
      revision: '1.0',
      ontology: 'aviation',
      objectType: 'airport',
    })
    expect(pages).toEqual([{ data: [], totalCount: '0' }])
  })

  it('[2.2.1] [2.2.2] returns the property values as stored, without nulls', async () => {
    await service.apply(AVIATION)
    await service.put('aviation', 'airport', [
      { id: 'LAX', name: 'Los Angeles', elevation: 125, passengers: '88068013', opened: null },
    ])
    const { body } = await requestPage(service, {
      revision: '1.0',
      ontology: 'aviation',
      objectType: 'airport',
    })
    expect(body.data[0].properties).toEqual({
      id: 'LAX',
      name: 'Los Angeles',
      elevation: 125,
      passengers: '88068013',
    })
  })
})
