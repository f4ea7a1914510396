/** Requests of scripts on other web sites. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, sendForm, TOKEN_PATH } from '../support/oauth.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService, type TestResponse } from '../support/service.ts'

const LIST = '/api/v1/ontologies/numbers/objects/number'
const SEARCH = '/api/family/v1/objects/types/number/search'
const APP = 'https://app.example.com'
const OTHER = 'https://other.example.com'
const CORS_HEADERS = /^access-control-/

function corsOf({ headers }: TestResponse): string[] {
  return [...headers.keys()].filter((name) => CORS_HEADERS.test(name))
}

describe('cross-origin requests', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ settings: { OQS_CORS_ORIGINS: `${APP},http://localhost:3000` } })
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const preflight = (path: string, origin = APP, method = 'POST') =>
    service.send(path, {
      method: 'OPTIONS',
      token: null,
      headers: { origin, 'access-control-request-method': method },
    })

  it.each([LIST, SEARCH, TOKEN_PATH])('may be sent to %s after a preflight', async (path) => {
    const answer = await preflight(path)
    expect(answer.status).toBe(204)
    const header = (name: string) => answer.headers.get(`access-control-${name}`)
    expect(header('allow-origin')).toBe(APP)
    expect(header('allow-methods')?.split(', ')).toContain('DELETE')
    expect(header('max-age')).toBe('3600')
    expect(header('allow-credentials')).toBeNull()
    const sent = [
      'authorization',
      'content-type',
      'fetch-user-agent',
      'x-osdk-request-context',
      'traceparent',
      'tracestate',
      'idempotency-key',
      'if-match',
      'if-none-match',
      'last-event-id',
    ]
    expect(header('allow-headers')?.split(', ')).toEqual(expect.arrayContaining(sent))
    expect(answer.headers.get('vary')).toBe('origin')
  })

  it('get responses that the script may read, also errors', async () => {
    const headers = { origin: APP }
    const responses = [
      await service.send(LIST, { headers }),
      await service.send(SEARCH, { headers, json: { query: { type: 'empty' } } }),
      await service.send(LIST, { headers, token: null }),
      await service.send('/nothing', { headers }),
      await service.send(TOKEN_PATH, { method: 'POST', headers, token: null }),
      await service.send('/openapi.json', { headers }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 401, 404, 400, 200])
    for (const answer of responses) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(APP)
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ')
      expect(exposed).toEqual(
        expect.arrayContaining(['etag', 'retry-after', 'idempotency-replayed']),
      )
      expect(answer.headers.get('vary')).toMatch(/^origin/)
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect(responses[5]?.headers.get('vary')).toBe('origin, accept-encoding')
    const { headers: first } = responses[0] as TestResponse
    const etag = first.get('etag') ?? ''
    const cached = await service.send(LIST, { headers: { ...headers, 'if-none-match': etag } })
    expect([cached.status, cached.headers.get('access-control-allow-origin')]).toEqual([304, APP])
  })

  it('of other origins get no such headers', async () => {
    const answers = [
      await service.send(LIST, { headers: { origin: OTHER } }),
      await service.send(LIST, { headers: { origin: 'null' } }),
      await service.send(LIST, { headers: { origin: `${APP}.evil.example` } }),
      await service.send(LIST),
      await preflight(LIST, OTHER),
    ]
    for (const answer of answers) {
      expect(corsOf(answer)).toEqual([])
      expect(answer.headers.get('vary')).toBe('origin')
    }
  })

  it('are not found where there is no endpoint', async () => {
    expect((await preflight('/nothing')).status).toBe(404)
  })

  it('let a client in a browser get a token', async () => {
    const client = await createClient(service)
    const form = { grant_type: 'client_credentials', client_id: client.id, client_secret: 'wrong' }
    const answer = await sendForm(service, TOKEN_PATH, form, { origin: APP })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, APP])
  })

  it('are limited by address before a token is known', async () => {
    await using limited = await startService({
      settings: { OQS_CORS_ORIGINS: '*', OQS_RATE_LIMIT_PER_MINUTE: '2', OQS_DOCS: 'off' },
    })
    const send = () =>
      limited.send(TOKEN_PATH, {
        method: 'OPTIONS',
        token: null,
        headers: { origin: OTHER, 'access-control-request-method': 'POST' },
      })
    const answers = [await send(), await send(), await send()]
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 429])
    expect(answers[2]?.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('of every origin are allowed with *', async () => {
    await using open = await startService({ settings: { OQS_CORS_ORIGINS: '*' } })
    const answer = await open.send('/api/v1/ontologies', { headers: { origin: OTHER } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('vary')).toBeNull()
  })

  it('are not allowed by default', async () => {
    await using plain = await startService()
    const answer = await plain.send('/api/v1/ontologies', { headers: { origin: APP } })
    expect([answer.status, corsOf(answer)]).toEqual([200, []])
    expect(answer.headers.get('vary')).toBeNull()
  })
})
