import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IDEMPOTENCY_KEY_TTL_SECONDS } from '../../src/contract/limits.ts'
import { AVIATION, NUMBERS } from '../support/ontologies.ts'
import { type SendOptions, type Service, startService } from '../support/service.ts'

const OBJECTS = '/api/admin/v1/ontologies/numbers/objects/number'
const BATCH = { method: 'POST', headers: { 'content-type': 'application/x-ndjson' } }

describe('an idempotency key', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.apply(AVIATION)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const send = (key: string, path: string, options: SendOptions) =>
    service.send(path, { ...options, headers: { ...options.headers, 'idempotency-key': key } })
  const versionNow = async () =>
    (await service.write('numbers', 'number', [{ delete: -1 }])).body.version

  /** One request of each kind, in an order in which each has an effect. */
  const requests: readonly [name: string, path: string, options: SendOptions][] = [
    ['a batch', OBJECTS, { ...BATCH, body: '{"put":{"n":1}}\n{"put":{"n":2}}' }],
    ['an append', `${OBJECTS}?mode=append`, { ...BATCH, body: '{"put":{"n":1}}\n{"put":{"n":5}}' }],
    ['a put', `${OBJECTS}/3`, { method: 'PUT', json: { n: 3, text: 'three' } }],
    [
      'a conditional put',
      `${OBJECTS}/4`,
      { method: 'PUT', json: { n: 4 }, headers: { 'if-none-match': '*' } },
    ],
    ['a patch', `${OBJECTS}/3`, { method: 'PATCH', json: { text: null } }],
    ['a delete', `${OBJECTS}/3`, { method: 'DELETE' }],
    [
      'a delete by query',
      `${OBJECTS}/deleteByQuery`,
      { json: { query: { type: 'eq', field: 'properties.n', value: 2 } } },
    ],
    [
      'an action',
      '/api/v1/ontologies/numbers/actions/create-number/apply',
      { json: { parameters: { n: 6 } } },
    ],
    [
      'an action of v2',
      '/api/v2/ontologies/numbers/actions/create-number/apply',
      { json: { parameters: { n: 7 }, options: { returnEdits: 'ALL' } } },
    ],
    [
      'a batch of actions',
      '/api/v2/ontologies/numbers/actions/delete-number/applyBatch',
      { json: { requests: [{ parameters: { objectToDeleteParameter: 7 } }] } },
    ],
  ]

  it('applies each kind of write once, and repeats its first response', async () => {
    for (const [name, path, options] of requests) {
      const before = await versionNow()
      const first = await send(`once ${name}`.replaceAll(' ', '-'), path, options)
      expect([name, first.status < 300, first.text]).toEqual([name, true, first.text])
      expect(first.headers.get('idempotency-replayed')).toBeNull()
      expect([name, await versionNow()]).toEqual([name, before + 1])
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const again = await send(`once ${name}`.replaceAll(' ', '-'), path, options)
        expect([name, again.status, again.text]).toEqual([name, first.status, first.text])
        expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
        expect(again.headers.get('idempotency-replayed')).toBe('true')
      }
      expect([name, await versionNow()]).toEqual([name, before + 1])
    }
  })

  it('repeats the response even if the objects have changed since', async () => {
    const options = { method: 'PUT', json: { n: 20, text: 'first' } }
    const first = await send('changed', `${OBJECTS}/20`, options)
    await service.put('numbers', 'number', [{ n: 20, text: 'second' }])
    const again = await send('changed', `${OBJECTS}/20`, options)
    expect([again.status, again.body]).toEqual([201, first.body])
    const { body } = await service.send('/api/v1/ontologies/numbers/objects/number/20')
    expect(body.properties.text).toBe('second')
  })

  it('also covers writes that change nothing', async () => {
    const options = { ...BATCH, body: '{"delete":999}' }
    const first = await send('nothing', OBJECTS, options)
    await service.put('numbers', 'number', [{ n: 999 }])
    const again = await send('nothing', OBJECTS, options)
    expect(again.body).toEqual(first.body)
    expect((await service.send('/api/v1/ontologies/numbers/objects/number/999')).status).toBe(200)
  })

  it('belongs to one request: any other is refused', async () => {
    const put = { method: 'PUT', json: { n: 30, text: 'a' } }
    expect((await send('bound', `${OBJECTS}/30`, put)).status).toBe(201)
    const others: readonly [path: string, options: SendOptions][] = [
      [`${OBJECTS}/30`, { ...put, json: { n: 30, text: 'b' } }],
      [`${OBJECTS}/30`, { method: 'PATCH', json: { n: 30, text: 'a' } }],
      [`${OBJECTS}/30`, { ...put, headers: { 'if-match': '*' } }],
      [`${OBJECTS}/31`, { ...put, json: { n: 31 } }],
      [OBJECTS, { ...BATCH, body: '{"put":{"n":30}}' }],
      ['/api/admin/v1/ontologies/aviation/objects/airport/A', { ...put, json: { id: 'A' } }],
    ]
    for (const [path, options] of others) {
      const answer = await send('bound', path, options)
      expect(answer.status).toBe(422)
      expect(answer.body).toMatchObject({
        errorName: 'IdempotencyKeyReused',
        parameters: { parameter: 'Idempotency-Key', key: 'bound' },
      })
    }
    const { body } = await service.send('/api/v1/ontologies/numbers/objects/number/30')
    expect(body.properties.text).toBe('a')
  })

  it('belongs to one caller', async () => {
    const options = { ...BATCH, body: '{"put":{"n":40}}' }
    const before = await versionNow()
    for (const name of ['one', 'two']) {
      const token = await service.createToken({ name, scopes: ['api:ontologies-write'] })
      const answer = await send('shared', OBJECTS, { ...options, token })
      expect(answer.headers.get('idempotency-replayed')).toBeNull()
    }
    expect(await versionNow()).toBe(before + 2)
  })

  it('is not used up by a request that fails', async () => {
    const conditional = { method: 'PUT', json: { n: 50 }, headers: { 'if-match': '*' } }
    expect((await send('failed', `${OBJECTS}/50`, conditional)).status).toBe(412)
    expect((await send('failed', OBJECTS, { ...BATCH, body: '{"put":{}}' })).status).toBe(400)
    const answer = await send('failed', OBJECTS, { ...BATCH, body: '{"put":{"n":50}}' })
    expect(answer.body).toMatchObject({ put: 1 })
    const dry = { ...BATCH, body: '{"put":{"n":51}}' }
    expect((await send('dry', `${OBJECTS}?dryRun=true`, dry)).status).toBe(200)
    expect((await send('dry', OBJECTS, dry)).body).toMatchObject({ put: 1 })
  })

  it('applies concurrent duplicates once', async () => {
    for (const [name, path, options] of [
      ['batches', OBJECTS, { ...BATCH, body: '{"put":{"n":60}}' }],
      ['puts', `${OBJECTS}/61`, { method: 'PUT', json: { n: 61 } }],
      ['queries', `${OBJECTS}/deleteByQuery`, { json: { query: EQUALS_60 } }],
    ] as const) {
      const before = await versionNow()
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => send(`concurrent-${name}`, path, options)),
      )
      const bodies = new Set(answers.map(({ status, text }) => `${status} ${text}`))
      expect([name, ...bodies]).toHaveLength(2)
      const first = answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)
      expect([name, first.length]).toEqual([name, 1])
      expect([name, await versionNow()]).toEqual([name, before + 1])
    }
  })

  it('expires after 24 hours, and maintenance removes it', async () => {
    const options = { ...BATCH, body: '{"put":{"n":70}}' }
    await send('old', OBJECTS, options)
    service.clock.now += 1000 * IDEMPOTENCY_KEY_TTL_SECONDS - 1
    expect((await send('old', OBJECTS, options)).headers.get('idempotency-replayed')).toBe('true')
    service.clock.now += 1
    const late = await send('old', OBJECTS, options)
    expect(late.headers.get('idempotency-replayed')).toBeNull()
    expect((await send('old', OBJECTS, options)).headers.get('idempotency-replayed')).toBe('true')
    service.clock.now += 1000 * IDEMPOTENCY_KEY_TTL_SECONDS
    const retention = { now: () => service.clock.now, rowVersionsMs: 1, idleReplacementsMs: 1 }
    await service.store.reclaim(retention)
    // The clock goes back: had the key still been stored, it would be valid again.
    service.clock.now -= 1000 * IDEMPOTENCY_KEY_TTL_SECONDS
    const again = await send('old', OBJECTS, options)
    expect(again.headers.get('idempotency-replayed')).toBeNull()
  })
})

const EQUALS_60 = { type: 'eq', field: 'properties.n', value: 60 }
