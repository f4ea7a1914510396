/** A browser is signed in by a cookie that scripts cannot read and other sites cannot use. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const SESSIONS = '/api/admin/v1/sessions'
const HEADER = { 'oqs-session': 'explorer' }
const DAY_MS = 86_400_000

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(5))
})
afterAll(() => service[Symbol.asyncDispose]())

const start = (json: object, headers: Record<string, string> = HEADER, at = service) =>
  at.send(SESSIONS, { token: null, json, headers })

/** Returns the cookie as a browser sends it. */
const cookieOf = ({ headers }: { readonly headers: Headers }) =>
  String(headers.get('set-cookie')?.split(';')[0])

const open = async (token = ADMIN_TOKEN) => cookieOf(await start({ token }))

const me = (cookie: string, headers: Record<string, string> = HEADER) =>
  service.send('/api/admin/v1/me', { token: null, headers: { cookie, ...headers } })

const createCode = async (token = ADMIN_TOKEN, at = service) =>
  (await at.send(`${SESSIONS}/codes`, { token, method: 'POST' })).body.code as string

describe('a session', () => {
  it('is a cookie for the API that scripts cannot read', async () => {
    const { status, headers, body } = await start({ token: ADMIN_TOKEN })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    const port = new URL(service.url).port
    expect(headers.get('set-cookie')).toMatch(
      new RegExp(
        `^oqs_session_${port}=[\\w-]{43}; Path=/api/; Max-Age=604800; HttpOnly; SameSite=Strict$`,
      ),
    )
    expect(body).toEqual({ expiresAt: new Date(service.clock.now + 7 * DAY_MS).toISOString() })
    const secure = await start({ token: ADMIN_TOKEN }, { ...HEADER, origin: 'https://o.example' })
    expect(secure.headers.get('set-cookie')).toMatch(/; Secure$/)
  })

  it('is the caller of its token, in every place', async () => {
    const token = await service.createToken({ name: 'ada', ontologies: ['numbers'] })
    const cookie = await open(token)
    const direct = await service.send('/api/admin/v1/me', { token })
    expect((await me(cookie)).body).toEqual(direct.body)
    const list = '/api/v1/ontologies/numbers/objects/number?pageSize=2'
    const page = await service.send(list, { token: null, headers: { cookie, ...HEADER } })
    const next = `${list}&pageToken=${encodeURIComponent(page.body.nextPageToken)}`
    expect((await service.send(next, { token })).status).toBe(200)
  })

  it('counts only with the header that other sites cannot send', async () => {
    const cookie = await open()
    expect((await me(cookie, {})).body.errorName).toBe('MissingCredentials')
    const withoutHeader = await start({ token: ADMIN_TOKEN }, {})
    expect([withoutHeader.status, withoutHeader.headers.get('set-cookie')]).toEqual([400, null])
    await using own = await startService({ settings: { OQS_CORS_ORIGINS: '*' } })
    const preflight = await own.send('/api/admin/v1/me', {
      token: null,
      method: 'OPTIONS',
      headers: {
        origin: 'https://other.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'oqs-session',
      },
    })
    expect(preflight.headers.get('access-control-allow-headers')).not.toContain('oqs-session')
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('ends when the person signs out: a copy of the cookie is worth nothing', async () => {
    const token = await service.createToken({ name: 'stays' })
    const cookie = await open(token)
    const ended = await service.send(SESSIONS, {
      token: null,
      method: 'DELETE',
      headers: { cookie, ...HEADER },
    })
    expect(ended.status).toBe(200)
    expect(ended.headers.get('set-cookie')).toMatch(/^oqs_session_\d+=; .*Max-Age=0;/)
    expect((await me(cookie)).body.parameters).toEqual({ error: 'UNKNOWN' })
    expect((await service.send('/api/admin/v1/me', { token })).status).toBe(200)
  })

  it('ends with its token, and after seven days', async () => {
    await using own = await startService()
    const status = async (cookie: string) =>
      (await own.send('/api/admin/v1/me', { token: null, headers: { cookie, ...HEADER } })).status
    const token = await own.createToken({ name: 'revoked soon' })
    const cookie = cookieOf(await start({ token }, HEADER, own))
    expect(await status(cookie)).toBe(200)
    await own.revokeTokens('revoked soon')
    expect(await status(cookie)).toBe(401)
    const ofAdmin = cookieOf(await start({ token: ADMIN_TOKEN }, HEADER, own))
    own.clock.now += 7 * DAY_MS - 1
    expect(await status(ofAdmin)).toBe(200)
    own.clock.now += 1
    expect(await status(ofAdmin)).toBe(401)
  })

  it('is stored as a hash only', async () => {
    const cookie = await open()
    const stored = await service.store.documents.list('browserSession', service.clock.now)
    expect(stored.length).toBeGreaterThan(0)
    expect(JSON.stringify(stored)).not.toContain(cookie.split('=')[1])
    expect(JSON.stringify(stored)).not.toContain(ADMIN_TOKEN)
  })

  it.each([
    [{ token: 'wrong' }, 401, 'Default:Unauthorized'],
    [{}, 400, 'InvalidParameterCombination'],
    [{ token: 'x', code: 'y' }, 400, 'InvalidParameterCombination'],
    [{ token: '' }, 422, 'Conjure:UnprocessableEntity'],
    [{ token: 1 }, 422, 'Conjure:UnprocessableEntity'],
  ])('is not started with %j', async (body, status, errorName) => {
    const answer = await start(body)
    expect([answer.status, answer.body.errorName]).toEqual([status, errorName])
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it.each(['', 'oqs_session_1=x', '=;=', `${'a=b; '.repeat(50)}x`])(
    'is not any cookie: %j',
    async (cookie) => {
      expect((await me(cookie)).body.errorName).toBe('MissingCredentials')
    },
  )

  it('is not for holders of a read-only link', async () => {
    const policy = { rights: [{ ontology: 'numbers', objectType: 'number', access: 'read' }] }
    await service.send('/api/admin/v1/policies/link%20x', { method: 'PUT', json: policy })
    const link = await service.createToken({ name: 'Link by ada: x', policies: ['link x'] })
    const codes = await service.send(`${SESSIONS}/codes`, { token: link, method: 'POST' })
    for (const { status, body } of [await start({ token: link }), codes]) {
      expect([status, body.parameters.reason]).toEqual([403, 'a read-only link can only read'])
    }
  })
})

describe('a code', () => {
  it('signs a browser in as the caller that asked for it, whoever comes first', async () => {
    const code = await createCode(await service.createToken({ name: 'grace' }))
    const answers = await Promise.all(Array.from({ length: 8 }, () => start({ code })))
    const [first, ...others] = answers.filter(({ status }) => status === 200)
    expect(others).toEqual([])
    expect((await me(cookieOf(first as (typeof answers)[number]))).body.name).toBe('grace')
    for (const { status, body } of answers.filter((answer) => answer !== first)) {
      expect([status, body.errorName]).toEqual([401, 'InvalidOneTimeCode'])
      expect(body.parameters).toEqual({ code: 'session' })
    }
  })

  it('expires after ten minutes, and with the token that asked for it', async () => {
    await using own = await startService()
    const [early, late] = [await createCode(ADMIN_TOKEN, own), await createCode(ADMIN_TOKEN, own)]
    const token = await own.createToken({ name: 'revoked soon' })
    const orphan = await createCode(token, own)
    await own.revokeTokens('revoked soon')
    const parameters = async (code: string) => (await start({ code }, HEADER, own)).body.parameters
    expect(await parameters(orphan)).toEqual({ error: 'REVOKED' })
    own.clock.now += 599_999
    expect(await parameters(early)).toBeUndefined()
    own.clock.now += 1
    expect(await parameters(late)).toEqual({ code: 'session' })
  })

  it('is stored as a hash only', async () => {
    const code = await createCode()
    const stored = await service.store.documents.list('sessionCode', service.clock.now)
    expect(stored.length).toBeGreaterThan(0)
    expect(JSON.stringify(stored)).not.toContain(code)
  })

  it('is refused if it is wrong or of another kind', async () => {
    const json = { ontology: 'numbers', objectType: 'number' }
    const { path } = (await service.send('/api/admin/v1/downloads', { json })).body
    const ticket = path.split('/').at(-1)
    for (const code of ['x', 'a'.repeat(43), '../../etc/passwd', ticket, '\u0000'.repeat(43)]) {
      const { status, body, headers } = await start({ code })
      expect([code, status, body.errorName]).toEqual([code, 401, 'InvalidOneTimeCode'])
      expect(headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it('counts against the limits of the address', async () => {
    await using own = await startService({ settings: { OQS_RATE_LIMIT_PER_MINUTE: '2' } })
    const send = () => start({ code: 'x' }, HEADER, own)
    const statuses = [await send(), await send(), await send()].map(({ status }) => status)
    expect(statuses).toEqual([401, 401, 429])
  })
})
