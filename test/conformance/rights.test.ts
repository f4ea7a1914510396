/** Policies: what they hide, what they forbid, and when their changes take effect. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import {
  asClient,
  createClient,
  exchange,
  redirectOf,
  sendForm,
  signIn,
  TOKEN_PATH,
} from '../support/oauth.ts'
import { type Service, startService } from '../support/service.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'lab',
  families: ['lab-family'],
  objectTypes: [
    {
      apiName: 'sample',
      primaryKey: 'id',
      titleProperty: 'secret',
      properties: {
        id: { type: 'string' },
        owner: { type: 'string' },
        secret: { type: 'string' },
        note: { type: 'string' },
        found: { type: 'geopoint' },
        kept: { type: 'geopoint' },
      },
    },
    {
      apiName: 'room',
      primaryKey: 'id',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
    },
  ],
}
const WITH_HIDDEN_TYPE: OntologyDefinition = {
  ...DEFINITION,
  objectTypes: [
    ...DEFINITION.objectTypes,
    { apiName: 'shelf', primaryKey: 'id', properties: { id: { type: 'string' } } },
  ],
}
const at = (longitude: number) => ({ type: 'Point', coordinates: [longitude, 0] })
const SAMPLES = Array.from({ length: 12 }, (_, n) => ({
  id: `s${String(n).padStart(2, '0')}`,
  owner: n % 2 === 0 ? 'ada' : 'bob',
  secret: `secret ${n}`,
  note: `note ${n}`,
  found: at(n),
  kept: at(n + 50),
}))

const LIST = '/api/v1/ontologies/lab/objects/sample'
const read = (objectType: string, more: object = {}) => ({
  ontology: 'lab',
  objectType,
  access: 'read',
  ...more,
})
const OWN = { where: { type: 'eq', field: 'owner', value: '$caller.name' } }

describe('a caller with policies', () => {
  let service: Service
  let ada: string
  beforeAll(async () => {
    service = await startService()
    await fill()
  })
  beforeEach(async () => {
    await save('own', [read('sample', { ...OWN, hide: ['secret', 'kept'] })])
    ada = await limited(['own'])
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const fill = async () => {
    await service.apply(DEFINITION)
    await service.put('lab', 'sample', SAMPLES)
  }
  /** Restores what a test has changed. */
  const refill = async () => {
    await service.send('/api/admin/v1/ontologies/lab?cascade=true', { method: 'DELETE' })
    await fill()
  }
  const save = async (name: string, rights: readonly object[]) => {
    const path = `/api/admin/v1/policies/${encodeURIComponent(name)}`
    const saved = await service.send(path, { method: 'PUT', json: { rights } })
    expect([saved.status, saved.body.parameters]).toEqual([200, undefined])
  }
  const limited = (policies: readonly string[], name = 'ada') =>
    service.createToken({
      name,
      policies,
      scopes: ['api:ontologies-read', 'api:ontologies-write', 'api:admin', 'api:metrics-read'],
    })
  const page = (token: string, query = '', path = LIST) =>
    service.send(`${path}?${query}`, { token })

  it('sees the objects and properties that its rules allow', async () => {
    const { body } = await page(ada)
    expect(body.data.map(({ properties }: { properties: object }) => properties)).toEqual(
      SAMPLES.filter(({ owner }) => owner === 'ada').map(
        ({ secret: _, kept: __, ...rest }) => rest,
      ),
    )
    const bob = await limited(['own'], 'bob')
    expect((await page(bob)).body.data).toHaveLength(6)
    expect((await page(await limited(['own'], 'eve'))).body.data).toEqual([])
  })

  it.each(['ndjson', 'csv'])(
    'exports %s with the objects and properties that it sees',
    async (format) => {
      const path = `/api/admin/v1/ontologies/lab/objects/sample/export?format=${format}`
      for (const more of ['', '&select=id,note']) {
        const { status, text } = await service.send(path + more, { token: ada })
        expect(status).toBe(200)
        expect(text).toContain('note 4')
        expect(text).not.toMatch(/secret|kept|note 5/)
      }
    },
  )

  it('cannot tell a hidden object, property or type from a missing one', async () => {
    const pairs = [
      [`${LIST}/s01`, `${LIST}/s99`],
      [`${LIST}?properties=secret`, `${LIST}?properties=nosuch`],
      [`${LIST}?orderBy=properties.kept`, `${LIST}?orderBy=properties.none`],
      ['/api/v1/ontologies/lab/objects/room', '/api/v1/ontologies/lab/objects/rook'],
    ]
    for (const [hidden = '', missing = ''] of pairs) {
      const answers = await Promise.all(
        [hidden, missing].map((path) => service.send(path, { token: ada })),
      )
      const [first, second] = answers.map(({ status, text }) => [
        status,
        text
          .replace(/"errorInstanceId":"[^"]+"/, '')
          .replace(/s01|s99|secret|nosuch|kept|none|room|rook/g, 'NAME'),
      ])
      expect(first).toEqual(second)
    }
  })

  it('ranks only the objects that it sees, also after a caller who sees all of them', async () => {
    const search = async (token: string | undefined, pageToken?: string) => {
      const { status, text, body } = await service.send(
        '/api/v2/ontologies/lab/objects/sample/search',
        {
          ...(token === undefined ? {} : { token }),
          json: {
            where: { type: 'containsAllTerms', field: 'note', value: 'note' },
            orderBy: { orderType: 'relevance', fields: [] },
            pageSize: 4,
            snapshot: true,
            ...(pageToken === undefined ? {} : { pageToken }),
          },
        },
      )
      expect(status, text).toBe(200)
      return body
    }
    const walk = async (token?: string) => {
      const keys: string[] = []
      let next: string | undefined
      do {
        const { data, nextPageToken } = await search(token, next)
        keys.push(...data.map((record: Record<string, string>) => record['id']))
        next = nextPageToken
      } while (next !== undefined)
      return keys.sort()
    }
    expect(await walk()).toEqual(SAMPLES.map(({ id }) => id))
    const own = SAMPLES.filter(({ owner }) => owner === 'ada').map(({ id }) => id)
    expect(await walk(ada)).toEqual(own)
    expect(await walk()).toHaveLength(SAMPLES.length)
  })

  it('searches only visible texts and positions when it names no property', async () => {
    const search = async (query: object) => {
      const path = '/api/lab-family/v1/objects/types/sample/search'
      const { body } = await service.send(path, { token: ada, json: { query } })
      return body.data.map(({ primaryKey }: { primaryKey: string }) => primaryKey)
    }
    expect(await search({ type: 'keyword', query: 'secret' })).toEqual([])
    expect(await search({ type: 'keyword', query: 'note 4' })).toEqual(['s04'])
    // One term in a visible text, the other in a hidden one.
    expect(await search({ type: 'keyword', query: 'note secret' })).toEqual([])
    const box = (west: number, east: number) =>
      [
        [west, -1],
        [east, -1],
        [east, 1],
        [west, 1],
        [west, -1],
      ].map(([longitude, latitude]) => ({ longitude, latitude }))
    expect(await search({ type: 'geoPointWithin', polygon: box(1, 5) })).toEqual(['s02', 's04'])
    expect(await search({ type: 'geoPointWithin', polygon: box(51, 55) })).toEqual([])
  })

  it('ends a walk at the next page when its rights change', async () => {
    const first = await page(ada, 'pageSize=2')
    const next = `pageSize=2&pageToken=${first.body.nextPageToken}`
    expect((await page(ada, next)).status).toBe(200)
    await save('own', [read('sample', { ...OWN, hide: ['kept'] })])
    const refused = await page(ada, next)
    expect([refused.status, refused.body.parameters.reason]).toEqual([400, 'other rights'])
    const again = await page(ada, 'pageSize=2')
    await service.send('/api/admin/v1/policies/own', { method: 'DELETE' })
    const gone = await page(ada, `pageSize=2&pageToken=${again.body.nextPageToken}`)
    expect([gone.status, gone.body.errorName]).toEqual([404, 'OntologyNotFound'])
  })

  it('keeps a walk when another object type is defined', async () => {
    const first = await page(ada, 'pageSize=2&snapshot=true')
    await service.apply(WITH_HIDDEN_TYPE)
    const next = await page(ada, `pageSize=2&snapshot=true&pageToken=${first.body.nextPageToken}`)
    expect(next.body.data).toHaveLength(2)
    await refill()
  })

  it('gets entity tags of whole objects that change only with those it sees', async () => {
    await save('whole', [read('sample', OWN)])
    const token = await limited(['whole'])
    const first = await page(token, 'pageSize=3')
    const last = `pageSize=3&pageToken=${first.body.nextPageToken}`
    const isCurrent = async (query: string, etag: string) =>
      (await service.send(`${LIST}?${query}`, { token, headers: { 'if-none-match': etag } }))
        .status === 304
    const etagOf = async (query: string) => (await page(token, query)).headers.get('etag') ?? ''
    const [firstTag, lastTag] = [await etagOf('pageSize=3'), await etagOf(last)]
    expect((await page(token, last)).body.nextPageToken).toBeUndefined()

    const [, hidden, visible] = SAMPLES
    await service.put('lab', 'sample', [{ ...hidden, note: 'changed' }])
    expect([await isCurrent('pageSize=3', firstTag), await isCurrent(last, lastTag)]).toEqual([
      true,
      true,
    ])
    await service.put('lab', 'sample', [{ ...visible, note: 'changed' }])
    expect([await isCurrent('pageSize=3', firstTag), await isCurrent(last, lastTag)]).toEqual([
      false,
      true,
    ])
    // The last page stays the same, but is no longer the last one.
    await service.put('lab', 'sample', [{ ...visible, id: 's99' }])
    expect(await isCurrent(last, lastTag)).toBe(false)
    expect((await page(token, last)).body.nextPageToken).toBeDefined()
    await refill()
  })

  it('gets entity tags that change with what it sees, and no version', async () => {
    const before = await page(ada)
    expect(before.headers.get('oqs-version')).toBeNull()
    const etag = before.headers.get('etag') ?? ''
    const change = (id: string, patch: object) =>
      service.send(`/api/admin/v1/ontologies/lab/objects/sample/${id}`, {
        method: 'PATCH',
        json: patch,
        headers: { 'content-type': 'application/merge-patch+json' },
      })
    const isCurrent = async () =>
      (await service.send(`${LIST}?`, { token: ada, headers: { 'if-none-match': etag } }))
        .status === 304
    await change('s01', { note: 'of somebody else' })
    await change('s02', { secret: 'changed' })
    expect(await isCurrent()).toBe(true)
    await service.apply(WITH_HIDDEN_TYPE)
    expect(await isCurrent()).toBe(true)
    await change('s02', { note: 'changed' })
    expect(await isCurrent()).toBe(false)
    const aggregated = await service.send(`${LIST}/aggregate`, {
      token: ada,
      json: { aggregation: [{ type: 'count', name: 'n' }] },
    })
    expect(aggregated.headers.get('oqs-version')).toBeNull()
    const old = { aggregation: [{ type: 'count', name: 'n' }], version: 1 }
    const asOf = await service.send(`${LIST}/aggregate`, { token: ada, json: old })
    expect([asOf.status, asOf.body.errorName]).toEqual([404, 'VersionNotFound'])
    const single = await service.send(`${LIST}/s02`, { token: ada })
    expect([single.status, single.headers.get('oqs-version')]).toEqual([200, null])
    const changes = await service.send('/api/v1/ontologies/lab/changes/sample?since=1', {
      token: ada,
    })
    expect([changes.status, changes.body.errorName]).toEqual([404, 'VersionNotFound'])
    await refill()
  })

  it('does not learn when a hidden property changes', async () => {
    const changes = '/api/v1/ontologies/lab/changes/sample'
    const { body } = await service.send(`${changes}?since=now`, { token: ada })
    const since = body.nextChangesToken
    const read = async () =>
      (await service.send(`${changes}?since=${since}`, { token: ada })).body.data
    const sample = SAMPLES.find(({ id }) => id === 's02')
    await service.write('lab', 'sample', [{ put: { ...sample, secret: 'changed' } }])
    expect(await read()).toEqual([])
    await service.write('lab', 'sample', [{ put: { ...sample, note: 'changed' } }])
    expect(await read()).toMatchObject([{ put: { properties: { id: 's02', note: 'changed' } } }])
    await refill()
  })

  it('writes only types that it may write, and changes only definitions that it administers', async () => {
    await save('write', [
      { ontology: 'lab', objectType: 'room', access: 'write' },
      read('sample', OWN),
    ])
    await save('admin', [{ ontology: 'lab', objectType: '*', access: 'administer' }])
    const writer = await limited(['write'])
    const admin = await limited(['admin'])
    const base = '/api/admin/v1/ontologies/lab'
    const put = (token: string, type: string, properties: object) =>
      service.send(`${base}/objects/${type}/x1`, { method: 'PUT', token, json: properties })
    expect((await put(writer, 'room', { id: 'x1', name: 'one' })).status).toBe(201)
    // Whether the object exists makes no difference.
    for (const path of ['s01', 's99']) {
      const request = { method: 'DELETE', token: writer }
      const answer = await service.send(`${base}/objects/sample/${path}`, request)
      expect([answer.status, answer.body.errorName]).toEqual([403, 'ApiUsageDenied'])
    }
    const batch = {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"delete": "s00"}',
    }
    expect((await service.send(`${base}/objects/sample`, { ...batch, token: writer })).status).toBe(
      403,
    )
    expect((await service.send(`${base}/objects/sample`, { ...batch, token: admin })).status).toBe(
      200,
    )
    const actions = await service.send('/api/v1/ontologies/lab/actionTypes', { token: writer })
    expect(actions.body.data.map(({ apiName }: { apiName: string }) => apiName)).toEqual([
      'create-room',
      'delete-room',
      'modify-room',
    ])
    const definition = { method: 'PUT', json: { ...DEFINITION, description: 'changed' } }
    expect((await service.send(base, { ...definition, token: writer })).status).toBe(403)
    const deletion = { method: 'DELETE', token: writer }
    expect((await service.send(`${base}/objectTypes/room`, deletion)).status).toBe(403)
    const changed = await service.send(base, { ...definition, token: admin })
    expect([changed.status, changed.body.description]).toEqual([200, 'changed'])
    for (const path of ['tokens', 'policies', 'status']) {
      const answer = await service.send(`/api/admin/v1/${path}`, { token: admin })
      expect([path, answer.status]).toEqual([path, 403])
    }
    expect((await service.send('/metrics', { token: admin })).status).toBe(403)
    await refill()
  })

  it('finds no temporary object set of a caller with other rights', async () => {
    const create = { json: { objectSet: { type: 'base', objectType: 'room' } } }
    const path = '/api/v2/ontologies/lab/objectSets'
    const { body } = await service.send(`${path}/createTemporary`, create)
    const load = (token?: string) =>
      service.send(`${path}/loadObjects`, {
        ...(token && { token }),
        json: { objectSet: { type: 'reference', reference: body.objectSetRid }, select: [] },
      })
    expect((await load()).status).toBe(200)
    expect((await load(ada)).body.errorName).toBe('ObjectSetNotFound')
    expect((await service.send(`${path}/${body.objectSetRid}`, { token: ada })).status).toBe(404)
  })

  it('loses its rights when the definition no longer fits them, and never gains any', async () => {
    await save('wide', [read('*'), read('sample', { hide: ['secret'] })])
    const token = await limited(['wide'])
    expect((await page(token)).body.data[0].properties).not.toHaveProperty('secret')
    const [sample, room] = DEFINITION.objectTypes
    const { secret, ...others } = sample?.properties ?? {}
    const renamed = {
      ...sample,
      titleProperty: 'hushed',
      properties: { ...others, hushed: { ...secret, renamedFrom: 'secret' } },
    }
    const changed = { ...DEFINITION, objectTypes: [renamed, room] } as OntologyDefinition
    expect((await service.apply(changed)).status).toBe(200)
    expect((await page(token)).status).toBe(404)
    const { body } = await service.send('/api/admin/v1/policies/wide')
    expect(body.problem).toBe('rights[1].hide[0] the object type sample has no property secret')
    await refill()
  })

  it('that is a client may do what its own policies and those of the person allow', async () => {
    await save('even', [
      read('sample', { where: { type: 'in', field: 'id', value: ['s00', 's01', 's03'] } }),
    ])
    const client = await createClient(service, { policies: ['even'] })
    const keys = async (token: string) => {
      const { body } = await page(token)
      return body.data.map(({ properties }: { properties: { id: string } }) => properties.id)
    }
    const form = { grant_type: 'client_credentials', ...asClient(client) }
    const own = await sendForm(service, TOKEN_PATH, form)
    expect(await keys(own.body.access_token)).toEqual(['s00', 's01', 's03'])
    const bob = await limited(['own'], 'bob')
    const { code = '' } = redirectOf(await signIn(service, { client, token: bob }))
    const { body } = await exchange(service, { client, code })
    expect(await keys(body.access_token)).toEqual(['s01', 's03'])
  })

  it.for<[string, object, string]>([
    ['an unknown ontology', { ...read('x'), ontology: 'none' }, 'rights[0].ontology'],
    ['an unknown type', read('none'), 'rights[0].objectType'],
    ['an unknown property', read('sample', { hide: ['none'] }), 'rights[0].hide[0]'],
    ['the primary key', read('sample', { hide: ['id'] }), 'rights[0].hide[0]'],
    [
      'an unknown claim',
      read('sample', { where: { type: 'eq', field: 'owner', value: '$caller.none' } }),
      'rights[0].where.value',
    ],
    [
      'a claim in a pattern',
      read('sample', { where: { type: 'wildcard', field: 'owner', value: '$caller.name' } }),
      'rights[0].where.value',
    ],
    ['a rule with write access', { ...read('sample', OWN), access: 'write' }, 'rights[0].where'],
    ['administering one type', { ...read('sample'), access: 'administer' }, 'rights[0].objectType'],
  ])('is not created with %s', async ([, right, parameter]) => {
    const json = { rights: [right] }
    const path = '/api/admin/v1/policies/refused'
    const { status, body } = await service.send(path, { method: 'PUT', json })
    expect([status, body.parameters.parameter]).toEqual([422, parameter])
    expect((await service.send(path)).body.errorName).toBe('PolicyNotFound')
  })
})
