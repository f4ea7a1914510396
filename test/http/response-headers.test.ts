/** Every response names its request and says what is left of the limit, whoever sends it. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const LIMIT = 60
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const LIST = '/api/v1/ontologies/numbers/objects/number'
const BATCH = '/api/admin/v1/ontologies/numbers/objects/number'

let service: Service
beforeAll(async () => {
  service = await startService({ settings: { OQS_RATE_LIMIT_PER_MINUTE: String(LIMIT) } })
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(3))
})
afterAll(() => service[Symbol.asyncDispose]())

it.each([
  ['a page', 200, LIST, {}],
  ['an object', 200, `${LIST}/1`, {}],
  ['an unchanged response', 304, LIST, { headers: { 'if-none-match': '*' } }],
  ['groups', 200, `${LIST}/aggregate`, { json: { aggregation: [{ type: 'count' }] } }],
  ['a stream', 200, `${BATCH}/export`, {}],
  ['a file', 200, `${BATCH}/export?format=xlsx`, {}],
  ['metadata', 200, '/api/v2/ontologies', {}],
  ['a write', 201, `${BATCH}/7`, { method: 'PUT', json: { n: 7 } }],
  ['the document', 200, '/openapi.json', { token: null }],
  ['a static file', 200, '/docs', { token: null }],
  ['the health check', 200, '/healthz', { token: null }],
  ['a request without a body', 200, LIST, { method: 'HEAD' }],
  ['the methods of a path', 204, LIST, { method: 'OPTIONS' }],
  ['a missing token', 401, LIST, { token: null }],
  ['a wrong parameter', 400, `${LIST}?pageSize=x`, {}],
  ['an unknown path', 404, '/nowhere', { token: null }],
  ['a method that the path does not have', 405, LIST, { method: 'DELETE' }],
  ['a form that is refused', 400, '/multipass/api/oauth2/token', { method: 'POST', token: null }],
])('on %s', async (_what, status, path, options) => {
  const { headers, body, ...response } = await service.send(path, options)
  expect(response.status).toBe(status)
  const requestId = headers.get('x-request-id')
  expect(requestId).toMatch(UUID)
  if (body?.errorInstanceId !== undefined) expect(body.errorInstanceId).toBe(requestId)
  expect(headers.get('ratelimit-limit')).toBe(String(LIMIT))
  expect(Number(headers.get('ratelimit-remaining'))).toBeLessThanOrEqual(LIMIT)
  expect(headers.get('ratelimit-reset')).toMatch(/^\d+$/)
})

it('on a stream of events', async () => {
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${ADMIN_TOKEN}` }
  const path = '/api/v1/ontologies/numbers/changes/number?since=now'
  const response = await fetch(service.url + path, { headers })
  await response.body?.cancel()
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-request-id')).toMatch(UUID)
  expect(response.headers.get('ratelimit-limit')).toBe(String(LIMIT))
})

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

it('on every endpoint, whether it has the method or not', async () => {
  await using all = await startService({ settings: { OQS_RATE_LIMIT_PER_MINUTE: '100000' } })
  const { body } = await all.send('/openapi.json', { token: null })
  const paths = Object.keys(body.paths).map((path) => path.replaceAll(/{\w+}/g, 'none'))
  const sent = await Promise.all(
    [...paths, '/', '/docs/', '/openapi.json', '/assets/none.js', '/%zz', '/nowhere'].flatMap(
      (path) =>
        METHODS.map(async (method) => {
          const { status, headers } = await all.send(path, { method: method.toUpperCase() })
          return { request: `${method} ${path}`, status, headers }
        }),
    ),
  )
  expect(sent.length).toBeGreaterThan(400)
  expect(sent.filter(({ headers }) => !UUID.test(headers.get('x-request-id') ?? ''))).toEqual([])
  expect(sent.filter(({ headers }) => !headers.has('ratelimit-remaining'))).toEqual([])
})

it('counts down with each request of a caller, and up with time', async () => {
  const token = await service.createToken()
  const read = async () => {
    const { status, headers } = await service.send(LIST, { token })
    const remaining = Number(headers.get('ratelimit-remaining'))
    return { status, remaining, resetSeconds: Number(headers.get('ratelimit-reset')) }
  }
  expect(await read()).toEqual({ status: 200, remaining: LIMIT - 1, resetSeconds: 1 })
  for (let sent = 1; sent < LIMIT; sent += 1) await read()
  expect(await read()).toEqual({ status: 429, remaining: 0, resetSeconds: 60 })
  service.clock.now += 30_000
  expect(await read()).toEqual({ status: 200, remaining: LIMIT / 2 - 1, resetSeconds: 31 })
})

it('says nothing about requests per minute if they have no limit', async () => {
  await using unlimited = await startService()
  const { headers } = await unlimited.send('/healthz', { token: null })
  expect(headers.get('x-request-id')).toMatch(UUID)
  expect(headers.has('ratelimit-limit')).toBe(false)
})

it('names what the HTTP parser rejects', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.end('not HTTP\r\n\r\n')
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  expect(head).toContain(`x-request-id: ${JSON.parse(body).errorInstanceId}`)
})
