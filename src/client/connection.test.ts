import { describe, expect, it } from 'vitest'
import {
  breakMidway,
  type HttpPeer,
  hangUp,
  sendJson,
  startPeer,
  unavailable,
} from '../../test/support/http-peer.ts'
import { Endpoints } from './endpoints/endpoints.ts'
import { OqsError } from './oqs-error.ts'
import { type RetryOptions, readRetryAfter } from './retry.ts'

const TYPE = { ontology: 'a b', objectType: 't' }

/** Connects to a peer. Records the pauses and moves a clock by them instead of waiting. */
function connect({ url }: HttpPeer, retries: RetryOptions = {}) {
  const pauses: number[] = []
  let time = 0
  const endpoints = new Endpoints({
    baseUrl: `${url}/`,
    token: 'a-token',
    retries: {
      random: () => 1,
      pause: async (ms) => {
        pauses.push(ms)
        time += ms
      },
      now: () => time,
      ...retries,
    },
  })
  return { endpoints, pauses }
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as OqsError,
  )

describe('a connection', () => {
  it('retries after lost connections and 503, with growing pauses', async () => {
    await using peer = await startPeer(hangUp, breakMidway, hangUp, sendJson(200, { data: [] }))
    const { endpoints, pauses } = connect(peer)
    expect(await endpoints.revision1.listObjects(TYPE, { pageSize: 2 })).toEqual({ data: [] })
    expect(pauses).toEqual([250, 500, 1000])
    expect(new Set(peer.requests)).toEqual(
      new Set(['GET /api/v1/ontologies/a%20b/objects/t?pageSize=2']),
    )
  })

  it.each([502, 503, 504])('retries after status %d of a proxy', async (status) => {
    await using peer = await startPeer(
      (_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<html>'),
      sendJson(200, { data: [] }),
    )
    const { endpoints, pauses } = connect(peer)
    expect(await endpoints.revision1.listObjects(TYPE)).toEqual({ data: [] })
    expect(pauses).toEqual([250])
  })

  it('reports each pause and its reason', async () => {
    await using peer = await startPeer(hangUp, sendJson(200, { data: [] }))
    const reports: string[] = []
    const onPause = ({ message }: Error, ms: number) => reports.push(`${ms}: ${message}`)
    const { endpoints } = connect(peer, { onPause })
    await endpoints.revision1.listObjects(TYPE)
    expect(reports).toEqual([
      expect.stringMatching(/^250: cannot reach http:.+ \(connection closed\)\.$/),
    ])
  })

  it('spreads pauses at random above a minimum, and adds them to Retry-After', async () => {
    await using peer = await startPeer(hangUp, hangUp, unavailable, sendJson(200, { data: [] }))
    const { endpoints, pauses } = connect(peer, { random: () => 0.1 })
    await endpoints.revision1.listObjects(TYPE)
    expect(pauses).toEqual([137.5, 275, 3025])
  })

  it.each([0, 0.5, 1])('outlasts a minute of downtime if random numbers are %d', async (random) => {
    await using peer = await startPeer(sendJson(200, { data: [] }))
    let time = 0
    const { revision1 } = new Endpoints({
      baseUrl: peer.url,
      fetch: async (...request) => {
        if (time > 0 && time < 60_000) throw Object.assign(new Error(), { code: 'ECONNREFUSED' })
        return fetch(...request)
      },
      retries: {
        random: () => random,
        now: () => time,
        pause: async (ms) => {
          time += ms
        },
      },
    })
    await revision1.listOntologies()
    time = 1
    await revision1.listOntologies()
    expect(time).toBeGreaterThanOrEqual(60_000)
    expect(time).toBeLessThanOrEqual(65_000)
  })

  it('never pauses longer than the limit', async () => {
    await using peer = await startPeer(unavailable, sendJson(200, { data: [] }))
    const { endpoints, pauses } = connect(peer, { longestRetryAfterMs: 2000 })
    await endpoints.revision1.listObjects(TYPE)
    expect(pauses).toEqual([2000])
  })

  it('gives up after two minutes of failures, in one line', async () => {
    await using peer = await startPeer(hangUp)
    const { endpoints, pauses } = connect(peer)
    const failure = await failureOf(endpoints.administration.getDefinition('o'))
    expect(failure).toBeInstanceOf(OqsError)
    expect(failure?.message).toMatch(/^cannot reach http:\S+ \(connection closed\)\.$/)
    expect(failure).toMatchObject({
      errorName: 'Client:Unreachable',
      errorCode: 'CLIENT',
      statusCode: undefined,
    })
    expect(pauses.slice(0, 7)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
    const total = pauses.reduce((sum, ms) => sum + ms)
    expect(total).toBeGreaterThanOrEqual(120_000)
    expect(total).toBeLessThanOrEqual(125_000)
    await using again = await startPeer(hangUp)
    const limited = connect(again, { retries: 2 })
    await failureOf(limited.endpoints.administration.getDefinition('o'))
    expect(limited.pauses).toEqual([250, 500])
  })

  it('does not retry what another attempt cannot change: HTTPS to a port that speaks HTTP', async () => {
    await using peer = await startPeer(unavailable)
    const { endpoints, pauses } = connect({ ...peer, url: peer.url.replace('http:', 'https:') })
    const failure = await failureOf(endpoints.revision1.listOntologies())
    expect(failure?.message).toMatch(
      /^cannot reach https:\S+ \(this port does not speak HTTPS\)\.$/,
    )
    expect(pauses).toEqual([])
  })

  it('does not retry other errors, nor at all with 0 retries', async () => {
    const internal = { errorName: 'Default:Internal', errorInstanceId: 'i', parameters: {} }
    await using peer = await startPeer(sendJson(500, internal))
    const { endpoints } = connect(peer)
    const failure = await failureOf(endpoints.revision1.listOntologies())
    expect(failure).toMatchObject({ errorName: 'Default:Internal', statusCode: 500 })
    expect(failure?.errorInstanceId).toBe('i')
    expect(peer.requests).toHaveLength(1)
    await using busy = await startPeer(unavailable)
    const once = new Endpoints({ baseUrl: busy.url, retries: 0 })
    await expect(once.revision1.listOntologies()).rejects.toThrow('ServiceUnavailable')
    expect(busy.requests).toHaveLength(1)
  })

  it('repeats a write with the same idempotency key, and others not at all', async () => {
    const done = sendJson(200, { version: 1, put: 1, deleted: 0 })
    await using peer = await startPeer(hangUp, unavailable, done, done)
    const { endpoints } = connect(peer)
    const write = () => endpoints.administration.writeObjects(TYPE, '{}', { mode: 'append' })
    expect(await write()).toEqual({ version: 1, put: 1, deleted: 0 })
    await write()
    const keys = peer.headers.map((headers) => headers['idempotency-key'])
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
    expect(keys[3]).not.toBe(keys[0])
    expect(peer.requests[0]).toBe('POST /api/admin/v1/ontologies/a%20b/objects/t?mode=append')
    await using careful = await startPeer(hangUp, done)
    const { administration } = connect(careful).endpoints
    await expect(administration.abandonReplacement(TYPE, '1')).rejects.toThrow(OqsError)
    expect(careful.requests).toHaveLength(1)
  })

  it('deletes definitions and starts replacements with a key, so that it can repeat them', async () => {
    for (const send of [
      ({ administration }: Endpoints) => administration.deleteOntology('o'),
      ({ administration }: Endpoints) => administration.startReplacement(TYPE),
    ]) {
      await using peer = await startPeer(hangUp, sendJson(200, { replacement: '7' }))
      await send(connect(peer).endpoints)
      const [first, second, ...others] = peer.headers.map((headers) => headers['idempotency-key'])
      expect(first).toMatch(/^[0-9a-f]{32}$/)
      expect([second, others]).toEqual([first, []])
    }
  })

  it('waits only briefly for a service that has never answered', async () => {
    const peer = await startPeer(hangUp)
    await peer[Symbol.asyncDispose]()
    const hasty = connect(peer, { waitForServiceMs: 0 })
    await expect(hasty.endpoints.revision1.listOntologies()).rejects.toThrow(/connection refused/)
    expect(hasty.pauses).toEqual([])
    const patient = connect(peer)
    await expect(patient.endpoints.revision1.listOntologies()).rejects.toThrow(/refused/)
    expect(patient.pauses).toEqual([250, 500, 1000, 2000, 4000, 5000])
  })

  it('describes an error of the service in one line', async () => {
    const body = {
      errorCode: 'INVALID_ARGUMENT',
      errorName: 'InvalidOntologyDefinition',
      errorDescription: 'It has mistakes.',
      parameters: {
        pageToken: 'long',
        snapshotToken: 'long',
        continueToken: 'long',
        none: [],
        mistakes: [
          { path: 'a', reason: 'is invalid' },
          { path: 'b', reason: 'too' },
        ],
      },
    }
    await using peer = await startPeer(sendJson(400, body))
    const { endpoints } = connect(peer)
    const failure = await failureOf(endpoints.administration.applyDefinition('o', {}))
    expect(failure).toMatchObject({ errorCode: 'INVALID_ARGUMENT', statusCode: 400 })
    expect(failure?.message).toBe(
      'InvalidOntologyDefinition: It has mistakes. (mistakes a is invalid, b too)',
    )
    expect(peer.requests).toHaveLength(1)
  })

  it.each([
    ['another content type', { 'content-type': 'text/html' }, '<html>'],
    ['an unknown error body', { 'content-type': 'application/json' }, '{"message": "No"}', 404],
    ['no data', { 'content-type': 'application/json' }, '{}'],
    ['an empty token', { 'content-type': 'application/json' }, '{"data":[],"nextPageToken":""}'],
  ])('refuses a page with %s', async (_, headers, body, status = 200) => {
    await using peer = await startPeer((_request, response) => {
      response.writeHead(status, headers).end(body)
    })
    const { endpoints } = connect(peer)
    const failure = await failureOf(endpoints.revision1.listObjects(TYPE))
    expect(failure?.message).toMatch(/so it is not an object query service\.$/)
    expect(failure).toMatchObject({ errorName: 'Client:InvalidResponse' })
    expect(peer.requests).toHaveLength(1)
  })

  it('retries after JSON that was cut, and takes a null token for none', async () => {
    await using peer = await startPeer(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"prop')
      },
      sendJson(200, { data: [], nextPageToken: null }),
    )
    const { endpoints, pauses } = connect(peer)
    expect(await endpoints.revision1.listObjects(TYPE)).toEqual({ data: [] })
    expect(pauses).toHaveLength(1)
  })

  it('refuses an export that is none', async () => {
    await using peer = await startPeer(sendJson(200, {}))
    const { administration } = connect(peer).endpoints
    const opened = administration.openExport(TYPE, { format: 'csv' })
    await expect(opened).rejects.toThrow(/did not return an export/)
  })

  it('asks for the token before every request', async () => {
    await using peer = await startPeer(sendJson(200, { data: [] }))
    const secrets = ['token-1', 'token-2']
    const token = async () => secrets.shift() ?? ''
    const { revision1 } = new Endpoints({ baseUrl: peer.url, token })
    await revision1.listOntologies()
    await revision1.listOntologies()
    expect(peer.headers.map(({ authorization }) => authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ])
  })
})

describe('an aborted signal', () => {
  it.each(['client', 'call'])('of the %s ends a request', async (owner) => {
    const abort = new AbortController()
    await using peer = await startPeer(() => abort.abort(new Error('stopped')))
    const { signal } = abort
    const ofClient = owner === 'client' ? { signal } : { signal: new AbortController().signal }
    const { revision1 } = new Endpoints({ baseUrl: peer.url, ...ofClient })
    const call = owner === 'call' ? { signal } : {}
    await expect(revision1.listOntologies(call)).rejects.toThrow('stopped')
    expect(peer.requests).toHaveLength(1)
  })

  it('ends the pause before a retry', async () => {
    const abort = new AbortController()
    await using peer = await startPeer(unavailable)
    const { revision1 } = new Endpoints({
      baseUrl: peer.url,
      fetch: async (...request) => {
        const response = await fetch(...request)
        // The pause starts after the response was read.
        setImmediate(() => setImmediate(() => abort.abort(new Error('stopped'))))
        return response
      },
    })
    await expect(revision1.listOntologies({ signal: abort.signal })).rejects.toThrow('stopped')
    expect(peer.requests).toHaveLength(1)
  })
})

describe('Retry-After', () => {
  it('is seconds or a date', () => {
    expect(readRetryAfter('7', 0)).toBe(7000)
    expect(readRetryAfter('Thu, 01 Jan 1970 00:00:05 GMT', 1000)).toBe(4000)
    expect(readRetryAfter('soon', 0)).toBeUndefined()
    expect(readRetryAfter(null, 0)).toBeUndefined()
  })
})
