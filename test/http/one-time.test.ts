import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSessionCode } from '../../src/access/sessions.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const SESSION = { name: 'browser', scopes: ['api:ontologies-read'], tokenMs: 3_600_000 } as const
const TYPE = { ontology: 'numbers', objectType: 'number' }
const EXPORT = '/api/admin/v1/ontologies/numbers/objects/number/export'

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(2500))
})
afterAll(() => service[Symbol.asyncDispose]())

const redeem = (code: unknown, token: string | null = null) =>
  service.send('/api/admin/v1/sessions', { token, json: { code } })

const createDownload = (body: object, token = ADMIN_TOKEN) =>
  service.send('/api/admin/v1/downloads', { token, json: { ...TYPE, ...body } })

const download = (path: string, method = 'GET') => service.send(path, { token: null, method })

describe('a session code', () => {
  it('is exchanged for a token with the rights of the code', async () => {
    const { store, clock } = service
    const code = await createSessionCode(store, { ...SESSION, ontologies: ['numbers'] }, clock.now)
    const { status, body, headers } = await redeem(code)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body.expiresAt).toBe(new Date(clock.now + SESSION.tokenMs).toISOString())
    const me = await service.send('/api/admin/v1/me', { token: body.token })
    expect(me.body).toMatchObject({
      name: 'browser',
      scopes: SESSION.scopes,
      ontologies: ['numbers'],
      expiresAt: body.expiresAt,
    })
  })

  it('works once, whoever comes first', async () => {
    const code = await createSessionCode(service.store, SESSION, service.clock.now)
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 401)
    expect(refused).toHaveLength(7)
    for (const { body } of refused) {
      expect(body).toMatchObject({
        errorName: 'InvalidOneTimeCode',
        parameters: { code: 'session' },
      })
    }
  })

  it('expires after ten minutes', async () => {
    await using own = await startService()
    const create = () => createSessionCode(own.store, SESSION, own.clock.now)
    const [early, late] = [await create(), await create()]
    const exchange = (code: string) => own.send('/api/admin/v1/sessions', { json: { code } })
    own.clock.now += 599_999
    expect((await exchange(early)).status).toBe(200)
    own.clock.now += 1
    expect((await exchange(late)).body.errorName).toBe('InvalidOneTimeCode')
  })

  it('is stored as a hash only', async () => {
    const code = await createSessionCode(service.store, SESSION, service.clock.now)
    const stored = await service.store.documents.list('sessionCode', service.clock.now)
    expect(stored.length).toBeGreaterThan(0)
    expect(JSON.stringify(stored)).not.toContain(code)
  })

  it('is refused if it is wrong, of another kind or not a text', async () => {
    const ticket = (await createDownload({})).body.path.split('/').at(-1)
    for (const code of ['x', 'a'.repeat(43), '../../etc/passwd', ticket, '\u0000'.repeat(43)]) {
      const { status, body, headers } = await redeem(code)
      expect([code, status, body.errorName]).toEqual([code, 401, 'InvalidOneTimeCode'])
      expect(headers.get('www-authenticate')).toBe('Bearer')
    }
    for (const code of [1, null, '', ['x']]) expect((await redeem(code)).status).toBe(422)
    const missing = await service.send('/api/admin/v1/sessions', { token: null, method: 'POST' })
    expect(missing.status).toBe(400)
  })

  it('counts against the limits of the address', async () => {
    await using own = await startService({ settings: { OQS_RATE_LIMIT_PER_MINUTE: '2' } })
    const send = () => own.send('/api/admin/v1/sessions', { token: null, json: { code: 'x' } })
    const statuses = [await send(), await send(), await send()].map(({ status }) => status)
    expect(statuses).toEqual([401, 401, 429])
  })
})

describe('a download ticket', () => {
  it.each([
    [{}, '', 'numbers-number.ndjson'],
    [{ format: 'csv', select: ['n'] }, '?format=csv&select=n', 'numbers-number.csv'],
    [
      { where: { type: 'lt', field: 'properties.n', value: 7 } },
      `?where=${encodeURIComponent('{"type":"lt","field":"properties.n","value":7}')}`,
      'numbers-number.ndjson',
    ],
  ])('%j returns the bytes of the export, as a file', async (body, query, file) => {
    const { path, expiresAt } = (await createDownload(body)).body
    expect(expiresAt).toBe(new Date(service.clock.now + 60_000).toISOString())
    const answer = await download(path)
    const exported = await service.send(EXPORT + query)
    expect([answer.status, answer.text]).toEqual([200, exported.text])
    for (const name of ['content-type', 'oqs-version']) {
      expect(answer.headers.get(name)).toBe(exported.headers.get(name))
    }
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${file}"`)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('works once, also for concurrent requests; HEAD does not use it up', async () => {
    const { path } = (await createDownload({})).body
    expect((await download(path, 'HEAD')).status).toBe(200)
    const answers = await Promise.all(Array.from({ length: 5 }, () => download(path)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
    expect((await download(path, 'HEAD')).status).toBe(401)
  })

  it('expires after a minute', async () => {
    await using own = await startService()
    await own.apply(NUMBERS)
    const create = () => own.send('/api/admin/v1/downloads', { json: TYPE })
    const [early, late] = [(await create()).body.path, (await create()).body.path]
    own.clock.now += 59_999
    expect((await own.send(early, { token: null })).status).toBe(200)
    own.clock.now += 1
    expect((await own.send(late, { token: null })).body.errorName).toBe('InvalidOneTimeCode')
  })

  it('is refused once its token is revoked or expired', async () => {
    const token = await service.createToken({ name: 'revoked soon' })
    const { path } = (await createDownload({}, token)).body
    await service.revokeTokens('revoked soon')
    expect((await download(path)).body).toMatchObject({
      errorName: 'Default:Unauthorized',
      parameters: { error: 'REVOKED' },
    })
    const expiresAtMs = service.clock.now
    const short = await service.createToken({ name: 'short', expiresAtMs: expiresAtMs + 1000 })
    const late = (await createDownload({}, short)).body.path
    service.clock.now += 1000
    expect((await download(late)).body.parameters).toEqual({ error: 'EXPIRED' })
  })

  it('needs the read scope, and sees what its token sees', async () => {
    const writer = await service.createToken({ scopes: ['api:ontologies-write'] })
    expect((await createDownload({}, writer)).status).toBe(403)
    const other = await service.createToken({ ontologies: ['elsewhere'] })
    expect((await createDownload({}, other)).body.errorName).toBe('OntologyNotFound')
    expect(
      (await service.send('/api/admin/v1/downloads', { token: null, json: TYPE })).status,
    ).toBe(401)
  })

  it.each([
    [{ objectType: 'nothing' }, 'ObjectTypeNotFound'],
    [{ select: ['nothing'] }, 'PropertiesNotFound'],
    [{ where: { type: 'eq', field: 'properties.n', value: 'x' } }, 'InvalidPropertyValue'],
    [{ format: 'pdf' }, 'Conjure:UnprocessableEntity'],
    [{ pageSize: 1 }, 'Conjure:UnprocessableEntity'],
  ])('%j is refused before a ticket exists', async (body, errorName) => {
    expect((await createDownload(body)).body.errorName).toBe(errorName)
  })
})
