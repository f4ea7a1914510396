import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const LIST = '/api/v1/ontologies/numbers/objects/number'

describe('methods', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** Sends raw bytes: fetch rejects some methods, and Node rejects unknown ones. */
  async function sendRaw(head: string, body = ''): Promise<string> {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    const lines = ['host: test', 'connection: close', `authorization: Bearer ${ADMIN_TOKEN}`]
    if (body !== '') lines.push('content-type: text/plain', `content-length: ${body.length}`)
    socket.write(`${head} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
    return text(socket)
  }
  const bodyOf = (response: string) => JSON.parse(response.split('\r\n\r\n')[1] ?? '')

  const paths: readonly [path: string, allowed: string][] = [
    ['/healthz', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
    [LIST, 'GET, HEAD, OPTIONS'],
    [`${LIST}/1?select=n`, 'GET, HEAD, OPTIONS'],
    [`${LIST}/search`, 'GET, HEAD, OPTIONS, POST'],
    ['/api/family/v1/objects/types/number/search', 'OPTIONS, POST'],
    ['/api/admin/v1/ontologies/numbers', 'DELETE, GET, HEAD, OPTIONS, PUT'],
    // Two endpoints share this path.
    ['/api/family/v1/objects/types/links/search', 'GET, HEAD, OPTIONS, POST'],
  ]
  it.for(paths)(
    '[7.2] that %s does not support are rejected with a list of those it supports',
    async ([path, allowed]) => {
      const all = allowed.split(', ')
      // Node answers CONNECT without a path.
      const others = METHODS.filter(
        (method) => !all.includes(method) && method !== 'CONNECT',
      ).filter(
        // What is posted to a name in the API is an operation, which is unknown.
        (method) => method !== 'POST' || !/^\/api\/.*\/(?:1\?select=n|numbers|number)$/.test(path),
      )
      expect(others.length).toBeGreaterThan(25)
      for (const method of others) {
        const response = await sendRaw(`${method} ${path}`, method === 'PATCH' ? 'x' : '')
        expect([method, response.split('\r\n')[0]]).toEqual([
          method,
          'HTTP/1.1 405 Method Not Allowed',
        ])
        expect(response).toContain(`\r\nallow: ${allowed}\r\n`)
        if (method === 'HEAD') continue
        expect(bodyOf(response)).toMatchObject({
          errorCode: 'INVALID_ARGUMENT',
          errorName: 'Default:MethodNotAllowed',
          parameters: { method, path: path.split('?')[0], allowed: all },
        })
      }
    },
  )

  it.for(paths)('of %s are listed by OPTIONS, without a token', async ([path, allowed]) => {
    const { status, headers } = await service.send(path, { method: 'OPTIONS', token: null })
    expect([status, headers.get('allow')]).toEqual([204, allowed])
  })

  it.each([
    '/api/v1/ontologies/numbers/actionTypes/search',
    '/api/v2/ontologies/numbers/actionTypes/search',
    '/api/v2/ontologies/numbers/objectTypes/getBatch',
    '/api/v2/ontologies/numbers/objectSets/loadNothing',
  ])('that post to an unknown operation are 404, as for any unknown path: %s', async (path) => {
    const { status, body, headers } = await service.send(path, { json: {} })
    expect([status, body.errorName]).toEqual([404, 'Default:NotFound'])
    expect(headers.get('allow')).toBeNull()
    // The path is that of a resource as well.
    expect((await service.send(path, { method: 'DELETE' })).headers.get('allow')).toBe(
      'GET, HEAD, OPTIONS',
    )
  })

  it('of every route are those that OPTIONS and Allow list', async () => {
    const { body } = await service.send('/openapi.json', { token: null })
    const hidden = { '/docs': { get: {} }, '/mcp': { post: {} } }
    const routes = Object.entries<object>({ ...body.paths, ...hidden }).map(
      ([path, operations]) => ({
        path: path.replaceAll(/\{\w+\}/g, 'x'),
        pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        methods: Object.keys(operations).map((name) => name.toUpperCase()),
        endsInName: path.startsWith('/api/') && path.endsWith('}'),
      }),
    )
    expect(routes.length).toBeGreaterThan(80)
    for (const { path } of routes) {
      const same = routes.filter(({ pattern }) => pattern.test(path))
      const own = new Set(same.flatMap(({ methods }) => methods))
      const heads = own.has('GET') ? ['HEAD'] : []
      const allowed = [...own, ...heads, 'OPTIONS'].sort().join(', ')
      const listed = await service.send(path, { method: 'OPTIONS', token: null })
      expect([path, listed.status, listed.headers.get('allow')]).toEqual([path, 204, allowed])
      for (const method of ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']) {
        const { status, headers } = await service.send(path, { method, token: null })
        const isOperation = method === 'POST' && same.every(({ endsInName }) => endsInName)
        const expected = allowed.includes(method) ? undefined : isOperation ? 404 : 405
        const unsupported = status === 405 || (isOperation && status === 404) ? status : undefined
        expect([method, path, unsupported]).toEqual([method, path, expected])
        if (status === 405) expect(headers.get('allow')).toBe(allowed)
      }
    }
  })

  it('of all endpoints are listed by OPTIONS *', async () => {
    const response = await sendRaw('OPTIONS *')
    expect(response).toMatch(/^HTTP\/1\.1 204 /)
    expect(response).toContain('\r\nallow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT\r\n')
  })

  it('have no effect without an endpoint', async () => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await sendRaw(`${method} /api/v3/nothing`, method === 'POST' ? 'x' : '')
      expect([method, response.split('\r\n')[0]]).toEqual([method, 'HTTP/1.1 404 Not Found'])
      expect(bodyOf(response).errorName).toBe('Default:NotFound')
    }
  })

  it('find no file that the explorer does not have', async () => {
    await using explored = await startService({ explorer: async () => new Map() })
    for (const path of ['/assets/unknown', '/assets/unknown.js?v=1', '/favicon.svg']) {
      const { status, body } = await explored.send(path, { token: null })
      expect([path, status, body.errorName]).toEqual([path, 404, 'Default:NotFound'])
      const head = await explored.send(path, { token: null, method: 'HEAD' })
      expect([path, head.status]).toEqual([path, 404])
      const post = await explored.send(path, { token: null, method: 'POST' })
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    }
  })

  it.for(['FOO /healthz', 'get /healthz', 'CONNECT test:80', 'PRI *'])(
    'that nobody knows are refused: %s',
    async (head) => {
      const response = await sendRaw(head)
      expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
      expect(bodyOf(response).errorName).toBe('Default:InvalidArgument')
      expect((await service.send('/healthz', { token: null })).status).toBe(200)
    },
  )

  it('HEAD returns the headers of GET, without the body', async () => {
    const tag = (await service.send(LIST)).headers.get('etag') ?? ''
    const paths = [LIST, `${LIST}/1`, '/api/v1/ontologies', '/healthz', '/docs']
    for (const path of [...paths, '/api/admin/v1/ontologies/numbers/objects/number/export']) {
      const get = await service.send(path)
      const head = await service.send(path, { method: 'HEAD' })
      expect([path, head.status, head.text]).toEqual([path, 200, ''])
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    }
    const held = await service.send(LIST, { method: 'HEAD', headers: { 'if-none-match': tag } })
    expect(held.status).toBe(304)
    expect((await service.send(LIST, { method: 'HEAD', token: null })).status).toBe(401)
  })

  it('all have responses with the security headers', async () => {
    const EXPORT = '/api/admin/v1/ontologies/numbers/objects/number/export'
    const tag = (await service.send(LIST)).headers.get('etag') ?? ''
    const answers = [
      await service.send(LIST),
      await service.send(LIST, { headers: { 'if-none-match': tag } }),
      await service.send(LIST, { method: 'DELETE' }),
      await service.send(LIST, { token: null }),
      await service.send(EXPORT),
      await service.send('/api/family/v1/objects/types/number/search', {
        json: { query: { type: 'empty' } },
      }),
      await service.send('/nowhere'),
      await service.send('/healthz', { token: null }),
      await service.send('/openapi.json', { token: null }),
      await service.send('/docs', { token: null }),
    ]
    for (const { headers } of answers) {
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      const policy = headers.get('content-security-policy')
      expect(policy).toMatch(/^default-src 'none'; (?:.*; )?frame-ancestors 'none'$/)
    }
    expect(await sendRaw('FOO /')).toContain('\r\nx-content-type-options: nosniff\r\n')
  })
})
