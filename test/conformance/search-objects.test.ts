import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { requestPage, valuesOf, type Walk, walkPages } from '../support/walk.ts'

const walk: Walk = { revision: '2.0', ontology: 'numbers', objectType: 'number' }
const SEARCH = '/api/family/v1/objects/types/number/search'
const empty = { type: 'empty' }

describe('search objects by type, revision 2.0', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
    await service.put('numbers', 'number', numbers(12_345))
    await service.put('aviation', 'airport', [
      {
        id: 'ZRH',
        name: 'Zurich Airport',
        names: [
          { text: 'Zurich Airport', language: 'en' },
          { text: 'Flughafen Zürich', language: 'de' },
        ],
      },
      { id: 'XXX' },
    ])
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('[1.3] [4.3.1] [4.3.2] [9.6] returns every object of a type for the empty query', async () => {
    const answer = await service.send(SEARCH, { json: { query: empty } })
    expect(answer.status).toBe(200)
    expect(answer.body.data).toHaveLength(100)
    expect(answer.body.data[0]).toEqual({
      primaryKey: '0',
      objectType: 'number',
      properties: { n: 0 },
    })
  })

  it('[4.3.4] [4.3.5] [9.5] returns more than 10,000 objects, each once and in key order', async () => {
    const pages = await walkPages(service, walk)
    expect(valuesOf(pages, 'n')).toEqual(numbers(12_345).map(({ n }) => n))
  })

  it('[2.1.2] [9.4] omits nextPageToken on the last page', async () => {
    const pages = await walkPages(service, { ...walk, objectType: 'airport', family: 'gotham' })
    expect(pages).toHaveLength(1)
    expect(Object.keys(pages[0] ?? {})).toEqual(['data'])
  })

  it('[4.3.3] [9.1] accepts the token in the body', async () => {
    const first = await requestPage(service, { ...walk, pageSize: 5 })
    const second = await requestPage(service, { ...walk, pageSize: 5 }, first.body.nextPageToken)
    expect(valuesOf([second.body], 'n')).toEqual([5, 6, 7, 8, 9])
    const inQuery = await service.send(`${SEARCH}?pageToken=${first.body.nextPageToken}`, {
      json: { query: empty },
    })
    expect(inQuery.status).toBe(400)
    expect(inQuery.body.parameters.parameter).toBe('pageToken')
  })

  it('[4.4.3] [9.2] accepts pageSize in the body, reduced to 100', async () => {
    const small = await service.send(SEARCH, { json: { query: empty, pageSize: 3 } })
    const large = await service.send(SEARCH, { json: { query: empty, pageSize: 5000 } })
    expect(small.body.data).toHaveLength(3)
    expect(large.body.data).toHaveLength(100)
  })

  it('treats null as absent, also for tokens', async () => {
    const first = await service.send(SEARCH, {
      json: { query: empty, pageSize: null, pageToken: null },
    })
    const second = await service.send(SEARCH, {
      json: { query: empty, pageToken: first.body.nextPageToken },
    })
    expect([first.status, second.status]).toEqual([200, 200])
  })

  it('[2.2.3] [2.2.4] returns arrays of structs, the title if there is one, and the key as text', async () => {
    const [page] = await walkPages(service, { ...walk, objectType: 'airport', family: 'gotham' })
    expect(page?.data).toEqual([
      { primaryKey: 'XXX', objectType: 'airport', properties: { id: 'XXX' } },
      {
        primaryKey: 'ZRH',
        objectType: 'airport',
        title: 'Zurich Airport',
        properties: {
          id: 'ZRH',
          name: 'Zurich Airport',
          names: [
            { text: 'Zurich Airport', language: 'en' },
            { text: 'Flughafen Zürich', language: 'de' },
          ],
        },
      },
    ])
  })

  it('accepts preview=true', async () => {
    const answer = await service.send(`${SEARCH}?preview=true`, { json: { query: empty } })
    expect(answer.status).toBe(200)
  })

  it('[4.4.2] [4.5.3] [9.3] accepts snapshot in the body, and not in the query string', async () => {
    const inQuery = await service.send(`${SEARCH}?snapshot=true`, { json: { query: empty } })
    const inBody = await service.send(SEARCH, { json: { query: empty, snapshot: true } })
    expect([inQuery.status, inBody.status]).toEqual([400, 200])
    await service.put('numbers', 'number', [{ n: 150, text: 'written after the first page' }])
    const second = await service.send(SEARCH, {
      json: { query: empty, snapshot: true, pageToken: inBody.body.nextPageToken },
    })
    expect(second.body.data[50].properties).toEqual({ n: 150 })
  })

  it('[4.3.5] rejects a token with another query', async () => {
    const first = await requestPage(service, walk)
    const other = await service.send(SEARCH, {
      json: { query: { type: 'gte', field: 'n', value: 0 }, pageToken: first.body.nextPageToken },
    })
    expect(other.status).toBe(400)
    expect(other.body.parameters.reason).toBe('other request')
  })

  it('[9.7] selects the revision by the path', async () => {
    const two = await service.send(SEARCH, { json: { query: empty } })
    const one = await service.send('/api/v1/ontologies/numbers/objects/number')
    expect('primaryKey' in two.body.data[0]).toBe(true)
    expect('rid' in one.body.data[0]).toBe(true)
  })
})
