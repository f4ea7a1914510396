import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS } from '../support/ontologies.ts'
import { type SendOptions, type Service, startService } from '../support/service.ts'
import { createTestStore } from '../support/test-store.ts'

const ADMIN = '/api/admin/v1'
const TOKEN = { json: { name: 'app', scopes: ['api:ontologies-read'] } }
const EMPTY = { apiName: 'empty', objectTypes: [] }

describe('an idempotency key of a request that writes no objects', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const send = (key: string, path: string, options: SendOptions) =>
    service.send(path, { ...options, headers: { ...options.headers, 'idempotency-key': key } })

  /** One request of each kind, and how many of what it creates there are. */
  const requests: readonly [path: string, options: SendOptions, count: () => Promise<number>][] = [
    [`${ADMIN}/tokens`, TOKEN, () => listed('tokens')],
    [`${ADMIN}/clients`, TOKEN, () => listed('clients')],
    [
      `${ADMIN}/policies/once`,
      { method: 'PUT', json: { rights: [] }, headers: { 'if-none-match': '*' } },
      () => listed('policies'),
    ],
    [`${ADMIN}/policies/once`, { method: 'DELETE' }, () => listed('policies')],
    [
      `${ADMIN}/ontologies/empty`,
      { method: 'PUT', json: EMPTY, headers: { 'if-none-match': '*' } },
      () => generation(),
    ],
    [`${ADMIN}/ontologies/empty`, { method: 'DELETE' }, () => generation()],
    [
      `${ADMIN}/ontologies/numbers/objects/number/replacements`,
      { method: 'POST' },
      () => documents(),
    ],
    [
      '/api/v2/ontologies/numbers/objectSets/createTemporary',
      { json: { objectSet: { type: 'base', objectType: 'number' } } },
      () => documents(),
    ],
    [
      `${ADMIN}/downloads`,
      { json: { ontology: 'numbers', objectType: 'number' } },
      () => documents(),
    ],
  ]
  const listed = async (what: string) => (await service.send(`${ADMIN}/${what}`)).body.data.length
  const generation = async () => (await service.store.readCatalogue()).generation
  const documents = async () => {
    const kinds = ['temporaryObjectSet', 'downloadTicket'] as const
    const lists = kinds.map((kind) => service.store.documents.list(kind, service.clock.now))
    return (await Promise.all(lists)).flat().length
  }

  it('applies each kind of request once, and repeats its first response', async () => {
    for (const [index, [path, options, count]] of requests.entries()) {
      const key = `once-${index}`
      const first = await send(key, path, options)
      expect([path, first.status, first.text]).toEqual([path, 200, first.text])
      expect(first.headers.get('idempotency-replayed')).toBeNull()
      const after = await count()
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const again = await send(key, path, options)
        expect([path, again.status, again.text]).toEqual([path, 200, first.text])
        expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
        expect(again.headers.get('idempotency-replayed')).toBe('true')
      }
      expect([path, await count()]).toEqual([path, after])
    }
  })

  it('applies concurrent duplicates once', async () => {
    await service.apply(EMPTY)
    for (const [index, [path, options]] of requests.entries()) {
      const names = [1, 2, 3, 4, 5, 6]
      const answers = await Promise.all(
        names.map(() => send(`concurrent-${index}`, path, { ...options, headers: {} })),
      )
      const bodies = new Set(answers.map(({ status, text }) => `${status} ${text}`))
      expect([path, ...bodies]).toEqual([path, `200 ${answers[0]?.text}`])
      const first = answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)
      expect([path, first.length]).toEqual([path, 1])
    }
  })

  it('belongs to one request of one caller', async () => {
    const first = await send('bound', `${ADMIN}/tokens`, TOKEN)
    const other = { json: { ...TOKEN.json, name: 'other' } }
    const refused = await send('bound', `${ADMIN}/tokens`, other)
    expect([refused.status, refused.body.errorName]).toEqual([422, 'IdempotencyKeyReused'])
    expect((await send('bound', `${ADMIN}/clients`, TOKEN)).status).toBe(422)
    const token = await service.createToken({ scopes: ['api:admin'] })
    const another = await send('bound', `${ADMIN}/tokens`, { ...TOKEN, token })
    expect(another.status).toBe(200)
    expect(another.body.token).not.toBe(first.body.token)
  })

  it('is not used up by a request that fails', async () => {
    const path = `${ADMIN}/policies/failed`
    const options = { method: 'PUT', json: { rights: [] } }
    const failed = await send('failed', path, { ...options, headers: { 'if-match': '*' } })
    expect(failed.status).toBe(412)
    expect((await send('failed', path, options)).status).toBe(200)
  })

  it('names what was created if the caller has another bearer token by now', async () => {
    await using store = await createTestStore()
    let created = ''
    for (const [token, status] of [
      ['the-first-admin-token', 200],
      ['another-admin-token', 409],
    ] as const) {
      const settings = { OQS_ADMIN_TOKEN: token }
      await using node = await startService({ store: store.name, settings })
      const headers = { 'idempotency-key': 'moved' }
      const answer = await node.send(`${ADMIN}/tokens`, { ...TOKEN, token, headers })
      expect(answer.status).toBe(status)
      if (status === 200) created = answer.body.id
      else {
        expect(answer.body).toMatchObject({
          errorName: 'SecretNotRepeatable',
          parameters: { parameter: 'Idempotency-Key', created },
        })
      }
    }
  })
})
