import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { readRetryAfter } from './retry.ts'
import { ServiceClient } from './service-client.ts'
import { ConnectionError, ServiceError } from './service-error.ts'
import { walkPages } from './walk-pages.ts'

/** Starts a server that sends the given responses, one per request, and repeats the last one. */
async function startPeer(...answers: RequestListener[]) {
  const requests: string[] = []
  const pauses: number[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pause = async (ms: number) => {
    pauses.push(ms)
  }
  return {
    requests,
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
  it('retries after lost connections and 503, with growing pauses', async () => {
    await using peer = await startPeer(hangUp, breakMidway, unavailable, json(200, { data: [] }))
    expect(await peer.client.listObjects(TYPE, { pageSize: 2 })).toEqual({ data: [] })
    expect(peer.pauses).toEqual([250, 500, 3000])
    expect(new Set(peer.requests)).toEqual(
      new Set(['GET /api/v1/ontologies/a%20b/objects/t?pageSize=2']),
    )
  })

  it('gives up after the last retry, in one line that says what to do', async () => {
    await using peer = await startPeer(hangUp)
    const failure = await peer.client.readDefinition('o').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConnectionError)
    expect((failure as Error).message).toMatch(
      /^cannot reach http:\S+ \(connection closed\)\. Start the service with `oqs serve`, or pass --url\.$/,
    )
    expect(peer.pauses).toEqual([250, 500, 1000, 2000, 4000])
  })

  it('repeats a batch only if that is safe', async () => {
    const done = json(200, { version: 1, put: 1, deleted: 0 })
    await using careful = await startPeer(hangUp, done)
    const batch = careful.client.postBatch(TYPE, '{}', { isRepeatable: false })
    await expect(batch).rejects.toThrow(ConnectionError)
    expect(careful.requests).toHaveLength(1)
    await using upsert = await startPeer(hangUp, done)
    const query = { mode: 'upsert' }
    expect(await upsert.client.postBatch(TYPE, '{}', { isRepeatable: true, query })).toEqual({
      version: 1,
      put: 1,
      deleted: 0,
    })
    expect(upsert.requests.at(-1)).toBe('POST /api/admin/v1/ontologies/a%20b/objects/t?mode=upsert')
  })

  it('does not wait for a service that has never answered', async () => {
    const peer = await startPeer(hangUp)
    await peer[Symbol.asyncDispose]()
    await expect(peer.client.listOntologies()).rejects.toThrow(/connection refused/)
    expect(peer.pauses).toEqual([])
  })

  it('describes an error of the service in one line', async () => {
    const body = {
      errorName: 'InvalidOntologyDefinition',
      errorDescription: 'It has mistakes.',
      parameters: {
        pageToken: 'long',
        none: [],
        mistakes: [
          { path: 'a', reason: 'is invalid' },
          { path: 'b', reason: 'too' },
        ],
      },
    }
    await using peer = await startPeer(json(400, body))
    const failure = await peer.client.applyDefinition('o', {}).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ServiceError)
    expect((failure as Error).message).toBe(
      'InvalidOntologyDefinition: It has mistakes. (mistakes a is invalid, b too)',
    )
    expect(peer.requests).toHaveLength(1)
  })

  it('recognises that another server answers', async () => {
    const page: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
    }
    for (const answer of [page, json(404, { message: 'Not Found' })]) {
      await using peer = await startPeer(answer)
      await expect(peer.client.listOntologies()).rejects.toThrow(
        /responded with status \d+ and \S+, so it is not an object query service\. Check --url\.$/,
      )
    }
    await using peer = await startPeer(json(200, {}))
    await expect(peer.client.openExport(TYPE, { format: 'csv' })).rejects.toThrow(/Check --url/)
  })

  it('stops at once when its signal aborts', async () => {
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

  it('follows the tokens to the last page or the page limit', async () => {
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
