import { once } from 'node:events'
import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Timer } from '../../admission/timer.ts'
import { DiscardedBodies } from './discarded-bodies.ts'

const BODY_BYTES = 2_000_000
/** A slice, and what was received before the body was paused. */
const MOST_BYTES_AT_ONCE = 256 * 1024

/** Time passes only when a test says so. */
class StoppedTimer implements Timer {
  readonly now = () => 0
  #callback: (() => void) | undefined
  readonly after: Timer['after'] = (_ms, callback) => {
    this.#callback = callback
    return () => {}
  }

  get isWaiting(): boolean {
    return this.#callback !== undefined
  }

  elapse(): void {
    const callback = this.#callback
    this.#callback = undefined
    callback?.()
  }
}

/** Waits until a value is as expected. */
function until<T>(read: () => T) {
  return expect.poll(read, { interval: 1, timeout: 20_000 })
}

describe('discarded bodies', () => {
  it('are read in slices after the response, until the next request can be answered', async () => {
    const timer = new StoppedTimer()
    const { received, client } = await startServer(timer)
    const responses = countResponses(client)
    client.write(post(BODY_BYTES))
    client.write(post(0))
    await until(() => timer.isWaiting && responses.count).toBe(1)
    let bytes = received()
    expect(bytes).toBeLessThan(MOST_BYTES_AT_ONCE)
    while (responses.count < 2) {
      timer.elapse()
      await until(() => timer.isWaiting || responses.count === 2).toBe(true)
      expect(received() - bytes).toBeLessThan(MOST_BYTES_AT_ONCE)
      bytes = received()
    }
    expect(bytes).toBeGreaterThan(BODY_BYTES)
  })

  it('share one rate', async () => {
    const timer = new StoppedTimer()
    const { received, connectClient } = await startServer(timer)
    const clients = [await connectClient(), await connectClient(), await connectClient()]
    const responses = clients.map(countResponses)
    for (const client of clients) client.write(post(BODY_BYTES))
    await until(() => responses.map(({ count }) => count)).toEqual([1, 1, 1])
    const before = 3 * MOST_BYTES_AT_ONCE
    for (let slices = 1; slices <= 8; slices += 1) {
      await until(() => timer.isWaiting).toBe(true)
      expect(received()).toBeLessThan(before + slices * MOST_BYTES_AT_ONCE)
      timer.elapse()
    }
  })

  it('do not wait if they are short', async () => {
    const timer = new StoppedTimer()
    const { client } = await startServer(timer)
    const responses = countResponses(client)
    for (let n = 0; n < 10; n += 1) client.write(post(1000))
    await until(() => responses.count).toBe(10)
    expect(timer.isWaiting).toBe(false)
  })

  it('are forgotten when their client leaves', async () => {
    const timer = new StoppedTimer()
    const { connectClient } = await startServer(timer)
    const [leaving, staying] = [await connectClient(), await connectClient()]
    const responses = [countResponses(leaving), countResponses(staying)]
    leaving.write(post(BODY_BYTES))
    await until(() => timer.isWaiting).toBe(true)
    leaving.destroy()
    staying.write(Buffer.concat([post(BODY_BYTES), post(0)]))
    while (responses[1]?.count !== 2) {
      await until(() => timer.isWaiting || responses[1]?.count === 2).toBe(true)
      timer.elapse()
    }
  })
})

/** Starts a server that answers each request before it reads the body. */
async function startServer(timer: Timer) {
  const bodies = new DiscardedBodies(timer)
  class Response extends ServerResponse {
    constructor(...args: ConstructorParameters<typeof ServerResponse>) {
      super(...args)
      this.once('finish', () => bodies.discard(args[0] as IncomingMessage))
    }
  }
  const server = createServer({ ServerResponse: Response }, (_request, response) => response.end())
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const connectClient = async () => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => {})
    onTestFinished(() => void client.destroy())
    await once(client, 'connect')
    return client
  }
  const received = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  return { received, connectClient, client: await connectClient() }
}

function post(bytes: number): Buffer {
  const head = `POST / HTTP/1.1\r\nhost: test\r\ncontent-length: ${bytes}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 'x')])
}

function countResponses(client: Socket): { readonly count: number } {
  let text = ''
  client.on('data', (piece) => {
    text += piece.toString('latin1')
  })
  return {
    get count() {
      return text.split('HTTP/1.1 200').length - 1
    },
  }
}
