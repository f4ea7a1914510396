/** Large JSON is compressed for clients that ask for it, and for no other. */
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

const LIST = '/api/v1/ontologies/numbers/objects/number'
const DECODERS = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync } as const

let service: Service
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(3000))
})
afterAll(() => service[Symbol.asyncDispose]())

interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** Sends a request without the decoding of `fetch`. */
function send(
  path: string,
  headers: Record<string, string> = {},
  { method = 'GET', body }: { readonly method?: string; readonly body?: string } = {},
): Promise<RawAnswer> {
  const answer = Promise.withResolvers<RawAnswer>()
  const options = {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'content-type': 'application/json',
      ...headers,
    },
  }
  const sent = request(service.url + path, options, async (response) => {
    const body = Buffer.concat(await response.toArray())
    answer.resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
  })
  sent.on('error', answer.reject)
  sent.end(body)
  return answer.promise
}

describe('a large page', () => {
  it.each(['gzip', 'br', 'zstd'] as const)('is sent as %s if that is accepted', async (coding) => {
    const plain = await send(`${LIST}?pageSize=1500`)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['content-length']).toBe(String(plain.body.length))
    const packed = await send(`${LIST}?pageSize=1500`, { 'accept-encoding': `${coding}, x;q=1` })
    expect(packed.headers['content-encoding']).toBe(coding)
    expect(packed.headers['vary']).toContain('accept-encoding')
    expect(packed.body.length).toBeLessThan(plain.body.length / 2)
    const [one, other] = [plain.body, DECODERS[coding](packed.body)].map((bytes) =>
      JSON.parse(bytes.toString()),
    )
    expect(other.data).toEqual(one.data)
    expect(other.totalCount).toBe(one.totalCount)
  })

  it.each([
    ['zstd, br, gzip', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'zstd'],
    ['deflate', undefined],
    ['identity', undefined],
    ['gzip;q=0', undefined],
  ])('with %s is sent as %s', async (accepted, coding) => {
    const { headers } = await send(`${LIST}?pageSize=1500`, { 'accept-encoding': accepted })
    expect(headers['content-encoding']).toBe(coding)
  })

  it('keeps its tag: a copy is current in any coding', async () => {
    const { headers } = await send(`${LIST}?pageSize=1500`, { 'accept-encoding': 'gzip' })
    const repeated = { 'accept-encoding': 'br', 'if-none-match': String(headers['etag']) }
    const { status, body } = await send(`${LIST}?pageSize=1500`, repeated)
    expect([status, body.length]).toEqual([304, 0])
  })

  it('ends for a client that leaves in the middle', async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'accept-encoding': 'gzip' }
    const left = request(`${service.url}${LIST}?pageSize=3000`, { headers })
    const closed = Promise.withResolvers<void>()
    left.on('close', closed.resolve)
    left.on('response', (response) => response.destroy())
    left.on('error', () => {})
    left.end()
    await closed.promise
    expect((await send(`${LIST}?pageSize=1`)).status).toBe(200)
  })
})

it('sends small answers, single objects and exports as they are', async () => {
  const accepted = { 'accept-encoding': 'gzip, br, zstd' }
  for (const path of [
    `${LIST}?pageSize=10`,
    `${LIST}/1`,
    '/api/admin/v1/ontologies/numbers/objects/number/export',
  ]) {
    const { status, headers } = await send(path, accepted)
    expect([path, status, headers['content-encoding']]).toEqual([path, 200, undefined])
  }
})

it('compresses aggregations and searches, which are POST requests', async () => {
  const accepted = { 'accept-encoding': 'zstd' }
  const search = {
    method: 'POST',
    body: '{"query":{"type":"gte","field":"properties.n","value":0},"pageSize":1500}',
  }
  const found = await send(`${LIST}/search`, accepted, search)
  expect([found.status, found.headers['content-encoding']]).toEqual([200, 'zstd'])
  const body = JSON.stringify({
    aggregation: [{ type: 'count', name: 'count' }],
    groupBy: [{ type: 'exact', field: 'properties.n', maxGroupCount: 3000 }],
  })
  const grouped = await send(`${LIST}/aggregate`, accepted, { method: 'POST', body })
  expect([grouped.status, grouped.headers['content-encoding']]).toEqual([200, 'zstd'])
  expect(JSON.parse(zstdDecompressSync(grouped.body).toString()).data).toHaveLength(3000)
})
