import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OpenRequests } from '../../src/http/request/http-context.ts'
import { limitConnections } from '../../src/server/limit-connections.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

/** Limits and timeouts of connections. */

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Waits until a connection is closed, also if it is reset: unlike `once`, ignores errors. */
function closeOf(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve))
}

/** Sends bytes and returns everything that the service sends until it closes the connection. */
async function exchange(url: string, bytes: string): Promise<string> {
  const socket = await open(url)
  socket.write(bytes)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await closeOf(socket)
  return text
}

describe('a service', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('survives clients that request a tunnel and disconnect', async () => {
    for (let n = 0; n < 20; n += 1) {
      const socket = await open(service.url)
      socket.write('CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n')
      socket.resetAndDestroy()
    }
    const socket = await open(service.url)
    socket.write('CONNECT x HTTP/1.1\r\nhost: x\r\n\r\n and more')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    // The service closes the connection, although the client does not.
    await closeOf(socket)
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect((await service.send('/healthz')).status).toBe(200)
  })

  it('answers earlier requests of a connection before it rejects a broken one', async () => {
    const request = (path: string) =>
      `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ADMIN_TOKEN}\r\n\r\n`
    const text = await exchange(
      service.url,
      `${request('/api/v1/ontologies')}${request('/readyz')}no request at all\r\n\r\n`,
    )
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400'])
  })

  it('answers a request once, also if its body turns out to be broken after the response', async () => {
    const head = 'host: x\r\ntransfer-encoding: chunked\r\n\r\n'
    for (const path of ['/readyz', '/api/nothing', '/api/v1/ontologies']) {
      const text = await exchange(service.url, `GET ${path} HTTP/1.1\r\n${head}no size\r\n`)
      expect(text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1)
    }
  })

  it.each(['[::1]:8080', 'a_b.example:80', ''])('accepts the host "%s"', async (host) => {
    const bytes = `GET /healthz HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
    expect(await exchange(service.url, bytes)).toMatch(/^HTTP\/1.1 200 /)
  })

  it.each([
    ['GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'host'],
    ['GET /healthz HTTP/1.1\r\nhost: x\r\nHost: y\r\nconnection: close\r\n\r\n', 400, 'host'],
    ['GET /healthz HTTP/1.1\r\nhost: a b/c@\r\nconnection: close\r\n\r\n', 400, 'host'],
    ['GET /healthz HTTP/1.1\r\nhost: x\r\nhost: x\r\nconnection: close\r\n\r\n', 400, 'host'],
    ['GET /healthz HTTP/1.0\r\nhost: x\r\na: b\r\nHOST: x\r\n\r\n', 400, 'host'],
    ['GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: a\r\nconnection: close\r\n\r\n', 417, 'expect'],
  ])('rejects %j with an error body and security headers', async (bytes, status, parameter) => {
    const text = await exchange(service.url, bytes)
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toContain('x-content-type-options: nosniff')
    expect(head).not.toMatch(/^0:/m)
    expect(JSON.parse(body)).toMatchObject({
      errorName: 'Default:InvalidArgument',
      parameters: { parameter },
    })
  })

  it('rejects a batch that exceeds the memory share of a caller', async () => {
    await using small = await startService({
      settings: { OQS_MEMORY_BUDGET_BYTES: String(512 * 1024 ** 2), OQS_PAGE_CACHE_BYTES: '0' },
    })
    await small.apply(NUMBERS)
    const [type] = NUMBERS.objectTypes
    const path = `/api/admin/v1/ontologies/${NUMBERS.apiName}/objects/${type?.apiName}`
    const line = `${JSON.stringify({ put: { n: 1, text: 'x'.repeat(1000) } })}\n`
    const large = await small.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: line.repeat(40_000),
    })
    expect([large.status, large.body.errorName]).toEqual([413, 'Default:RequestEntityTooLarge'])
    expect(large.body.parameters.reason).toContain('smaller parts')
    expect((await small.put(NUMBERS.apiName, type?.apiName ?? '', numbers(10))).status).toBe(200)
  })
})

describe('a connection', () => {
  const SHORT_MS = 50
  const LONG_MS = 600_000
  /** Starts a server with the connection rules of the service. */
  async function startServer(answer: 'never' | 'always', stalledMs = SHORT_MS) {
    const openRequests = new OpenRequests()
    const server = createServer((request, response) => {
      openRequests.open(request, response)?.identify('caller')
      if (answer === 'always') response.end('ok')
    })
    limitConnections(server, openRequests, { maxConnections: 3, stalledMs })
    server.keepAliveTimeout = SHORT_MS
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { server, url, [Symbol.dispose]: () => server.close().closeAllConnections() }
  }
  const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

  it('is closed when it is idle for too long', async () => {
    using started = await startServer('always')
    const socket = await open(started.url)
    socket.write(GET)
    socket.resume()
    await closeOf(socket)
  })

  it('is closed when its client stalls in the middle of a body', async () => {
    using started = await startServer('never')
    const socket = await open(started.url)
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf')
    socket.resume()
    await closeOf(socket)
  })

  it('stays open while its client waits for a response', async () => {
    using started = await startServer('never', LONG_MS)
    // Only from here on: on a busy machine, it can take longer to send the request.
    started.server.on('request', ({ socket }) => socket.setTimeout(SHORT_MS))
    const [waiting, other] = [await open(started.url), await open(started.url)]
    waiting.write(GET)
    other.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf')
    other.resume()
    await closeOf(other)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(waiting.destroyed).toBe(false)
    waiting.destroy()
  })

  it('is closed immediately when there are too many that are in use', async () => {
    using started = await startServer('never', LONG_MS)
    const sockets: Socket[] = []
    for (let index = 0; index < 3; index += 1) {
      const received = once(started.server, 'request')
      sockets.push(await open(started.url))
      sockets.at(-1)?.write(GET)
      await received
    }
    const oneTooMany = await open(started.url)
    oneTooMany.resume()
    await closeOf(oneTooMany)
    expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([])
    for (const socket of sockets) socket.destroy()
  })

  it('makes room for others as long as it has not sent a request', async () => {
    using started = await startServer('always', LONG_MS)
    started.server.keepAliveTimeout = LONG_MS
    const used = await open(started.url)
    used.write(GET)
    await once(used, 'data')
    const unused = [await open(started.url), await open(started.url)]
    const closed = unused.map((socket) => closeOf(socket.resume()))
    // Each of these would be refused if those that never sent anything stayed.
    for (const close of closed) {
      const later = await open(started.url)
      later.write(GET)
      await once(later, 'data')
      await close
    }
    expect(used.destroyed).toBe(false)
    used.destroy()
  })

  it('makes room for others when its requests are answered', async () => {
    using started = await startServer('always', LONG_MS)
    started.server.keepAliveTimeout = LONG_MS
    // Each of these would be refused if those that were answered stayed.
    for (let index = 0; index < 6; index += 1) {
      const socket = await open(started.url)
      socket.write(GET)
      expect(await Promise.race([once(socket, 'data').then(String), closeOf(socket)])).toMatch(
        /^HTTP\/1\.1 200 /,
      )
    }
  })
})
