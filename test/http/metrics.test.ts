import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

const LISTING = '/api/v1/ontologies/numbers/objects/number'
const ROUTE = '/api/v1/ontologies/:ontology/objects/:objectType'

let service: Service
let token: string
beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(25))
  token = await service.createToken({ scopes: ['api:metrics-read'] })
})
afterAll(() => service[Symbol.asyncDispose]())

async function readMetrics(): Promise<string> {
  const { status, headers, text } = await service.send('/metrics', { token })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  return text
}

/** Returns the value of a metric with exactly these labels. */
function seriesValue(text: string, metric: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${metric} `))
  return line === undefined ? undefined : Number(line.slice(metric.length + 1))
}

describe('metrics', () => {
  it('count requests, pages and objects by route', async () => {
    const series = {
      requests: `oqs_http_request_duration_seconds_count{method="GET",route="${ROUTE}",status="200"}`,
      pages: `oqs_pages_total{route="${ROUTE}"}`,
      objects: `oqs_page_objects_total{route="${ROUTE}"}`,
      storeReads: `oqs_store_read_duration_seconds_count{route="${ROUTE}"}`,
      bytes: `oqs_response_bytes_total{route="${ROUTE}"}`,
    }
    const read = async () => {
      const text = await readMetrics()
      return Object.values(series).map((name) => seriesValue(text, name) ?? 0)
    }
    const before = await read()
    const pages = [
      await service.send(`${LISTING}?pageSize=10`),
      await service.send(`${LISTING}?pageSize=20`),
    ]
    const bytes = pages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    const after = await read()
    expect(after.map((value, index) => value - (before[index] ?? 0))).toEqual([2, 2, 30, 2, bytes])
  })

  it('time writes by route, and count commits and the time that tasks wait', async () => {
    const route = '/api/admin/v1/ontologies/:ontology/objects/:objectType'
    const read = async () => {
      const text = await readMetrics()
      return [
        'oqs_commits_total',
        `oqs_store_write_duration_seconds_count{route="${route}"}`,
        `oqs_store_read_duration_seconds_count{route="${route}"}`,
      ].map((name) => seriesValue(text, name) ?? 0)
    }
    const before = await read()
    await service.put('numbers', 'number', numbers(2))
    const after = await read()
    expect(after.map((value, index) => value - (before[index] ?? 0))).toEqual([1, 1, 0])
    const text = await readMetrics()
    for (const queue of ['writes', 'slow queries', 'batches']) {
      expect(seriesValue(text, `oqs_queue_wait_seconds_total{queue="${queue}"}`)).toBe(0)
    }
    expect(seriesValue(text, 'oqs_store_writable')).toBe(1)
  })

  it('have one series for each method and status of a route', async () => {
    const [item, route] = [`${LISTING}/1`, `${ROUTE}/:primaryKey`]
    const requests = [
      [{ method: 'GET' }, item],
      [{ method: 'GET' }, item],
      [{ method: 'GET' }, `${LISTING}/99`],
      [{ method: 'HEAD' }, item],
    ] as const
    for (const [options, path] of requests) await service.send(path, options)
    const text = await readMetrics()
    const counted = (method: string, status: number) =>
      seriesValue(
        text,
        `oqs_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`,
      )
    expect([counted('GET', 200), counted('GET', 404), counted('HEAD', 200)]).toEqual([2, 1, 1])
    const names = text.split('\n').map((line) => line.replace(/ \S+$/, ''))
    const series = names.filter((name) => name !== '' && !name.startsWith('#'))
    expect(series).toEqual([...new Set(series)])
  })

  it('count errors by name and refused page tokens by reason', async () => {
    await service.send('/api/v1/ontologies/nowhere/objects/number')
    await service.send(`${LISTING}?pageToken=nonsense`)
    const text = await readMetrics()
    expect(seriesValue(text, 'oqs_errors_total{error="OntologyNotFound"}')).toBe(1)
    expect(text).toMatch(/^oqs_page_tokens_refused_total\{reason="\w+"\} 1$/m)
  })

  it('time pages by plan, and count what the page cache has', async () => {
    const read = async () => {
      const text = await readMetrics()
      return [
        'oqs_plan_duration_seconds_count{plan="keyWalk"}',
        'oqs_plan_duration_seconds_count{plan="pageCache"}',
        'oqs_page_cache_requests_total{result="hit"}',
        'oqs_page_cache_requests_total{result="miss"}',
      ].map((name) => seriesValue(text, name) ?? 0)
    }
    const before = await read()
    // Cached on the second request.
    for (let times = 0; times < 3; times += 1) await service.send(`${LISTING}?pageSize=13`)
    const after = await read()
    expect(after.map((value, index) => value - (before[index] ?? 0))).toEqual([2, 1, 1, 2])
  })

  it('count page tokens of a definition that was changed', async () => {
    const [objectType] = NUMBERS.objectTypes
    const definition = (type: 'integer' | 'string') => ({
      ...NUMBERS,
      apiName: 'redefined',
      families: [],
      objectTypes: [
        {
          ...objectType,
          apiName: 'thing',
          properties: { n: { type: 'integer' as const }, text: { type } },
        },
      ],
    })
    const path =
      '/api/v1/ontologies/redefined/objects/thing?pageSize=1&orderBy=properties.text:asc&snapshot=true'
    await service.apply(definition('integer') as OntologyDefinition)
    await service.put('redefined', 'thing', [
      { n: 1, text: 1 },
      { n: 2, text: 2 },
    ])
    const { body } = await service.send(path)
    await service.apply(definition('string') as OntologyDefinition)
    const token = encodeURIComponent(body.nextPageToken)
    const refused = await service.send(`${path}&pageToken=${token}`)
    expect(refused.body).toMatchObject({
      errorName: 'InvalidPageToken',
      parameters: { reason: 'redefined' },
    })
    const series = 'oqs_page_tokens_refused_total{reason="redefined"}'
    expect(seriesValue(await readMetrics(), series)).toBe(1)
  })

  it('show the state of the store, the queues and the process', async () => {
    const text = await readMetrics()
    expect(seriesValue(text, 'oqs_objects{ontology="numbers",type="number"}')).toBe(25)
    expect(seriesValue(text, 'oqs_queue_tasks{queue="batches",state="waiting"}')).toBe(0)
    expect(seriesValue(text, 'oqs_request_memory_bytes{kind="limit"}')).toBeGreaterThan(0)
    expect(seriesValue(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6)
    expect(seriesValue(text, 'nodejs_event_loop_delay_seconds{percentile="100"}')).toBeDefined()
    expect(seriesValue(text, 'oqs_store_up')).toBe(1)
    expect(text).toMatch(/^oqs_build_info\{version="\d+\.\d+\.\d+",commit="\w+"\} 1$/m)
  })

  it('contain no path, key, token or property value', async () => {
    await service.send(`${LISTING}/7`)
    await service.send('/nowhere/secret-name')
    const text = await readMetrics()
    expect(text).not.toMatch(/secret-name|objects\/number/)
    expect(text).not.toContain(token)
  })
})

describe('access to metrics', () => {
  it('needs a token with the scope api:metrics-read', async () => {
    expect((await service.send('/metrics', { token: null })).status).toBe(401)
    const reader = await service.createToken()
    expect((await service.send('/metrics', { token: reader })).body).toMatchObject({
      errorName: 'ApiUsageDenied',
      parameters: { missingScope: 'api:metrics-read' },
    })
  })

  it('is refused to a token that is limited to ontologies', async () => {
    const limited = await service.createToken({
      scopes: ['api:metrics-read'],
      ontologies: ['numbers'],
    })
    expect((await service.send('/metrics', { token: limited })).status).toBe(403)
  })

  it('is open to programs on the same machine with OQS_METRICS=open, and absent if off', async () => {
    await using open = await startService({ settings: { OQS_METRICS: 'open' } })
    expect((await open.send('/metrics', { token: null })).status).toBe(200)
    await using off = await startService({ settings: { OQS_METRICS: 'off' } })
    expect((await off.send('/metrics')).status).toBe(404)
  })
})
