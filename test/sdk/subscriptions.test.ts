/** Subscriptions of the official `@osdk/client`, unmodified, against a running service. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createClient } from '@osdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { NumberType } from '../support/sdk-types.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'

describe('a subscription of @osdk/client', () => {
  let place: TestStore
  let service: Service
  beforeAll(async () => {
    place = await createTestStore()
    service = await startService({ store: place.name })
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  const ridOf = async () => (await service.send('/api/v2/ontologies/numbers')).body.rid as string
  const write = (...lines: readonly object[]) => service.write('numbers', 'number', lines)

  /** Subscribes, and returns what the listener was called with. */
  async function subscribe({ where, token = ADMIN_TOKEN, url = service.url }: Wanted = {}) {
    const client = createClient(url, await ridOf(), async () => token)
    const all = client(NumberType)
    const set = where === undefined ? all : all.where(where)
    const calls: string[] = []
    const { unsubscribe } = set.subscribe({
      onChange: ({ object, state }) =>
        calls.push(`${state === 'REMOVED' ? '-' : '+'}${object.$primaryKey} ${object.text ?? ''}`),
      onSuccessfulSubscription: () => calls.push('subscribed'),
      onOutOfDate: () => calls.push('out of date'),
      onError: ({ subscriptionClosed }) => calls.push(`error ${subscriptionClosed}`),
    })
    await expect.poll(() => calls).toEqual(['subscribed'])
    return { calls, [Symbol.dispose]: unsubscribe }
  }

  /** Opens a WebSocket without the SDK. */
  async function openSocket(token: string): Promise<WebSocket> {
    const path = `/api/v2/ontologySubscriptions/ontologies/${await ridOf()}/streamSubscriptions`
    const socket = new WebSocket(service.url.replace('http', 'ws') + path, [`Bearer-${token}`])
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(socket))
      socket.once('unexpected-response', (_, { statusCode }) => {
        reject(new Error(`refused with ${statusCode}`))
        socket.terminate()
      })
      socket.on('error', reject)
    })
  }

  it('gets adds, updates and removes', async () => {
    using subscription = await subscribe()
    await write({ put: { n: 10, text: 'ten' } }, { put: { n: 1, text: 'one' } })
    await expect.poll(() => subscription.calls).toEqual(['subscribed', '+1 one', '+10 ten'])
    await write({ delete: 10 })
    await expect.poll(() => subscription.calls.at(-1)).toBe('-10 ')
  })

  it('gets what enters and leaves its filter', async () => {
    using subscription = await subscribe({ where: { text: 'in' } })
    await write({ put: { n: 1, text: 'out' } })
    await write({ put: { n: 1, text: 'in' } })
    await expect.poll(() => subscription.calls).toEqual(['subscribed', '+1 in'])
    await write({ put: { n: 1, text: 'out' } })
    await expect.poll(() => subscription.calls).toEqual(['subscribed', '+1 in', '-1 '])
  })

  it('is told to load again after a change that is too large to be told', async () => {
    using subscription = await subscribe()
    await service.put('numbers', 'number', numbers(25_000, 100))
    await expect.poll(() => subscription.calls.at(-1)).toBe('out of date')
    await write({ put: { n: 7, text: 'after' } })
    await expect.poll(() => subscription.calls.at(-1)).toBe('+7 after')
  })

  it('sees what its policies allow', async () => {
    const right = {
      ontology: 'numbers',
      objectType: 'number',
      access: 'read',
      where: { type: 'eq', field: 'text', value: 'shown' },
    }
    const path = '/api/admin/v1/policies/shown'
    await service.send(path, { method: 'PUT', json: { rights: [right] } })
    const token = await service.createToken({ name: 'subscriber', policies: ['shown'] })
    using subscription = await subscribe({ token })
    await write({ put: { n: 1, text: 'hidden' } }, { put: { n: 2, text: 'shown' } })
    await expect.poll(() => subscription.calls).toEqual(['subscribed', '+2 shown'])
  })

  it('ends when its token is revoked', async () => {
    const token = await service.createToken({ name: 'revoked' })
    const socket = await openSocket(token)
    const received = messagesOf(socket)
    const objectSet = { type: 'base', objectType: 'number' }
    socket.send(JSON.stringify({ id: 'a', requests: [{ objectSet, propertySet: [] }] }))
    await expect.poll(() => received.length).toBe(1)
    await service.revokeTokens('revoked')
    await write({ put: { n: 3, text: 'shown' } })
    expect(await closingCode(socket)).toBe(1008)
    expect(received).toHaveLength(1)
    await expect(openSocket(token)).rejects.toThrow('refused with 401')
  })

  it('survives a restart of the service, after which it must load again', async () => {
    // The client does not handle a refused connection.
    await using proxy = await startPatientProxy()
    await using first = await startService({ store: place.name })
    proxy.passTo(first.url)
    using subscription = await subscribe({ url: proxy.url })
    proxy.passTo(undefined)
    await first[Symbol.asyncDispose]()
    await using second = await startService({ store: place.name })
    proxy.passTo(second.url)
    await expect.poll(() => subscription.calls.at(-1)).toBe('out of date')
    await second.write('numbers', 'number', [{ put: { n: 4, text: 'later' } }])
    await expect.poll(() => subscription.calls.at(-1)).toBe('+4 later')
    // Before the service stops, or the client would connect again.
    subscription[Symbol.dispose]()
  })

  it('is refused with a mistake in its set, and after a message that is none', async () => {
    const socket = await openSocket(ADMIN_TOKEN)
    const received = messagesOf(socket)
    const objectSet = { type: 'base', objectType: 'none' }
    socket.send(JSON.stringify({ id: 'a', requests: [{ objectSet, propertySet: [] }] }))
    await expect
      .poll(() => received)
      .toEqual([
        {
          type: 'subscribeResponses',
          id: 'a',
          responses: [
            { type: 'error', errors: [{ error: 'ObjectTypeNotFound', args: expect.any(Array) }] },
          ],
        },
      ])
    socket.send('nonsense')
    expect(await closingCode(socket)).toBe(1008)
  })

  it('is a WebSocket only', async () => {
    const path = `/api/v2/ontologySubscriptions/ontologies/numbers/streamSubscriptions`
    const { status, body } = await service.send(path)
    expect([status, body.parameters.parameter]).toEqual([400, 'upgrade'])
    const other = await service.send('/api/v1/ontologies/numbers/objects/number?pageSize=1', {
      headers: { connection: 'close' },
    })
    expect(other.status).toBe(200)
  })
})

interface Wanted {
  readonly where?: object
  readonly token?: string
  readonly url?: string
}

function messagesOf(socket: WebSocket): unknown[] {
  const messages: unknown[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  return messages
}

async function closingCode(socket: WebSocket): Promise<number> {
  const [code] = await once(socket, 'close')
  return code
}

/** A proxy that keeps new connections waiting while it passes to nobody. */
async function startPatientProxy() {
  let target: URL | undefined
  const sockets = new Set<Socket>()
  const waiting: (() => void)[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    const pass = () => {
      if (target === undefined) waiting.push(pass)
      else {
        const upstream = connect(Number(target.port), target.hostname)
        sockets.add(upstream)
        for (const one of [socket, upstream]) one.on('error', () => one.destroy())
        socket.pipe(upstream).pipe(socket)
      }
    }
    pass()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    passTo(url: string | undefined) {
      target = url === undefined ? undefined : new URL(url)
      for (const pass of waiting.splice(0)) pass()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
