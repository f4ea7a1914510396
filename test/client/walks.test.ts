/** Walks of the client over a real service: complete, or ended by an error, never cut. */

import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientOptions, createClient, OqsError } from '../../src/client/index.ts'
import { CHANGES_MAX_AGE_SECONDS, PAGE_TOKEN_TTL_SECONDS } from '../../src/contract/limits.ts'
import { startCuttingProxy } from '../cli/cutting-proxy.ts'
import { sendJson, startPeer } from '../support/http-peer.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const COUNT = 250
const NO_PAUSES = { pause: async () => {} }

interface Numbers {
  readonly number: {
    readonly object: { readonly n: number; readonly text?: string }
    readonly primaryKey: 'n'
    readonly types: { readonly n: 'integer'; readonly text: 'string' }
    readonly links: object
  }
}

let service: Service
beforeAll(async () => {
  service = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: '1000' } })
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(COUNT))
})
afterAll(() => service[Symbol.asyncDispose]())

function connect(options: Partial<ClientOptions> = {}) {
  return createClient<Numbers>({
    baseUrl: service.url,
    ontology: 'numbers',
    token: ADMIN_TOKEN,
    retries: NO_PAUSES,
    ...options,
  })
}

const expected = Array.from({ length: COUNT }, (_, n) => n)

/** Lets every page token that exists expire, and every snapshot. */
function expireTokens(seconds = CHANGES_MAX_AGE_SECONDS): void {
  service.clock.now += (seconds + 1) * 1000
}

describe('a walk', () => {
  it('yields every object once, in any way of reading', async () => {
    const query = connect().objects('number').pageSize(7).snapshot()
    const seen: number[] = []
    for await (const { n } of query) seen.push(n)
    expect(seen).toEqual(expected)
    const pages: number[] = []
    for await (const { data, records, totalCount } of query.pages()) {
      expect([totalCount, records.length]).toEqual([COUNT, data.length])
      pages.push(data.length)
    }
    expect(pages).toEqual([...Array(35).fill(7), 5])
    expect((await query.toArray()).map(({ n }) => n)).toEqual(expected)
    expect(await query.first()).toEqual({ n: 0 })
    expect(await query.count()).toBe(COUNT)
    expect(await query.get(9)).toEqual({ n: 9 })
    const family = connect().family('family').objects('number').pageSize(9)
    expect((await family.toArray()).map(({ n }) => n)).toEqual(expected)
    expect(await family.where({ n: { gte: 248 } }).toArray()).toEqual([{ n: 248 }, { n: 249 }])
    expect(await family.get(9)).toEqual({ n: 9 })
  })

  it('is not changed by what is derived from it', async () => {
    const all = connect().objects('number')
    const few = all.where({ n: { lt: 3 } })
    expect(await few.where({ n: { gt: 0 } }).count()).toBe(2)
    expect(await few.orderBy('n', 'desc').toArray()).toEqual([{ n: 2 }, { n: 1 }, { n: 0 }])
    expect([await few.count(), await all.count()]).toEqual([3, COUNT])
    expect(await few.where({ n: -1 }).first()).toBeUndefined()
  })

  it('shows one snapshot while objects are written', async () => {
    await using other = await startService()
    await other.apply(NUMBERS)
    await other.put('numbers', 'number', numbers(40))
    const seen: unknown[] = []
    let batch = 0
    for await (const { n, text } of connect({ baseUrl: other.url })
      .objects('number')
      .pageSize(5)
      .snapshot()) {
      seen.push([n, text])
      batch += 1
      await other.put('numbers', 'number', [{ n: 39, text: 'new' } as never, { n: 100 + batch }])
    }
    expect(seen).toEqual(expected.slice(0, 40).map((n) => [n, undefined]))
  })

  it('throws at the retrieval limit, with what was read', async () => {
    await using limited = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: '20' } })
    await limited.apply(NUMBERS)
    await limited.put('numbers', 'number', numbers(30))
    const client = connect({ baseUrl: limited.url })
    const query = client.objects('number').pageSize(10)
    const seen: number[] = []
    const walk = async () => {
      for await (const { n } of query) seen.push(n)
    }
    const failure = await walk().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OqsError)
    expect(failure).toMatchObject({
      errorName: 'ObjectsExceededLimit',
      statusCode: 400,
      walk: { pages: 2, objects: 20, lastObject: { n: 19 } },
    })
    expect(seen).toEqual(expected.slice(0, 20))
    const exported: number[] = []
    for await (const { n } of client.objects('number').export()) exported.push(n)
    expect(exported).toEqual(expected.slice(0, 30))
  })

  it('refuses a token that it has already seen', async () => {
    const page = { data: [{ properties: { n: 1 } }], nextPageToken: 'again' }
    await using peer = await startPeer(sendJson(200, page))
    const query = connect({ baseUrl: peer.url }).objects('number')
    const failure = await query.toArray().catch((error: unknown) => error)
    expect(failure).toMatchObject({ errorName: 'Client:PageTokenRepeated' })
    expect(peer.requests).toHaveLength(2)
  })

  it('stops when its signal aborts', async () => {
    const abort = new AbortController()
    const query = connect().objects('number').pageSize(5).signal(abort.signal)
    const seen: number[] = []
    const walk = async () => {
      for await (const { n } of query) {
        seen.push(n)
        if (n === 7) abort.abort(new Error('enough'))
      }
    }
    await expect(walk()).rejects.toThrow('enough')
    expect(seen.at(-1)).toBe(9)
  })
})

describe('a walk whose token expired', () => {
  /** Reads pages of 10 and lets the token expire once, after the third page. */
  async function walkPast(query: ReturnType<typeof walked>): Promise<number[]> {
    const seen: number[] = []
    let pages = 0
    for await (const { data } of query.pages()) {
      seen.push(...data.map(({ n }) => n))
      pages += 1
      if (pages === 3) expireTokens()
    }
    return seen
  }
  const walked = () => connect().objects('number').pageSize(10).snapshot()

  it('throws, with what was read', async () => {
    await expect(walkPast(walked())).rejects.toMatchObject({
      errorName: 'InvalidPageToken',
      parameters: { reason: 'expired' },
      walk: { pages: 3, objects: 30, lastObject: { n: 29 } },
    })
  })

  it('does not restart unnoticed', async () => {
    await expect(walkPast(walked().onExpired('restart'))).rejects.toMatchObject({
      errorName: 'InvalidPageToken',
    })
  })

  it('restarts from the first page if the caller is told', async () => {
    const restarts: unknown[] = []
    const seen = await walkPast(
      walked().onExpired('restart', (progress) => {
        restarts.push(progress)
      }),
    )
    expect(restarts).toEqual([{ pages: 3, objects: 30, lastObject: { n: 29 } }])
    expect(seen).toEqual([...expected.slice(0, 30), ...expected])
  })

  it('restarts a few times only', async () => {
    let restarts = 0
    const query = walked().onExpired('restart', () => {
      restarts += 1
    })
    const walk = async () => {
      for await (const _ of query.pages()) expireTokens()
    }
    await expect(walk()).rejects.toMatchObject({ errorName: 'InvalidPageToken' })
    expect(restarts).toBe(3)
  })

  it('restarts within toArray, which hands out nothing before the end', async () => {
    let requests = 0
    const client = connect({
      fetch: (...request) => {
        requests += 1
        if (requests === 4) expireTokens()
        return fetch(...request)
      },
    })
    const query = client.objects('number').pageSize(10).onExpired('restart')
    expect((await query.toArray()).map(({ n }) => n)).toEqual(expected)
    expect(requests).toBeGreaterThan(25)
  })

  it.each(['asc', 'desc'] as const)('continues behind the last object, %s', async (direction) => {
    const query = walked().orderBy('n', direction).onExpired('continue')
    const seen = await walkPast(query)
    expect(seen).toEqual(direction === 'asc' ? expected : expected.toReversed())
  })

  it('continues with conditions, in revision 2.0 as well', async () => {
    const searched = walked()
      .where({ n: { gte: 5 } })
      .onExpired('continue')
    expect(await walkPast(searched)).toEqual(expected.slice(5))
    const family = connect().family('family').objects('number').pageSize(10).onExpired('continue')
    expect(await walkPast(family as never)).toEqual(expected)
  })

  it('continues in any order, and says where', async () => {
    const continued: unknown[] = []
    const query = walked()
      .orderBy('text')
      .onExpired('continue', (progress) => {
        continued.push(progress)
      })
    expect(await walkPast(query)).toEqual(expected)
    expect(continued).toEqual([{ pages: 3, objects: 30, lastObject: { n: 29 } }])
    const items = await query.toArray()
    expect(items.map(({ n }) => n)).toEqual(expected)
  })

  it('is renewed unnoticed within its snapshot', async () => {
    const seen: number[] = []
    for await (const { data } of walked().pages()) {
      seen.push(...data.map(({ n }) => n))
      if (seen.length === 30) expireTokens(PAGE_TOKEN_TTL_SECONDS)
    }
    expect(seen).toEqual(expected)
  })
})

describe('faults', () => {
  it('leave a snapshot walk complete, wherever connections break', async () => {
    await using proxy = await startCuttingProxy(service.url)
    const query = connect({ baseUrl: proxy.url }).objects('number').pageSize(20).snapshot()
    for (const cut of [0, 40, 300, 700, 1100, 1900]) {
      const before = proxy.cuts()
      proxy.cutAfter(cut, cut + 50, 10, cut)
      expect((await query.toArray()).map(({ n }) => n)).toEqual(expected)
      expect(proxy.cuts()).toBeGreaterThan(before)
      proxy.cutAfter(cut, 500, 3, cut)
      const exported: number[] = []
      for await (const { n } of query.export()) exported.push(n)
      expect(exported).toEqual(expected)
    }
  })

  it('of every third response leave walks and writes complete', async () => {
    await using flaky = await startFlakyProxy(service.url)
    const client = connect({ baseUrl: flaky.url })
    const query = client
      .objects('number')
      .where({ n: { lt: COUNT } })
      .pageSize(15)
    expect((await query.toArray()).map(({ n }) => n)).toEqual(expected)
    expect(flaky.refused()).toBeGreaterThan(3)
    for (let n = 1000; n < 1010; n += 1) {
      await client.edit('number').batch([{ put: { n } }])
    }
    expect(
      await client
        .objects('number')
        .where({ n: { gte: 1000 } })
        .count(),
    ).toBe(10)
    await client.edit('number').batch(expected.slice(0, 10).map((n) => ({ delete: 1000 + n })))
  })
})

/** A real proxy that answers every third request with 503. */
async function startFlakyProxy(target: string) {
  let [requests, refused] = [0, 0]
  const server = createServer((request, response) => {
    requests += 1
    if (requests % 3 === 0) {
      refused += 1
      request.resume()
      sendJson(503, { errorName: 'ServiceUnavailable', parameters: {} })(request, response)
      return
    }
    const { method = 'GET', headers, url = '/' } = request
    const onward = forward(target + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: () => refused,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
