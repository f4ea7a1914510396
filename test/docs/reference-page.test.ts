import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curlExample, type ExampleOperation } from '../../src/http/openapi/curl-example.ts'
import { chooseCoding } from '../../src/http/response/content-coding.ts'
import { type Service, startService } from '../support/service.ts'

const FILES = ['/openapi.json', '/docs', '/docs/']
const DECODERS = { identity: (bytes: Buffer) => bytes, br: brotliDecompressSync, gzip: gunzipSync }

/** Operations with filters, bodies, and other methods. */
const SENT = ['listObjects', 'loadObjects', 'aggregateObjects', 'applyOntology', 'patchObject']

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

  it('is linked from the root, and is one response', async () => {
    const root = await receive(service.url)
    expect([root.status, root.headers.location]).toEqual([302, '/docs'])
    const { text } = await service.send('/docs', { token: null })
    const named = [...text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, url]) => url)
    expect(named).toEqual(['data:,', '/openapi.json'])
    const compressed = await receive(`${service.url}/docs`, { 'accept-encoding': 'br' })
    expect(compressed.bytes.length).toBeLessThan(60_000)
  })

  it('allows its own style and script by their hashes, and nothing else', async () => {
    const { headers, text } = await service.send('/docs', { token: null })
    const hashOf = (tag: string) => {
      const sources = [...text.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))]
      expect(sources).toHaveLength(1)
      return `'sha256-${hash('sha256', sources[0]?.[1] ?? '', 'base64')}'`
    }
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${hashOf('script')}`,
      `style-src ${hashOf('style')}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(text).not.toMatch(/ (?:on\w+|style)=/)
  })

  it('has every operation and every schema, and leads to no other', async () => {
    const { body } = await service.send('/openapi.json')
    const { text } = await service.send('/docs', { token: null })
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const operations = Object.values<Record<string, { operationId: string }>>(body.paths)
      .flatMap((path) => Object.values(path))
      .map(({ operationId }) => operationId)
    const schemas = Object.keys(body.components.schemas).map((name) => `schema-${name}`)
    expect(ids).toEqual(expect.arrayContaining([...operations, ...schemas]))
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id)
    expect(text).not.toMatch(/undefined|\[object /)
  })

  it('has a curl command for every operation that sends its example', async () => {
    const { body } = await service.send('/openapi.json')
    type Described = ExampleOperation & { operationId: string }
    const operations = Object.entries<Record<string, Described>>(body.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => {
          const verb = method.toUpperCase()
          return { verb, operation, command: curlExample(verb, path, operation) }
        }),
    )
    // What a shell makes of the commands: the arguments of each, with which curl would start.
    const show = `curl() { node -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- "$@"; }`
    const chosen = operations.filter(({ operation: { operationId } }) => SENT.includes(operationId))
    expect(chosen).toHaveLength(SENT.length)
    const script = [show, ...chosen.map(({ command }) => command)].join('\n')
    const env = { ...process.env, OQS_URL: 'http://x', OQS_TOKEN: 'secret' }
    const lines = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).trim().split('\n')
    for (const [at, { verb, operation }] of chosen.entries()) {
      const args: string[] = JSON.parse(lines[at] ?? '[]')
      const argumentOf = (name: string) => args[args.indexOf(name) + 1] ?? ''
      const given = Object.values(operation.requestBody?.content ?? {})[0]?.example
      const method = args.includes('-X')
        ? argumentOf('-X')
        : args.includes('--json')
          ? 'POST'
          : 'GET'
      expect([operation.operationId, method]).toEqual([operation.operationId, verb])
      if (args.includes('--json')) expect(JSON.parse(argumentOf('--json'))).toEqual(given)
      expect(args).toContain('Authorization: Bearer secret')
      expect(args.some((arg) => URL.canParse(arg) && !/[{}]/.test(arg))).toBe(true)
    }
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
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
    expect(chooseCoding(headers, ['br', 'gzip'])).toBe(coding)
  })
})
