/** What the service rejects, the schemas of `openapi.json` reject too; and everything is described. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'

/** The formats that parameters and members have. */
const FORMATS = {
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  uri: true,
} as const

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly schema: object }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Record<string, { readonly description: string; readonly headers?: object }>
}

let service: Service
// biome-ignore lint/suspicious/noExplicitAny: the document is the thing under test
let document: any
let operations: Map<string, Operation & { readonly path: string; readonly method: string }>
const ajv = new Ajv2020({ strict: false, validateFormats: true, formats: FORMATS })

beforeAll(async () => {
  service = await startService()
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(3))
  document = (await service.send('/openapi.json', { token: null })).body
  operations = new Map(
    Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, one]) => [one.operationId, { ...one, path, method }] as const,
      ),
    ),
  )
})
afterAll(() => service[Symbol.asyncDispose]())

const names: Readonly<Record<string, string>> = {
  ontology: 'numbers',
  objectType: 'number',
  apiFamily: 'numbers',
  actionType: 'create-number',
}

function find(operationId: string) {
  const operation = operations.get(operationId)
  if (operation === undefined) throw new Error(`there is no operation ${operationId}`)
  const path = operation.path.replaceAll(/{(\w+)}/g, (_, name: string) => names[name] ?? name)
  return { ...operation, path }
}

function isValid(schema: object, value: unknown): boolean {
  return ajv.validate({ ...schema, components: document.components }, value)
}

const field = 'properties.n'
const count = { type: 'count' }

describe('a request that the service rejects is invalid by openapi.json:', () => {
  it.each<[operationId: string, body: object]>([
    ['searchObjectsRevision1', { query: { type: 'eq', field: 'n', value: 1 } }],
    ['searchObjectsRevision1', { query: { type: 'eq', field: '', value: 1 } }],
    ['searchObjectsRevision1', { query: { type: 'and', value: [] } }],
    ['searchObjectsRevision1', { query: { type: 'eq', field, value: 1 }, pageToken: 'x' }],
    ['aggregateObjects', { aggregation: [{ type: 'max', field: 'n' }] }],
    ['aggregateObjects', { aggregation: [{ type: 'count', name: '' }] }],
    ['aggregateObjects', { aggregation: [] }],
    ['searchObjectsV2', { where: { type: 'eq', field: '', value: 1 } }],
    ['searchObjectsV2', { orderBy: { fields: [{ field: '' }] } }],
    ['searchObjectsV2', { orderBy: { fields: [{ field: 'n', direction: 'up' }] } }],
    ['searchObjectsV2', { orderBy: { orderType: 'other' } }],
    ['searchObjectsV2', { select: [''] }],
    ['searchObjectsV2', { pageToken: 'abc' }],
    ['aggregateObjectsV2', { aggregation: [count, { type: 'max', field: '' }] }],
    ['aggregateObjectsV2', { aggregation: [{ type: 'count', name: '' }] }],
    ['loadObjects', { objectSet: { type: 'static', objects: ['ri.other'] } }],
    ['loadObjects', { objectSet: { type: 'union', objectSets: [] } }],
    [
      'searchObjectsV2',
      { selectV2: [{ type: 'structField', propertyApiName: 'n', structFieldApiName: 'x' }] },
    ],
    ['createTemporaryObjectSet', { objectSet: { type: 'reference', reference: 'x' } }],
    ['getObjectTypesByRid', { requests: [] }],
    ['applyActionBatch', {}],
    ['applyActionBatch', { requests: [] }],
    ['applyActionBatchV2', { requests: Array.from({ length: 21 }, () => ({})) }],
  ])('%s with the body %j', async (operationId, json) => {
    const { path, requestBody } = find(operationId)
    const { status } = await service.send(path, { method: 'POST', json })
    expect([400, 404, 422]).toContain(status)
    const schema = requestBody?.content['application/json']?.schema ?? {}
    expect(isValid(schema, json)).toBe(false)
  })

  it.each([
    ['listObjects', 'orderBy', ''],
    ['listObjects', 'orderBy', 'n'],
    ['listObjects', 'orderBy', 'properties.n:up'],
    ['listObjects', 'pageToken', 'abc'],
    ['listObjectsV2', 'orderBy', ''],
    ['listObjectsV2', 'branch', 'main'],
    ['listObjectTypes', 'pageToken', 'é'],
    ['exportObjects', 'after', ''],
    ['listAuditRecords', 'since', 'yesterday'],
  ])('%s with %s=%s', async (operationId, name, value) => {
    const { path, parameters } = find(operationId)
    const { status } = await service.send(`${path}?${name}=${encodeURIComponent(value)}`)
    expect([400, 404, 422]).toContain(status)
    const { schema } = parameters?.find((parameter) => parameter.name === name) ?? {}
    expect(isValid(schema ?? {}, value)).toBe(false)
  })
})

it('rejects idempotency keys like the service', async () => {
  const { path, parameters = [] } = find('startReplacement')
  const { schema = {} } = parameters.find(({ name }) => name === 'idempotency-key') ?? {}
  for (const [key, expected] of [
    ['a b', 400],
    ['x'.repeat(256), 400],
    ['5f0a7c51', 200],
  ] as const) {
    const headers = { 'idempotency-key': key }
    const { status } = await service.send(path, { method: 'POST', headers })
    expect([status, isValid(schema, key)]).toEqual([expected, expected === 200])
  }
})

it('accepts orders and page tokens that the service accepts', async () => {
  const { path, parameters = [] } = find('listObjects')
  const schemaOf = (name: string) => parameters.find((one) => one.name === name)?.schema ?? {}
  for (const order of ['p.n', 'properties.n:desc:nullsFirst, p.text:asc']) {
    expect(isValid(schemaOf('orderBy'), order)).toBe(true)
    const listed = await service.send(`${path}?orderBy=${encodeURIComponent(order)}&pageSize=1`)
    expect(listed.status).toBe(200)
    expect(isValid(schemaOf('pageToken'), listed.body.nextPageToken)).toBe(true)
  }
})

it('describes every response, every tag and the headers of errors', () => {
  const tags = new Map<string, string>(
    document.tags.map((tag: { name: string; description: string }) => [tag.name, tag.description]),
  )
  const missing: string[] = []
  for (const { operationId, responses, tags: ofOperation } of operations.values()) {
    for (const [status, { description, headers = {} }] of Object.entries(responses)) {
      const isDescribed = description !== '' && description !== 'Default Response'
      if (!isDescribed) missing.push(`${operationId} ${status}`)
      if (/^[45]/.test(status) && !('Retry-After' in headers))
        missing.push(`${operationId} headers`)
    }
    for (const tag of ofOperation) if (!tags.get(tag)) missing.push(`tag ${tag}`)
  }
  expect(missing).toEqual([])
})

it('creates a token that is valid for a fraction of a day', async () => {
  const { status, body } = await service.send('/api/admin/v1/tokens', {
    json: { name: 'short', days: 11492.602199823688 },
  })
  expect(status).toBe(200)
  expect(body.expiresAt).toMatch(/^2\d{3}-/)
})
