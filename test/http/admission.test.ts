import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { type Service, startService } from '../support/service.ts'

/** The limits of one caller. */

const THINGS: OntologyDefinition = {
  apiName: 'limits',
  objectTypes: [
    {
      apiName: 'thing',
      primaryKey: 'id',
      properties: { id: { type: 'string' }, group: { type: 'integer' }, text: { type: 'string' } },
    },
  ],
}
const LIST = '/api/v1/ontologies/limits/objects/thing'

async function startLimited(settings: Record<string, string>): Promise<Service> {
  const service = await startService({ settings })
  await service.apply(THINGS)
  const objects = Array.from({ length: 50 }, (_, n) => ({ id: `t${n}`, group: n % 5, text: 'x' }))
  await service.put('limits', 'thing', objects)
  return service
}

describe('requests per minute', () => {
  let service: Service
  beforeAll(async () => {
    service = await startLimited({ OQS_RATE_LIMIT_PER_MINUTE: '10' })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('are counted per caller, rejected with 429 above the limit, and allowed again later', async () => {
    const [one, other] = [await service.createToken(), await service.createToken()]
    const answers = []
    for (let n = 0; n < 12; n += 1) answers.push(await service.send(LIST, { token: one }))
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429, 429])
    const refused = answers.at(-1)
    expect(refused?.headers.get('retry-after')).toBe('6')
    expect(refused?.body).toMatchObject({
      errorName: 'TooManyRequests',
      parameters: { requestsPerMinute: 10, retryAfterSeconds: 6 },
    })
    expect((await service.send(LIST, { token: other })).status).toBe(200)
    service.clock.now += 6000
    expect((await service.send(LIST, { token: one })).status).toBe(200)
    expect((await service.send(LIST, { token: one })).status).toBe(429)
  })

  it('are not counted for endpoints without a token', async () => {
    for (let n = 0; n < 15; n += 1) {
      expect((await service.send('/healthz', { token: null })).status).toBe(200)
    }
  })
})

describe('requests in progress', () => {
  let service: Service
  beforeAll(async () => {
    service = await startLimited({ OQS_MAX_CONCURRENT_REQUESTS: '3' })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('are limited per caller until they are answered, on any number of connections', async () => {
    const token = await service.createToken({
      scopes: ['api:ontologies-read', 'api:ontologies-write'],
    })
    // Batches that never end stay in progress. One may itself be rejected, if it arrives
    // together with a list.
    const held: Socket[] = []
    let refused = await service.send(LIST, { token })
    while (refused.status !== 429) {
      expect(held.length).toBeLessThan(100)
      held.push(await openBatch(service.url, token))
      refused = await service.send(LIST, { token })
    }
    expect(refused.body.parameters).toMatchObject({ maxConcurrentRequests: 3 })
    expect((await service.send(LIST)).status).toBe(200)
    for (const socket of held) socket.destroy()
    expect((await untilStatus(service, token, 200)).status).toBe(200)
  })

  it('count when they are pipelined on one connection', async () => {
    const token = await service.createToken()
    const [socket, text] = await connectTo(service.url)
    const request = `GET ${LIST}?pageSize=1 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`
    socket.write(request.repeat(15))
    const statuses = await untilAnswers(socket, text, 15)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3)
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true)
    // Answered requests no longer count.
    socket.write(request)
    expect((await untilAnswers(socket, text, 16)).at(-1)).toBe(200)
    socket.destroy()
  })
})

describe('changes of definitions', () => {
  const path = '/api/admin/v1/ontologies/limits'

  it('of one caller wait for each other before their bodies are read', async () => {
    await using service = await startService()
    const scopes = ['api:ontologies-write'] as const
    const [one, other] = [
      await service.createToken({ scopes }),
      await service.createToken({ scopes }),
    ]
    const body = JSON.stringify(THINGS)
    const [socket, text] = await connectTo(service.url)
    const head = [
      `PUT ${path} HTTP/1.1`,
      'host: x',
      `authorization: Bearer ${one}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`)
    await untilQueued(service, 'running')
    const second = service.send(`${path}/objectTypes/thing`, { method: 'DELETE', token: one })
    let isAnswered = false
    void second.then(() => {
      isAnswered = true
    })
    await untilQueued(service, 'waiting')
    const json = { ...THINGS, apiName: 'others' }
    const options = { method: 'PUT', token: other, json }
    expect((await service.send('/api/admin/v1/ontologies/others', options)).status).toBe(200)
    expect(isAnswered).toBe(false)
    socket.write(body.slice(10))
    expect(await untilAnswers(socket, text, 1)).toEqual([200])
    expect((await second).body).toMatchObject({ objectTypes: ['thing'] })
    socket.destroy()
  })
})

/** Waits until one change of a definition is in this state. */
async function untilQueued(service: Service, state: string): Promise<void> {
  const line = `oqs_queue_tasks{queue="changes",state="${state}"} 1`
  for (let found = false; !found; ) {
    const { text } = await service.send('/metrics')
    found = text.includes(line)
  }
}

async function connectTo(url: string): Promise<[Socket, () => string]> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return [socket, () => text]
}

async function openBatch(url: string, token: string): Promise<Socket> {
  const [socket] = await connectTo(url)
  const path = '/api/admin/v1/ontologies/limits/objects/thing'
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${token}`,
    'content-type: application/x-ndjson',
    'content-length: 1000',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n{"put":`)
  return socket
}

/** Repeats a request until it has the status: the service needs a moment to see the connections. */
async function untilStatus(service: Service, token: string, status: number) {
  for (;;) {
    const answer = await service.send(LIST, { token })
    if (answer.status === status) return answer
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function untilAnswers(socket: Socket, text: () => string, count: number): Promise<number[]> {
  for (;;) {
    const statuses = [...text().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
    if (statuses.length >= count) return statuses
    await once(socket, 'data')
  }
}
