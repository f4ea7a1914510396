import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const TYPE = { ontology: 'numbers', objectType: 'number' }
const EXPORT = '/api/admin/v1/ontologies/numbers/objects/number/export'

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(2500))
})
afterAll(() => service[Symbol.asyncDispose]())

const createDownload = (body: object, token = ADMIN_TOKEN) =>
  service.send('/api/admin/v1/downloads', { token, json: { ...TYPE, ...body } })

const download = (path: string, method = 'GET') => service.send(path, { token: null, method })

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
