/** What waits for clients that do not read: it is shared, counted for its caller, and limited. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const CHANGES = '/api/v1/ontologies/numbers/changes/number'
const SOCKETS = '/api/v2/ontologySubscriptions/ontologies/numbers/streamSubscriptions'
const FOLLOWERS = 20
/** More than the buffers of a connection hold: four pages. */
const LARGE = numbers(32).map((object) => ({ ...object, text: 'x'.repeat(500_000) }))
const PAGE_BYTES = 4 * 1024 ** 2

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
})
afterAll(() => service[Symbol.asyncDispose]())

describe('followers of one caller that do not read', () => {
  it('share what waits in their event streams', async () => {
    await using clients = await openRequests(`${CHANGES}?since=now`, 'text/event-stream')
    await clients.untilFollowing()
    await service.put('numbers', 'number', LARGE)
    expect(await heldBytes()).toBeLessThan(3 * PAGE_BYTES)
  })

  it('get one update at a time on each WebSocket', async () => {
    await using client = await openWebSocket(service)
    const base = { type: 'base', objectType: 'number' }
    const requests = Array.from({ length: FOLLOWERS }, (_, n) => ({
      objectSet: { type: 'filter', objectSet: base, where: { type: 'gt', field: 'n', value: -n } },
    }))
    client.socket.send(JSON.stringify({ id: 'a', requests }))
    await once(client.socket, 'message')
    client.socket.pause()
    await service.put('numbers', 'number', LARGE)
    expect(await heldBytes()).toBeLessThan(3 * PAGE_BYTES)
  })
})

describe('a WebSocket', () => {
  it('is closed when its client reads nothing for too long, although it sends', async () => {
    await using other = await startService({ stalledStreamMs: 100 })
    await other.apply(NUMBERS)
    await using client = await openWebSocket(other)
    const objectSet = { type: 'base', objectType: 'number' }
    client.socket.send(JSON.stringify({ id: 'a', requests: [{ objectSet }] }))
    await once(client.socket, 'message')
    client.socket.pause()
    await other.put('numbers', 'number', LARGE)
    const sending = setInterval(() => client.socket.pong(), 10)
    await expect.poll(() => metric(other, /^oqs_followers (\d+)$/m)).toBe(0)
    clearInterval(sending)
  })

  it('answers the last of several pings that arrive together', async () => {
    await using client = await openWebSocket(service)
    const pongs: string[] = []
    client.socket.on('pong', (data) => pongs.push(String(data)))
    client.sendTogether(() => {
      for (let n = 1; n <= 50; n += 1) client.socket.ping(`${n}`)
    })
    await expect.poll(() => pongs.at(-1)).toBe('50')
    expect(pongs.length).toBeLessThan(10)
    // They are no part of a message.
    expect(await metric(service, USED)).toBe(0)
  })

  it('ends if its client sends ever more pings without waiting for an answer', async () => {
    await using client = await openWebSocket(service)
    client.socket.pause()
    client.sendTogether(() => {
      for (let n = 0; n < 5000; n += 1) client.socket.ping()
    })
    client.socket.resume()
    await client.closed
  })
})

const USED = /^oqs_request_memory_bytes\{kind="used"\} (\d+)$/m

async function metric({ send }: Service, pattern: RegExp): Promise<number> {
  return Number(pattern.exec((await send('/metrics')).text)?.[1])
}

/** Returns the memory that requests hold, once that no longer changes while others are served. */
async function heldBytes(): Promise<number> {
  await expect.poll(() => metric(service, USED)).toBeGreaterThan(0)
  for (let unchanged = 0, last = -1; ; ) {
    const used = await metric(service, USED)
    unchanged = used === last ? unchanged + 1 : 0
    last = used
    if (unchanged === 50) return last
  }
}

/** Sends requests, and reads nothing but the start of their responses. */
async function openRequests(path: string, accept: string) {
  const { hostname, port } = new URL(service.url)
  const head = ['host: x', `accept: ${accept}`, `authorization: Bearer ${ADMIN_TOKEN}`]
  const sockets: Socket[] = []
  for (let n = 0; n < FOLLOWERS; n += 1) {
    const socket = connect(Number(port), hostname).on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
  }
  const followers = () => metric(service, /^oqs_followers (\d+)$/m)
  return {
    untilFollowing: () => expect.poll(followers).toBe(FOLLOWERS),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await expect.poll(followers).toBe(0)
    },
  }
}

async function openWebSocket({ url }: Service) {
  const socket = new WebSocket(url.replace('http', 'ws') + SOCKETS, [`Bearer-${ADMIN_TOKEN}`])
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  const upgraded = once(socket, 'upgrade')
  await once(socket, 'open')
  const [{ socket: connection }] = (await upgraded) as [{ readonly socket: Socket }]
  return {
    socket,
    closed,
    /** Sends frames in as few packets as possible. */
    sendTogether(send: () => void) {
      connection.cork()
      send()
      connection.uncork()
    },
    async [Symbol.asyncDispose]() {
      socket.terminate()
      await closed
    },
  }
}
