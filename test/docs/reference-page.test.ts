import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseCoding } from '../../src/http/response/static-file.ts'
import { type Service, startService } from '../support/service.ts'

const SCRIPT = '/docs/js/scalar.js'
const FILES = ['/openapi.json', '/docs', '/docs/', '/docs/js/start.js', SCRIPT]
const DECODERS = { identity: (bytes: Buffer) => bytes, br: brotliDecompressSync, gzip: gunzipSync }

interface Received {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Sends a request without decoding the response, unlike fetch. */
async function receive(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const sent = request(url, { method, headers }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const bytes = await buffer(response)
  return { status: response.statusCode, headers: response.headers, bytes } satisfies Received
}

describe('the API reference page', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('is linked from the root, and loads nothing from other hosts', async () => {
    const root = await receive(service.url)
    expect([root.status, root.headers.location]).toEqual([302, '/docs'])
    const page = await service.send('/docs', { token: null })
    const named = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url = '']) => url)
    expect(named).toEqual(['data:,', SCRIPT, '/docs/js/start.js'])
    const start = await service.send('/docs/js/start.js', { token: null })
    expect(start.text).toContain('"url": "/openapi.json"')
    expect(start.text).toContain('"telemetry": false')
  })

  it('forbids inline scripts, requests to other hosts and frames', async () => {
    const { headers, text } = await service.send('/docs', { token: null })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("connect-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
    expect(text).not.toMatch(/<script(?![^>]* src=)/)
  })

  it.for(FILES)('sends %s with its length in every coding that a client accepts', async (path) => {
    const plain = await receive(service.url + path)
    expect(plain.status).toBe(200)
    expect(plain.headers['content-encoding']).toBeUndefined()
    const tags = new Set<string | undefined>()
    for (const [coding, decode] of Object.entries(DECODERS)) {
      const got = await receive(service.url + path, { 'accept-encoding': coding })
      expect(got.headers['content-length']).toBe(String(got.bytes.length))
      expect([got.headers.vary, got.headers['cache-control']]).toEqual([
        'accept-encoding',
        'public, no-cache',
      ])
      // A file of a few hundred bytes is sent uncompressed.
      const isCompressed = got.headers['content-encoding'] === coding
      expect(isCompressed).toBe(coding !== 'identity' && plain.bytes.length > 1400)
      expect((isCompressed ? decode(got.bytes) : got.bytes).equals(plain.bytes)).toBe(true)
      tags.add(got.headers.etag)
      const held = { 'accept-encoding': coding, 'if-none-match': got.headers.etag ?? '' }
      const again = await receive(service.url + path, held)
      expect([again.status, again.bytes.length, again.headers.etag]).toEqual([
        304,
        0,
        got.headers.etag,
      ])
      const head = await receive(service.url + path, { 'accept-encoding': coding }, 'HEAD')
      expect([head.status, head.bytes.length]).toEqual([200, 0])
      expect(head.headers['content-length']).toBe(got.headers['content-length'])
    }
    expect(tags.size).toBe(plain.bytes.length > 1400 ? 3 : 1)
  })

  it('loads the script once for concurrent clients', async () => {
    await using other = await startService()
    const all = await Promise.all(Array.from({ length: 5 }, () => receive(other.url + SCRIPT)))
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(all.map(({ headers }) => headers.etag)).size).toBe(1)
  })

  it('is disabled with OQS_DOCS=off, while the API works', async () => {
    await using other = await startService({ settings: { OQS_DOCS: 'off' } })
    for (const path of ['/', ...FILES]) {
      const answer = await other.send(path, { token: null })
      expect([path, answer.status, answer.body.errorName]).toEqual([path, 404, 'Default:NotFound'])
    }
    expect((await other.send('/healthz', { token: null })).status).toBe(200)
    expect((await other.send('/api/v1/ontologies')).status).toBe(200)
  })
})

describe('Accept-Encoding', () => {
  it.for([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br; q=0.000, gzip; q=0', undefined],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
    ['br;q=nonsense', undefined],
  ] as const)('%j means %j', ([accepted, coding]) => {
    expect(chooseCoding(accepted)).toBe(coding)
  })
})
