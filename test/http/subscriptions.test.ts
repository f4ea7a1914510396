/** What one client of subscriptions can take from the service. */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Followers, Watch } from '../../src/service/changes/followers.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const ALL = { objectSet: { type: 'base', objectType: 'number' }, propertySet: [] }

describe('a WebSocket of subscriptions', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.apply(NUMBERS)
    await service.put('numbers', 'number', numbers(3))
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('is not read while its client does not read the responses', async () => {
    await using client = await connect(service)
    client.socket.pause()
    // Each response repeats most of its message.
    const objectSet = { type: 'base', objectType: 'x'.repeat(1000) }
    const message = { id: 'a', requests: Array(100).fill({ objectSet }) }
    for (let n = 0; n < 250; n += 1) void client.send(message)
    expect(await unsentBytes(service, client.socket)).toBeGreaterThan(0)
  })

  it('counts what has arrived of a message as memory of its caller', async () => {
    await using client = await connect(service)
    client.socket.send(`{"id": "a", "requests": [${' '.repeat(500_000)}`, { fin: false })
    await expect.poll(() => usedMemory(service)).toBeGreaterThanOrEqual(500_000)
    client.socket.send(']}')
    await expect.poll(() => client.messages).toMatchObject([{ id: 'a', responses: [] }])
    expect(await usedMemory(service)).toBe(0)
  })

  it('refuses an id that is no id', async () => {
    await using client = await connect(service)
    await client.send({ id: 'x'.repeat(101), requests: [] })
    expect(await client.closed).toEqual([1008, expect.stringContaining('id of up to 100')])
  })

  it('says what is wrong with a message that it cannot read', async () => {
    const nested = `{"id": "a", "requests": [{"objectSet": ${'['.repeat(300_000)}${']'.repeat(300_000)}}]}`
    for (const [message, reason] of [
      ['nonsense', 'message is not JSON'],
      ['{"id": 1}', 'must have an id'],
      [nested, 'is nested too deeply'],
    ] as const) {
      await using client = await connect(service)
      client.socket.send(message)
      expect(await client.closed).toEqual([1008, expect.stringContaining(reason)])
    }
  })

  it.each([
    { branch: 'feature' },
    { scenarioRid: 'ri.scenario' },
    { referenceSet: ['track'] },
    { objectLoadingResponseOptions: { shouldLoadMarkings: true } },
  ])('refuses a subscription with %o, which would have no effect', async (members) => {
    await using client = await connect(service)
    await client.send({ id: 'a', requests: [{ ...ALL, ...members }, ALL] })
    const [[name = '', value = {}] = []] = Object.entries<object | string>(members)
    const option = typeof value === 'string' || Array.isArray(value) ? [] : Object.keys(value)
    const parameter = { name: 'parameter', value: ['request', name, ...option].join('.') }
    const error = {
      error: 'Conjure:UnprocessableEntity',
      args: expect.arrayContaining([parameter]),
    }
    const responses = [{ type: 'error', errors: [error] }, { type: 'success' }]
    await expect.poll(() => client.messages).toMatchObject([{ id: 'a', responses }])
    await client.send({ id: 'b', requests: [], ...members })
    expect(await client.closed).toEqual([1008, expect.stringContaining(`message.${name}`)])
  })

  it('refuses parameters of its path that would have no effect', async () => {
    const path = `/api/v2/ontologySubscriptions/ontologies/numbers/streamSubscriptions`
    const refusal = async (query: string) => {
      const { status, body } = await service.send(`${path}?${query}`)
      return [status, body.errorName, body.parameters.parameter]
    }
    expect(await refusal('branch=feature')).toEqual([404, 'FoundryBranchNotFound', undefined])
    expect(await refusal('scenarioRid=a')).toEqual([400, 'Default:InvalidArgument', 'scenarioRid'])
  })

  it('sends updates without RIDs to clients that do not load them', async () => {
    await using client = await connect(service)
    const objectLoadingResponseOptions = { shouldLoadObjectRids: false }
    await client.send({ id: 'a', requests: [{ ...ALL, objectLoadingResponseOptions }, ALL] })
    await expect.poll(() => client.messages.length).toBe(1)
    await service.write('numbers', 'number', [{ put: { n: 0, text: 'new' } }])
    await expect.poll(() => client.messages.length).toBe(3)
    const updates = client.messages.slice(1).map((message) => JSON.stringify(message))
    expect(updates.map((update) => update.includes('"__rid"')).sort()).toEqual([false, true])
  })

  it('leaves nothing behind of sets that it does not follow', async () => {
    const DATED = {
      apiName: 'event',
      primaryKey: 'id',
      properties: { id: { type: 'integer' }, at: { type: 'timestamp' } } as const,
    }
    await service.apply({ apiName: 'dated', objectTypes: [DATED] })
    using watches = observeWatches()
    await using client = await connect(service, ADMIN_TOKEN, 'dated')
    const base = { type: 'base', objectType: 'event' }
    const start = { type: 'relativePoint', value: -1, timeUnit: 'DAY' }
    const where = {
      type: 'relativeDateRange',
      field: 'at',
      relativeStartTime: start,
      timeZoneId: 'UTC',
    }
    await client.send({
      id: 'a',
      requests: [{ objectSet: { type: 'filter', objectSet: base, where } }],
    })
    const refused = { type: 'error', errors: [{ error: 'Default:InvalidArgument' }] }
    await expect.poll(() => client.messages).toMatchObject([{ responses: [refused] }])
    expect([watches.started(), watches.open()]).toEqual([1, 0])
    // The first set can be followed, but the message cannot be read.
    const nested = `${'['.repeat(300_000)}${']'.repeat(300_000)}`
    client.socket.send(
      `{"id": "b", "requests": [{"objectSet": ${JSON.stringify(base)}}, {"objectSet": ${nested}}]}`,
    )
    expect(await client.closed).toEqual([1008, expect.stringContaining('nested too deeply')])
    await expect.poll(watches.open).toBe(0)
  })

  it('is refused to web sites that may not call the service', async () => {
    const settings = { OQS_CORS_ORIGINS: 'https://app.example' }
    await using listed = await startService({ settings })
    await using everyone = await startService({ settings: { OQS_CORS_ORIGINS: '*' } })
    const other = 'https://other.example'
    for (const [target, origin, isAllowed] of [
      [listed, 'https://app.example', true],
      [listed, listed.url, true],
      [listed, undefined, true],
      [listed, other, false],
      [service, other, false],
      [service, 'null', false],
      [everyone, other, true],
    ] as const) {
      const client = connect(target, ADMIN_TOKEN, 'numbers', origin)
      if (isAllowed) await (await client)[Symbol.asyncDispose]()
      else await expect(client).rejects.toThrow('403')
    }
  })

  it('starts a subscription again that was closed', async () => {
    await service.apply({ ...NUMBERS, apiName: 'again', families: [] })
    await using other = await connect(service, ADMIN_TOKEN, 'again')
    await other.send({ id: 'a', requests: [ALL] })
    await expect.poll(() => other.messages.length).toBe(1)
    const path = '/api/admin/v1/ontologies/again/objectTypes/number'
    await service.send(path, { method: 'DELETE' })
    await expect.poll(() => other.messages.at(-1)).toMatchObject({ type: 'subscriptionClosed' })
    await other.send({ id: 'b', requests: [ALL] })
    await expect
      .poll(() => other.messages.at(-1))
      .toMatchObject({ id: 'b', responses: [{ type: 'error' }] })
    await service.apply({ ...NUMBERS, apiName: 'again', families: [] })
    await other.send({ id: 'c', requests: [ALL] })
    await expect
      .poll(() => other.messages.at(-1))
      .toMatchObject({ id: 'c', responses: [{ type: 'success' }] })
    await service.put('again', 'number', numbers(1))
    await expect.poll(() => other.messages.at(-1)).toMatchObject({ type: 'objectSetChanged' })
  })

  it('closes with the next message of a caller whose token was revoked, or with the next ping', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const token = await service.createToken({ name: 'gone' })
    await using talking = await connect(service, token)
    await using silent = await connect(service, token)
    await service.revokeTokens('gone')
    await talking.send({ id: 'a', requests: [ALL] })
    expect(await talking.closed).toEqual([1008, expect.stringContaining('Unauthorized')])
    expect(talking.messages).toEqual([])
    vi.advanceTimersByTime(60_000)
    expect(await silent.closed).toEqual([1008, expect.stringContaining('Unauthorized')])
    vi.useRealTimers()
  })

  it('counts each message as a request of the caller', async () => {
    await using limited = await startService({ settings: { OQS_RATE_LIMIT_PER_MINUTE: '10' } })
    await limited.apply(NUMBERS)
    const token = await limited.createToken()
    await using client = await connect(limited, token)
    for (let n = 0; n < 20; n += 1) void client.send({ id: `${n}`, requests: [ALL] })
    expect(await client.closed).toEqual([1013, expect.stringContaining('10 requests')])
    expect(client.messages.length).toBe(9)
    expect((await limited.send('/api/v2/ontologies/numbers', { token })).status).toBe(429)
  })
})

describe('the audit log', () => {
  it('records what a WebSocket has sent when it is closed', async () => {
    await using service = await startService({ settings: { OQS_AUDIT: 'all' } })
    await service.apply(NUMBERS)
    const client = await connect(service)
    await client.send({ id: 'a', requests: [ALL] })
    await expect.poll(() => client.messages.length).toBe(1)
    await service.put('numbers', 'number', numbers(3))
    await expect.poll(() => client.messages.length).toBe(2)
    await client[Symbol.asyncDispose]()
    const path = '/api/admin/v1/audit?operation=streamSubscriptions'
    await expect
      .poll(async () => (await service.send(path)).body.data)
      .toMatchObject([{ ontology: 'numbers', objectTypes: ['number'], objects: 3 }])
    const { text } = await service.send('/metrics')
    expect(text).toMatch(/oqs_http_requests?_.*streamSubscriptions.*status="101"/)
  })
})

describe('a caller that follows changes', () => {
  const path = '/api/v1/ontologies/numbers/changes/number?since=now'

  it('can use half of the connections for it, and then gets 429', async () => {
    await using service = await startService({ settings: { OQS_MAX_CONNECTIONS: '8' } })
    await service.apply(NUMBERS)
    const token = await service.createToken()
    const [one, two] = [await connect(service, token), await connect(service, token)]
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` }
    const streams = new AbortController()
    const open = () => fetch(service.url + path, { headers, signal: streams.signal })
    expect([(await open()).status, (await open()).status]).toEqual([200, 200])
    const refused = await open()
    expect(refused.status).toBe(429)
    expect(await refused.text()).toContain('More than 4 requests, streams and WebSockets')
    await expect(connect(service, token)).rejects.toThrow('429')
    // Others, and other requests of the caller, are served.
    await using other = await connect(service)
    expect(other.messages).toEqual([])
    expect((await service.send(path, { token })).status).toBe(200)
    await one[Symbol.asyncDispose]()
    await two[Symbol.asyncDispose]()
    await expect.poll(async () => (await open()).status).toBe(200)
    streams.abort()
  })
})

interface Client extends AsyncDisposable {
  readonly socket: WebSocket
  readonly messages: unknown[]
  /** Resolves to the code and the reason with which the connection was closed. */
  readonly closed: Promise<[number, string]>
  /** Resolves when the message was passed to the network. */
  send(message: object): Promise<void>
}

async function connect(
  service: Service,
  token = ADMIN_TOKEN,
  ontology = 'numbers',
  origin?: string,
): Promise<Client> {
  const path = `/api/v2/ontologySubscriptions/ontologies/${ontology}/streamSubscriptions`
  const url = service.url.replace('http', 'ws') + path
  const socket = new WebSocket(url, [`Bearer-${token}`], origin === undefined ? {} : { origin })
  const messages: unknown[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  const closed = once(socket, 'close').then(([code, reason]): [number, string] => [
    code,
    `${reason}`,
  ])
  // A refused connection has no other end than its error.
  closed.catch(() => {})
  await once(socket, 'open')
  return {
    socket,
    messages,
    closed,
    send: (message) =>
      new Promise((resolve) => socket.send(JSON.stringify(message), () => resolve())),
    async [Symbol.asyncDispose]() {
      socket.terminate()
      await closed
    },
  }
}

/** Returns the bytes that a socket has not sent, once that no longer changes while others are served. */
async function unsentBytes(service: Service, socket: WebSocket): Promise<number> {
  for (let unchanged = 0, last = -1; ; ) {
    await service.send('/healthz')
    unchanged = socket.bufferedAmount === last ? unchanged + 1 : 0
    last = socket.bufferedAmount
    if (last === 0 || unchanged === 100) return last
  }
}

/** Observes what is watched from now on. */
function observeWatches() {
  const started = vi.spyOn(Followers.prototype, 'watch')
  const ended = vi.spyOn(Watch.prototype, Symbol.dispose)
  const open = () =>
    started.mock.results.filter(({ value }) => !ended.mock.contexts.includes(value)).length
  return {
    started: () => started.mock.calls.length,
    open,
    [Symbol.dispose]() {
      started.mockRestore()
      ended.mockRestore()
    },
  }
}

async function usedMemory(service: Service): Promise<number> {
  const { text } = await service.send('/metrics')
  return Number(/^oqs_request_memory_bytes\{kind="used"\} (\d+)$/m.exec(text)?.[1])
}
