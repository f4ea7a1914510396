import { once } from 'node:events'
import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Timer } from '../../admission/timer.ts'
import { DiscardedBodies } from './discarded-bodies.ts'

const BODY_BYTES = 2_000_000
const SLICE_BYTES = 64 * 1024
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

  it('are forgotten when their connection is closed', async () => {
    const timer = new StoppedTimer()
    const { connectClient, sockets } = await startServer(timer)
    const [leaving, staying] = [await connectClient(), await connectClient()]
    const responses = countResponses(staying)
    leaving.write(post(BODY_BYTES))
    await until(() => timer.isWaiting).toBe(true)
    for (const socket of sockets) if (socket.remotePort === leaving.localPort) socket.destroy()
    staying.write(Buffer.concat([post(BODY_BYTES), post(0)]))
    await until(() => responses.count).toBe(1)
    let slices = 0
    for (; responses.count < 2; slices += 1) {
      await until(() => timer.isWaiting || responses.count === 2).toBe(true)
      timer.elapse()
    }
    // The body of the closed connection takes no turn.
    expect(slices).toBeLessThanOrEqual(BODY_BYTES / SLICE_BYTES + 1)
  })

  it('of callers are read in turns', async () => {
    const timer = new StoppedTimer()
    const { connectClient, received } = await startServer(timer)
    const many = [await connectClient(), await connectClient(), await connectClient()]
    const other = await connectClient()
    const responses = countResponses(other)
    for (const client of many) client.write(post(BODY_BYTES, 'many'))
    other.write(Buffer.concat([post(BODY_BYTES, 'other'), post(0, 'other')]))
    await until(() => responses.count).toBe(1)
    let slices = 0
    for (; responses.count < 2; slices += 1) {
      await until(() => timer.isWaiting || responses.count === 2).toBe(true)
      const before = received()
      timer.elapse()
      // The body must wait again before the next turn.
      await until(() => received() >= before + SLICE_BYTES || responses.count === 2).toBe(true)
    }
    // Every second turn, although the other caller has three bodies.
    expect(slices).toBeLessThan((2.5 * BODY_BYTES) / SLICE_BYTES)
  })

  it('are not read further when the service stops', async () => {
    const timer = new StoppedTimer()
    let isStopping = false
    const { client } = await startServer(timer, () => isStopping)
    const responses = countResponses(client)
    const closed = new Promise((resolve) => client.once('close', resolve))
    client.write(post(BODY_BYTES))
    await until(() => timer.isWaiting && responses.count).toBe(1)
    isStopping = true
    timer.elapse()
    await closed
    expect(timer.isWaiting).toBe(false)
  })
})

/** Starts a server that answers each request before it reads the body. */
async function startServer(timer: Timer, isStopping = () => false) {
  const bodies = new DiscardedBodies(isStopping, timer)
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
  return { received, connectClient, sockets, client: await connectClient() }
}

function post(bytes: number, caller = 'test'): Buffer {
  const lines = ['POST / HTTP/1.1', 'host: test', `authorization: Bearer ${caller}`]
  const head = [...lines, `content-length: ${bytes}`, '', ''].join('\r\n')
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
