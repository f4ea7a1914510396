import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ObjectQueryError } from '../../src/contract/errors.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const CHANGES = '/api/v1/ontologies/numbers/changes/number'

interface ChangesBody {
  readonly data: readonly {
    put?: { properties: { n: number; text: string } }
    delete?: { primaryKey: number }
  }[]
  readonly nextChangesToken: string
}

const textsOf = ({ data }: ChangesBody) =>
  data.map((one) => one.put?.properties.text ?? one.delete?.primaryKey)

describe('a request that waits for changes', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const now = async (of = service, token?: string): Promise<string> =>
    (await of.send(`${CHANGES}?since=now`, token === undefined ? {} : { token })).body
      .nextChangesToken
  const put = (n: number, text: string, to = service) =>
    to.write('numbers', 'number', [{ put: { n, text } }])

  it('is answered by the next commit, and at once if there was one', async () => {
    const since = await now()
    const waiting = service.send(`${CHANGES}?since=${since}&wait=60`)
    await put(1, 'first')
    const { body } = await waiting
    expect(textsOf(body)).toEqual(['first'])
    const again = await service.send(`${CHANGES}?since=${since}&wait=60`)
    expect(textsOf(again.body)).toEqual(['first'])
  })

  it('goes on waiting after commits that it does not show', async () => {
    const filter = 'properties.text.eq=wanted'
    const { body } = await service.send(`${CHANGES}?since=now&${filter}`)
    const waiting = service.send(`${CHANGES}?since=${body.nextChangesToken}&${filter}&wait=60`)
    await put(1, 'other')
    await put(2, 'wanted')
    expect(textsOf((await waiting).body)).toEqual(['wanted'])
  })

  it('ends after its time without changes, and when the service stops', async () => {
    await using other = await startService()
    await other.apply(NUMBERS)
    const since = await now(other)
    const short = await other.send(`${CHANGES}?since=${since}&wait=1`)
    expect([short.status, short.body.data]).toEqual([200, []])
    const long = other.send(`${CHANGES}?since=${since}&wait=60`)
    // The service reads the request before it answers a later one.
    await now(other)
    await other[Symbol.asyncDispose]()
    expect((await long).body.data).toEqual([])
  })

  it('is refused once its token is revoked', async () => {
    const token = await service.createToken({ name: 'revoked' })
    const since = await now(service, token)
    const waiting = service.send(`${CHANGES}?since=${since}&wait=60`, { token })
    await now()
    await service.revokeTokens('revoked')
    await put(1, 'secret')
    expect((await waiting).status).toBe(401)
  })

  it('does not count as a request in progress', async () => {
    const settings = { OQS_MAX_CONCURRENT_REQUESTS: '2' }
    await using other = await startService({ settings })
    await other.apply(NUMBERS)
    const since = await now(other)
    const waiting: Promise<{ body: ChangesBody }>[] = []
    for (let n = 0; n < 10; n += 1) {
      waiting.push(other.send(`${CHANGES}?since=${since}&wait=60`))
      await expect.poll(async () => (await other.send(`${CHANGES}?since=now`)).status).toBe(200)
    }
    await put(1, 'all', other)
    const statuses = await Promise.all(waiting.map(async (one) => textsOf((await one).body)))
    expect(statuses).toEqual(Array.from({ length: 10 }, () => ['all']))
  })

  it('is answered with a token if there is more than a page of changes', async () => {
    const since = await now()
    const waiting = service.send(`${CHANGES}?since=${since}&wait=60&pageSize=2`)
    await now()
    await service.put('numbers', 'number', numbers(5, 100))
    const { body } = await waiting
    expect(body.nextPageToken).toBe(undefined)
    const path = `${CHANGES}?since=${body.nextChangesToken}&pageSize=2`
    const { body: first } = await service.send(path)
    const { body: second } = await service.send(`${path}&pageToken=${first.nextPageToken}`)
    expect([first.data.length, second.data.length]).toEqual([2, 2])
  })

  it('rejects a time that is too long', async () => {
    const { status, body } = await service.send(`${CHANGES}?since=now&wait=61`)
    expect([status, body.parameters.parameter]).toEqual([400, 'wait'])
  })
})

describe('a stream of changes', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const put = (n: number, text: string) =>
    service.write('numbers', 'number', [{ put: { n, text } }])

  it('has an event for every range of changes, and goes on from the last id', async () => {
    await using stream = await openStream(service, `${CHANGES}?since=now`)
    const { id: start } = await stream.next()
    await put(1, 'one')
    const first = await stream.next()
    expect(textsOf(first.data as ChangesBody)).toEqual(['one'])
    await service.write('numbers', 'number', [{ delete: 1 }, { put: { n: 2, text: 'two' } }])
    const second = await stream.next()
    expect(textsOf(second.data as ChangesBody)).toEqual([1, 'two'])
    expect([first.id, second.id]).toEqual([
      expect.stringMatching(/^v1\./),
      expect.stringMatching(/^v1\./),
    ])

    await using again = await openStream(service, `${CHANGES}?since=now`, {
      'last-event-id': start ?? '',
    })
    expect(textsOf((await again.next()).data as ChangesBody)).toEqual(['two'])
  })

  it('has pages without an id until the last of a range', async () => {
    const { body } = await service.send(`${CHANGES}?since=now`)
    await service.put('numbers', 'number', numbers(5, 10))
    const path = `${CHANGES}?since=${body.nextChangesToken}&pageSize=2`
    await using stream = await openStream(service, path)
    const events = [await stream.next(), await stream.next(), await stream.next()]
    expect(events.map(({ data }) => textsOf(data as ChangesBody).length)).toEqual([2, 2, 1])
    expect(events.map(({ id }) => id !== undefined)).toEqual([false, false, true])
  })

  it('ends with an error if the token is revoked, and when the service stops', async () => {
    const token = await service.createToken({ name: 'streaming' })
    const headers = { authorization: `Bearer ${token}` }
    await using stream = await openStream(service, `${CHANGES}?since=now`, headers)
    await stream.next()
    await service.revokeTokens('streaming')
    await put(3, 'hidden')
    const error = await stream.next()
    expect([error.event, (error.data as { errorName: string }).errorName]).toEqual([
      'error',
      'Default:Unauthorized',
    ])

    await using other = await startService()
    await other.apply(NUMBERS)
    await using last = await openStream(other, `${CHANGES}?since=now`)
    await last.next()
    await other[Symbol.asyncDispose]()
    expect(await last.next()).toEqual({})
  })

  it('shares one read with the others of its caller that follow the same', async () => {
    const streams = await Promise.all(
      Array.from({ length: 40 }, () => openStream(service, `${CHANGES}?since=now&pageSize=2`)),
    )
    for (const stream of streams) await stream.next()
    const reads = vi.spyOn(service.store, 'listChanges')
    await service.put('numbers', 'number', numbers(3, 1000))
    for (const stream of streams) {
      const pages = [await stream.next(), await stream.next()]
      expect(pages.map(({ data }) => (data as ChangesBody).data.length)).toEqual([2, 1])
    }
    // Two pages each.
    expect(reads.mock.calls.length).toBeLessThan(40)
    for (const stream of streams) await stream[Symbol.asyncDispose]()
  })

  it('goes on when the service was too busy to read the changes', async () => {
    await using stream = await openStream(service, `${CHANGES}?since=now`)
    await stream.next()
    const busy = new ObjectQueryError('TooManyRequests', { reason: 'Too many.' })
    const reads = vi.spyOn(service.store, 'listChanges').mockRejectedValueOnce(busy)
    await put(7, 'later')
    expect(textsOf((await stream.next()).data as ChangesBody)).toEqual(['later'])
    expect(reads.mock.calls.length).toBeGreaterThan(1)
  })

  it('gets a new token before the last one is too old', async () => {
    await using other = await startService({
      settings: {
        OQS_CHANGES_MAX_AGE_SECONDS: '1',
        OQS_SNAPSHOT_MAX_AGE_SECONDS: '1',
        OQS_PAGE_TOKEN_TTL_SECONDS: '1',
      },
    })
    await other.apply(NUMBERS)
    await using stream = await openStream(other, `${CHANGES}?since=now`)
    const ids = [await stream.next(), await stream.next()].map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
  })

  it('of a client that does not read ends with the service', async () => {
    await using other = await startService()
    await other.apply(NUMBERS)
    const unread = await openUnread(other)
    await other.put('numbers', 'number', MORE_THAN_BUFFERS)
    await other[Symbol.asyncDispose]()
    await unread.untilClosed()
  })

  it('is closed if its client does not read for too long', async () => {
    await using other = await startService({ stalledStreamMs: 100 })
    await other.apply(NUMBERS)
    const unread = await openUnread(other)
    expect(await followersOf(other)).toBe(1)
    await other.put('numbers', 'number', MORE_THAN_BUFFERS)
    await expect.poll(() => followersOf(other)).toBe(0)
    await unread.untilClosed()
  })

  it('answers clients that prefer JSON, and those that want the head only', async () => {
    for (const options of [
      { headers: { accept: 'application/json, text/event-stream;q=0.1' } },
      { method: 'HEAD', headers: { accept: 'text/event-stream' } },
    ]) {
      const { status, headers } = await service.send(`${CHANGES}?since=now`, options)
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    }
  })

  it('answers a mistake with its status', async () => {
    const { status, body } = await service.send(`${CHANGES}?since=v1.forged`, {
      headers: { accept: 'text/event-stream' },
    })
    expect([status, body.errorName]).toEqual([400, 'InvalidPageToken'])
  })
})

/** More than the buffers of a connection hold. */
const MORE_THAN_BUFFERS = numbers(32).map((object) => ({ ...object, text: 'x'.repeat(500_000) }))

async function followersOf(service: Service): Promise<number> {
  const { text } = await service.send('/metrics')
  return Number(/^oqs_followers (\d+)$/m.exec(text)?.[1])
}

interface StreamEvent {
  readonly id?: string
  readonly event?: string
  readonly data?: unknown
}

/** Opens a stream; an event without members is its end. */
async function openStream(
  service: Service,
  path: string,
  headers: Record<string, string> = {},
): Promise<AsyncDisposable & { next(): Promise<StreamEvent> }> {
  const all = { accept: 'text/event-stream', authorization: `Bearer ${ADMIN_TOKEN}`, ...headers }
  const request = get(service.url + path, { headers: all })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect(response.headers['content-type']).toBe('text/event-stream')
  const events = eventsOf(response)
  return {
    next: async () => (await events.next()).value ?? {},
    [Symbol.asyncDispose]: async () => {
      response.destroy()
      request.destroy()
    },
  }
}

/** Opens a stream that is not read after its first event. */
async function openUnread(service: Service): Promise<{ untilClosed(): Promise<void> }> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const head = [
    `GET ${CHANGES}?since=now HTTP/1.1`,
    'host: x',
    'accept: text/event-stream',
    `authorization: Bearer ${ADMIN_TOKEN}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  let text = ''
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    text += part
    if (text.includes('id: ')) break
  }
  socket.pause().on('error', () => {})
  const closed = once(socket, 'close')
  return {
    untilClosed: async () => {
      socket.resume()
      await closed
    },
  }
}

async function* eventsOf(response: IncomingMessage): AsyncGenerator<StreamEvent> {
  let text = ''
  response.setEncoding('utf8')
  for await (const part of response) {
    text += part
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const members = lines
        .filter((line) => !line.startsWith(':'))
        .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)])
      const { data, ...others } = Object.fromEntries(members)
      if (members.length > 0) yield { ...others, ...(data && { data: JSON.parse(data) }) }
    }
  }
}
