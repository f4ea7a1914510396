import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/server/config.ts'
import { type Server, startServer } from '../../src/server/server.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, startService } from '../support/service.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Longer than any test, so that nothing ends because of this timeout. */
const IDLE_GRACE_MS = 600_000

const OBJECTS = '/api/v1/ontologies/numbers/objects/number'
const BATCH = '/api/admin/v1/ontologies/numbers/objects/number'

const folder = tempFolder()
const config = readConfig({
  OQS_PORT: '0',
  OQS_STORE: `sqlite:${join(folder.path, 'oqs.db')}`,
  OQS_ADMIN_TOKEN: ADMIN_TOKEN,
  OQS_LOG_LEVEL: 'silent',
})
beforeAll(async () => {
  await using service = await startService({ store: config.OQS_STORE })
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(5))
})
afterAll(() => folder[Symbol.dispose]())

/** Starts a service without connections. */
const start = () => startServer(config, { log: () => {}, idleGraceMs: IDLE_GRACE_MS })

/** A client with one keep-alive connection. */
class KeepAliveClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #url: string

  constructor({ url }: Server) {
    this.#url = url
  }

  open(method: string, path: string): ClientRequest {
    const contentType = path === BATCH ? 'application/x-ndjson' : 'application/json'
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': contentType }
    return request(this.#url + path, { method, headers, agent: this.#agent })
  }

  async get(path: string) {
    return await responseTo(this.open('GET', path).end())
  }
}

async function responseTo(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  await text(response)
  const { statusCode: status, headers } = response
  return { status, connection: headers.connection }
}

describe('a service that stops', () => {
  it('serves requests on open connections, and closes these with the response', async () => {
    const service = await start()
    const paths: readonly [path: string, status: number][] = [
      [OBJECTS, 200],
      [`${OBJECTS}/3`, 200],
      ['/api/v1/ontologies', 200],
      ['/api/admin/v1/ontologies/numbers/objects/number/export', 200],
      ['/healthz', 200],
      ['/nowhere', 404],
    ]
    const clients = await Promise.all(
      paths.map(async ([path, status]) => {
        const client = new KeepAliveClient(service)
        expect(await client.get(path)).toEqual({ status, connection: 'keep-alive' })
        return client
      }),
    )
    const stopped = service[Symbol.asyncDispose]()
    for (const [index, [path, status]] of paths.entries()) {
      expect(await clients[index]?.get(path)).toEqual({ status, connection: 'close' })
    }
    await stopped
  })

  it('closes the connection of a request in progress with its response', async () => {
    const service = await start()
    const client = new KeepAliveClient(service)
    const batch = client.open('POST', BATCH)
    batch.write('{"put":{"n":1}}\n')
    // A response on a later connection shows that the service has accepted this one, too.
    await once(batch, 'socket')
    const other = new KeepAliveClient(service)
    await other.get('/healthz')
    const stopped = service[Symbol.asyncDispose]()
    const response = responseTo(batch)
    batch.end('{"put":{"n":2}}\n')
    expect(await response).toEqual({ status: 200, connection: 'close' })
    await other.get('/healthz')
    await stopped
  })

  it('serves the request after a response without connection: close', async () => {
    const service = await start()
    const client = new KeepAliveClient(service)
    let stopped: PromiseLike<void> | undefined
    let last = await client.get(OBJECTS)
    for (let count = 1; last.connection !== 'close'; count += 1) {
      if (count === 10) stopped = service[Symbol.asyncDispose]()
      last = await client.get(OBJECTS)
      expect(last.status).toBe(200)
    }
    await stopped
  })

  it('accepts no new connection', async () => {
    const service = await start()
    const client = new KeepAliveClient(service)
    await client.get('/healthz')
    const stopped = service[Symbol.asyncDispose]()
    const { hostname, port } = new URL(service.url)
    await expect(once(connect(Number(port), hostname), 'connect')).rejects.toThrow('ECONNREFUSED')
    expect((await client.get('/healthz')).connection).toBe('close')
    await stopped
  })
})
