import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const LISTING = '/api/v1/ontologies/numbers/objects/number'
const ROUTE = '/api/v1/ontologies/:ontology/objects/:objectType'

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
}

/** A collector that keeps the spans that it receives as OTLP over HTTP. */
class Collector implements AsyncDisposable {
  readonly spans: Span[] = []
  readonly bodies: string[] = []
  headers: IncomingHttpHeaders = {}
  readonly #server = createServer(async (request, response) => {
    expect(request.url).toBe('/v1/traces')
    this.headers = request.headers
    const text = Buffer.concat(await Array.fromAsync(request)).toString()
    this.bodies.push(text)
    for (const { scopeSpans } of JSON.parse(text).resourceSpans) {
      for (const { spans } of scopeSpans) this.spans.push(...spans)
    }
    response.setHeader('content-type', 'application/json').end('{}')
  })

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

const SAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const UNSAMPLED = '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'

let collector: Collector
let service: Service
beforeAll(async () => {
  collector = new Collector()
  service = await startService({
    settings: {
      OQS_TRACE_SAMPLING: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: await collector.listen(),
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=s%20cret',
    },
  })
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(25))
  await service.send(`${LISTING}?pageSize=10`, { headers: { traceparent: SAMPLED } })
  await service.send(`${LISTING}/17`, { headers: { traceparent: UNSAMPLED } })
  await service.send(`${LISTING}?pageSize=7`, { headers: { traceparent: 'nonsense' } })
  await service.send('/api/v1/ontologies/a-secret-name/objects/number')
  // Sends the spans that wait.
  await service[Symbol.asyncDispose]()
})
afterAll(() => collector[Symbol.asyncDispose]())

function attributesOf({ attributes }: Span): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

describe('tracing', () => {
  it('continues the trace of the client: request, plan, SQL', () => {
    const ofTrace = collector.spans.filter(({ traceId }) => SAMPLED.includes(traceId))
    const byName = new Map(ofTrace.map((span) => [span.name, span]))
    const [request, plan, sql] = [`GET ${ROUTE}`, 'plan keyWalk', 'SQL'].map((name) =>
      byName.get(name),
    )
    if (request === undefined || plan === undefined || sql === undefined) {
      throw new Error(`only ${[...byName.keys()].join(', ')}`)
    }
    expect(ofTrace).toHaveLength(3)
    expect(SAMPLED).toContain(request.parentSpanId)
    expect(plan.parentSpanId).toBe(request.spanId)
    expect(sql.parentSpanId).toBe(plan.spanId)
    expect(attributesOf(request)).toMatchObject({
      'http.route': ROUTE,
      'http.response.status_code': 200,
      'oqs.operation': 'listObjects',
      'oqs.objects': 10,
    })
    const times = [request, plan, sql].map((span) => [
      BigInt(span.startTimeUnixNano),
      BigInt(span.endTimeUnixNano),
    ])
    for (const [[outerStart, outerEnd], [start, end]] of [
      [times[0], times[1]],
      [times[1], times[2]],
    ] as [bigint[], bigint[]][]) {
      expect(Number(start) >= Number(outerStart) && Number(end) <= Number(outerEnd)).toBe(true)
    }
  })

  it('follows the decision of the client, and starts a trace without one', () => {
    const traceIds = new Set(collector.spans.map(({ traceId }) => traceId))
    expect([...traceIds].some((traceId) => UNSAMPLED.includes(traceId))).toBe(false)
    const pages = collector.spans.filter(({ name }) => name === `GET ${ROUTE}`)
    expect(pages.length).toBe(3)
    expect(collector.spans.map(({ name }) => name)).toContain('commit')
  })

  it('names routes, plans and errors, and never a path, a key, a value or a secret', () => {
    const text = collector.bodies.join('\n')
    expect(text).not.toMatch(/a-secret-name|objects\/number|s cret|SELECT|admin-token/)
    expect(text).toContain('OntologyNotFound')
    expect(collector.headers['x-api-key']).toBe('s cret')
  })
})

describe('tracing without sampling', () => {
  it('is off: nothing is sent', async () => {
    await using silent = new Collector()
    const endpoint = await silent.listen()
    await using off = await startService({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } })
    await off.send('/api/v1/ontologies', { headers: { traceparent: SAMPLED } })
    await off[Symbol.asyncDispose]()
    expect(silent.spans).toEqual([])
  })
})
