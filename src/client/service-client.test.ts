import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { readRetryAfter } from './retry.ts'
import { ServiceClient } from './service-client.ts'
import { ConnectionError, ServiceError } from './service-error.ts'
import { walkPages } from './walk-pages.ts'

/** A server that answers in all the ways in which a network and a service can go wrong. */
async function startPeer(...answers: RequestListener[]) {
  const asked: string[] = []
  const pauses: number[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pause = async (ms: number) => {
    pauses.push(ms)
  }
  return {
    asked,
    pauses,
    client: new ServiceClient({ url: `${url}/`, token: 'a-token', pause }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const json =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
const unavailable = json(
  503,
  { errorName: 'ServiceUnavailable', errorDescription: 'Try again.', parameters: {} },
  { 'retry-after': '3' },
)
const hangUp: RequestListener = (request) => request.socket.destroy()
const breakMidway: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"data": [', () => response.destroy())
}
const TYPE = { ontology: 'a b', objectType: 't' }

describe('the client', () => {
  it('asks again after lost connections and 503, with growing pauses', async () => {
    await using peer = await startPeer(hangUp, breakMidway, unavailable, json(200, { data: [] }))
    expect(await peer.client.listObjects(TYPE, { pageSize: 2 })).toEqual({ data: [] })
    expect(peer.pauses).toEqual([250, 500, 3000])
    expect(new Set(peer.asked)).toEqual(
      new Set(['GET /api/v1/ontologies/a%20b/objects/t?pageSize=2']),
    )
  })

  it('gives up at last, in one line that says what to check', async () => {
    await using peer = await startPeer(hangUp)
    const failure = await peer.client.readDefinition('o').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConnectionError)
    expect((failure as Error).message).toMatch(
      /^no answer from http:\S+ \(connection closed\): is the service running \(oqs serve\), and is --url right\?$/,
    )
    expect(peer.pauses).toEqual([250, 500, 1000, 2000, 4000])
  })

  it('sends a batch again only where that does no harm', async () => {
    const done = json(200, { version: 1, put: 1, deleted: 0 })
    await using careful = await startPeer(hangUp, done)
    const batch = careful.client.postBatch(TYPE, '{}', { repeatable: false })
    await expect(batch).rejects.toThrow(ConnectionError)
    expect(careful.asked).toHaveLength(1)
    await using upsert = await startPeer(hangUp, done)
    const query = { mode: 'upsert' }
    expect(await upsert.client.postBatch(TYPE, '{}', { repeatable: true, query })).toEqual({
      version: 1,
      put: 1,
      deleted: 0,
    })
    expect(upsert.asked.at(-1)).toBe('POST /api/admin/v1/ontologies/a%20b/objects/t?mode=upsert')
  })

  it('does not wait for a service that was never there', async () => {
    const peer = await startPeer(hangUp)
    await peer[Symbol.asyncDispose]()
    await expect(peer.client.listOntologies()).rejects.toThrow(/connection refused/)
    expect(peer.pauses).toEqual([])
  })

  it('makes one line of an error of the service', async () => {
    const body = {
      errorName: 'InvalidOntologyDefinition',
      errorDescription: 'It has mistakes.',
      parameters: {
        pageToken: 'long',
        none: [],
        mistakes: [
          { path: 'a', reason: 'is odd' },
          { path: 'b', reason: 'too' },
        ],
      },
    }
    await using peer = await startPeer(json(400, body))
    const failure = await peer.client.applyDefinition('o', {}).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ServiceError)
    expect((failure as Error).message).toBe(
      'InvalidOntologyDefinition: It has mistakes. (mistakes a is odd, b too)',
    )
    expect(peer.asked).toHaveLength(1)
  })

  it('notices that something else answers', async () => {
    const page: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
    }
    for (const answer of [page, json(404, { message: 'Not Found' })]) {
      await using peer = await startPeer(answer)
      await expect(peer.client.listOntologies()).rejects.toThrow(
        /answered \d+ with \S+, which is no answer of an object query service: is --url right\?$/,
      )
    }
    await using peer = await startPeer(json(200, {}))
    await expect(peer.client.openExport(TYPE, { format: 'csv' })).rejects.toThrow(/is --url right/)
  })

  it('ends at once when it is told to', async () => {
    await using peer = await startPeer(() => abort.abort(new Error('stopped')))
    const abort = new AbortController()
    const { url } = peer.client.connection
    const client = new ServiceClient({ url, signal: abort.signal })
    await expect(client.listOntologies()).rejects.toThrow('stopped')
  })
})

describe('a walk over pages', () => {
  const readPage = async (token: string | undefined) => {
    const number = Number(token ?? 0)
    const data = [{ properties: { number } }]
    return number === 3 ? { data } : { data, nextPageToken: String(number + 1) }
  }
  const walked = async (walk: Parameters<typeof walkPages>[1]) => {
    const seen: unknown[] = []
    for await (const { data } of walkPages(readPage, walk)) seen.push(data[0]?.properties['number'])
    return seen
  }

  it('follows the tokens to the last page, or as far as it may', async () => {
    expect(await walked({})).toEqual([0, 1, 2, 3])
    expect(await walked({ maxPages: 2 })).toEqual([0, 1])
    expect(await walked({ pageToken: '2', maxPages: 9 })).toEqual([2, 3])
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
