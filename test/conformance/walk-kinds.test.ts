import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AVIATION } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

/** Page tokens of one kind of walk are refused by all others. */

const V2 = '/api/v2/ontologies/aviation'
const AIRPORTS = { type: 'base', objectType: 'airport' }

interface Kind {
  readonly name: string
  readonly send: (pageToken?: string) => ReturnType<Service['send']>
}

describe('a page token is bound to its kind of walk', () => {
  let service: Service
  let kinds: readonly Kind[]
  beforeAll(async () => {
    service = await startService({ settings: { OQS_PAGE_MAX_BYTES: '1024', OQS_AUDIT: 'all' } })
    await service.apply(AVIATION)
    const airports = Array.from({ length: 30 }, (_, n) => ({ id: `A${n}`, countryCode: 'CH' }))
    await service.put('aviation', 'country', [{ code: 'CH' }])
    const { body: commit } = await service.put('aviation', 'airport', airports.slice(0, 1))
    await service.put('aviation', 'airport', airports)
    const get = (path: string) => (pageToken?: string) => {
      const url = new URL(path, 'http://service')
      if (pageToken !== undefined) url.searchParams.set('pageToken', pageToken)
      return service.send(url.pathname + url.search)
    }
    const post = (path: string, body: object) => (pageToken?: string) =>
      service.send(`${V2}/${path}`, { json: { ...body, ...(pageToken && { pageToken }) } })
    kinds = [
      { name: 'objects', send: get(`${V2}/objects/airport?pageSize=1`) },
      { name: 'a snapshot', send: get(`${V2}/objects/airport?pageSize=1&snapshot=true`) },
      { name: 'a search', send: post('objects/airport/search', { pageSize: 1 }) },
      {
        name: 'relevance',
        send: post('objects/airport/search', { pageSize: 1, orderBy: { orderType: 'relevance' } }),
      },
      {
        name: 'a set',
        send: post('objectSets/loadObjects', { objectSet: AIRPORTS, pageSize: 1 }),
      },
      {
        name: 'a set of several types',
        send: post('objectSets/loadObjectsMultipleObjectTypes', {
          objectSet: AIRPORTS,
          pageSize: 1,
        }),
      },
      {
        name: 'links',
        send: post('objectSets/loadLinks', {
          objectSet: { type: 'base', objectType: 'country' },
          links: ['airports'],
        }),
      },
      { name: 'changes', send: get(`${V2}/changes/airport?pageSize=1&since=${commit.version}`) },
      { name: 'metadata', send: get('/api/v1/ontologies/aviation/objectTypes?pageSize=1') },
      { name: 'metadata of v2', send: get(`${V2}/objectTypes?pageSize=1`) },
      { name: 'the audit log', send: get('/api/admin/v1/audit?pageSize=1') },
    ]
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('and accepted by no other', async () => {
    const tokens = new Map<string, string>()
    for (const { name, send } of kinds) {
      const { status, body } = await send()
      expect([name, status, typeof body.nextPageToken]).toEqual([name, 200, 'string'])
      tokens.set(name, body.nextPageToken)
    }
    for (const [from, token] of tokens) {
      for (const { name, send } of kinds) {
        const { status, body } = await send(token)
        const { errorName, parameters } = body
        const answer = from === name ? 200 : [400, 'InvalidPageToken', 'other request']
        const actual = status === 200 ? 200 : [status, errorName, parameters?.reason]
        expect([from, name, actual]).toEqual([from, name, answer])
      }
    }
  })
})
