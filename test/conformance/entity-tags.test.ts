import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { AVIATION, NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'

/** Conditional requests: a client whose copy is current gets 304. */

const LIST = '/api/v1/ontologies/numbers/objects/number?pageSize=2'

describe('an entity tag', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.apply({ ...AVIATION, families: [] })
    await service.put('numbers', 'number', numbers(5))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  async function ask(path: string, tag?: string) {
    const headers = tag === undefined ? {} : { 'if-none-match': tag }
    const answer = await service.send(path, { headers })
    return { ...answer, tag: answer.headers.get('etag') ?? '' }
  }

  const paths = [
    LIST,
    `${LIST}&snapshot=true`,
    `${LIST}&p.n.gte=1`,
    '/api/v1/ontologies/numbers/objects/number/3',
    '/api/v1/ontologies',
    '/api/v1/ontologies/numbers',
    '/api/v1/ontologies/numbers/objectTypes',
    '/api/v1/ontologies/numbers/objectTypes/number',
    '/api/admin/v1/ontologies/numbers',
  ]
  it.for(paths)('lets a client reuse its copy of %s', async (path) => {
    const first = await ask(path)
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    expect(first.tag).toMatch(/^(?:"[\w-]{22}"|W\/"[\w.-]{24,100}")$/)
    for (const held of [first.tag, `"other", ${first.tag}`, '*', first.tag.replace('W/', '')]) {
      const again = await ask(path, held)
      expect([again.status, again.text, again.tag]).toEqual([304, '', first.tag])
    }
    expect(await ask(path, '"other"')).toMatchObject({ status: 200, tag: first.tag })
    expect(await ask(path, 'nonsense')).toMatchObject({ status: 200, tag: first.tag })
  })

  it('differs between pages, page sizes and callers', async () => {
    const { tag, body } = await ask(LIST)
    const { nextPageToken } = body
    const others = [`${LIST}&pageToken=${nextPageToken}`, LIST.replace('=2', '=3')]
    for (const path of others) expect((await ask(path, tag)).status).toBe(200)
    const token = await service.createToken()
    const other = await service.send(LIST, { token, headers: { 'if-none-match': tag } })
    expect(other.status).toBe(200)
  })

  it('changes immediately with the data', async () => {
    const list = await ask(LIST)
    const one = '/api/v1/ontologies/numbers/objects/number/4'
    const object = await ask(one)
    await service.put('numbers', 'number', [{ n: 4, text: 'changed' }])
    expect((await ask(LIST, list.tag)).status).toBe(200)
    const changed = await ask(one, object.tag)
    expect([changed.status, changed.body.properties.text]).toEqual([200, 'changed'])
  })

  it('changes with names in the definition, although nothing was written', async () => {
    const definition = (titleProperty: string, item: string): OntologyDefinition => ({
      apiName: 'titles',
      families: ['titles'],
      objectTypes: [
        { apiName: 'group', primaryKey: 'g', properties: { g: { type: 'string' } } },
        {
          apiName: item,
          rid: 'ri.ontology.main.object-type.00000000-0000-4000-8000-000000000001',
          primaryKey: 'k',
          titleProperty,
          properties: { k: { type: 'string' }, t: { type: 'string' }, of: { type: 'string' } },
        },
      ],
      linkTypes: [
        { apiName: 'group', reverseApiName: 'items', from: item, to: 'group', foreignKey: 'of' },
      ],
    })
    expect((await service.apply(definition('k', 'item'))).status).toBe(200)
    await service.put('titles', 'group', [{ g: 'one' }])
    await service.put('titles', 'item', [{ k: 'key', t: 'text', of: 'one' }])
    const path = '/api/titles/v1/objects/one/links/items'
    const seen: string[] = []
    for (const [title, item] of [
      ['k', 'item'] as const,
      ['t', 'item'] as const,
      ['t', 'thing'] as const,
    ]) {
      expect((await service.apply(definition(title, item))).status).toBe(200)
      const { status, tag, body } = await ask(path, seen.join(', '))
      expect([status, body.data[0].objectType]).toEqual([200, item])
      seen.push(tag)
    }
  })

  it('changes with the sealing key', async () => {
    const place = await createTestStore()
    const keys = ['A', 'B'].map((letter) => Buffer.alloc(32, letter).toString('base64'))
    const tags: (string | null)[] = []
    for (const OQS_PAGE_TOKEN_KEYS of keys) {
      await using other = await startService({
        store: place.name,
        settings: { OQS_PAGE_TOKEN_KEYS },
      })
      await other.apply(NUMBERS)
      await other.put('numbers', 'number', numbers(5))
      other.clock.now = Date.UTC(2030, 0, 1)
      tags.push((await other.send(LIST)).headers.get('etag'))
    }
    await place[Symbol.asyncDispose]()
    expect(new Set(tags).size).toBe(2)
  })

  it('of a page changes before the token on that page expires', async () => {
    const { tag, body } = await ask(LIST)
    const { nextPageToken } = body
    for (let seconds = 0; (await ask(LIST, tag)).status === 304; seconds += 10) {
      expect((await ask(`${LIST}&pageToken=${nextPageToken}`)).status).toBe(200)
      expect(seconds).toBeLessThan(300)
      service.clock.now += 10_000
    }
  })

  it('is neither sent nor evaluated for POST', async () => {
    const path = '/api/family/v1/objects/types/number/search'
    const { status, headers } = await service.send(path, {
      headers: { 'if-none-match': '*' },
      json: { query: { type: 'empty' } },
    })
    expect([status, headers.get('etag')]).toEqual([200, null])
  })

  it('reveals nothing to a caller without access', async () => {
    const { tag } = await ask(LIST)
    const other = await service.send(LIST, { token: 'wrong', headers: { 'if-none-match': tag } })
    expect(other.status).toBe(401)
  })
})
