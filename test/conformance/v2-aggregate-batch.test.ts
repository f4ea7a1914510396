/** Several aggregations in one request: the same as one by one, but all of one version. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorWithin, ObjectQueryError } from '../../src/contract/errors.ts'
import { AGGREGATE_MAX_BATCH } from '../../src/contract/limits.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type SendOptions, type Service, startService } from '../support/service.ts'

const OBJECTS = '/api/v2/ontologies/numbers/objects/number'
const COUNT = { type: 'count', name: 'count' }
const TOTAL = { aggregation: [COUNT], groupBy: [] }
const SUM = { aggregation: [{ type: 'sum', field: 'n', name: 'sum' }], groupBy: [] }
const BY_TEN = {
  aggregation: [COUNT],
  groupBy: [{ type: 'fixedWidth', field: 'n', fixedWidth: 10 }],
}
const SMALL = { ...TOTAL, where: { type: 'lt', field: 'n', value: 5 } }

let service: Service
beforeAll(async () => {
  service = await startService({ settings: { OQS_AGGREGATE_MAX_GROUPS: '20' } })
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(30))
})
afterAll(() => service[Symbol.asyncDispose]())

const askAll = (aggregations: readonly object[], more: object = {}, options: SendOptions = {}) =>
  service.send(`${OBJECTS}/aggregateBatch`, { ...options, json: { aggregations, ...more } })

describe('several aggregations', () => {
  it('are answered in their order, each as if it were alone', async () => {
    const asked = [TOTAL, BY_TEN, SMALL, SUM]
    const { status, body, headers } = await askAll(asked)
    expect(status).toBe(200)
    const alone = await Promise.all(
      asked.map((json) => service.send(`${OBJECTS}/aggregate`, { json })),
    )
    expect(body).toEqual({ data: alone.map((answer) => answer.body) })
    expect(headers.get('oqs-version')).toBe(alone[0]?.headers.get('oqs-version'))
  })

  it('leave out what they dropped', async () => {
    const most = { type: 'exact', field: 'n', maxGroupCount: 2 }
    const { body } = await askAll([{ aggregation: [COUNT], groupBy: [most] }, TOTAL])
    expect(body.data.map((each: { excludedItems?: number }) => each.excludedItems)).toEqual([
      28,
      undefined,
    ])
  })

  it('all read the same version while objects are written', async () => {
    const done = new AbortController()
    const write = async () => {
      for (let n = 1000; !done.signal.aborted; n += 1) {
        await service.put('numbers', 'number', [{ n }])
      }
    }
    const written = write()
    try {
      for (let round = 0; round < 20; round += 1) {
        const { status, body } = await askAll(Array.from({ length: 8 }, () => TOTAL))
        expect(status).toBe(200)
        const counts = body.data.map((each: CountAnswer) => each.data[0]?.metrics[0]?.value)
        expect(new Set(counts).size).toBe(1)
      }
    } finally {
      done.abort()
      await written
    }
  })

  it('read a version that the request names', async () => {
    const version = Number((await askAll([TOTAL])).headers.get('oqs-version'))
    const before = await askAll([TOTAL, SUM], { version })
    await service.put('numbers', 'number', numbers(10, 500))
    const again = await askAll([TOTAL, SUM], { version })
    expect(again.headers.get('oqs-version')).toBe(String(version))
    expect(again.body).toEqual(before.body)
    expect((await askAll([TOTAL])).headers.get('oqs-version')).toBe(String(version + 1))
    const unknown = await askAll([TOTAL], { version: version + 100 })
    expect([unknown.status, unknown.body.errorName]).toEqual([404, 'VersionNotFound'])
  })
})

interface CountAnswer {
  readonly data: readonly { readonly metrics: readonly { readonly value: number }[] }[]
}

describe('an error names the aggregation that it is about', () => {
  const invalid: readonly (readonly [string, object, number, string, string])[] = [
    [
      'an unknown metric',
      { aggregation: [{ type: 'mode', field: 'n' }] },
      400,
      'AggregationMetricNotSupported',
      'aggregations[1]',
    ],
    [
      'an unknown property',
      { aggregation: [{ type: 'max', field: 'size' }] },
      404,
      'PropertiesNotFound',
      'aggregations[1]',
    ],
    [
      'a metric without a field',
      { aggregation: [COUNT, { type: 'max' }] },
      422,
      'Conjure:UnprocessableEntity',
      'aggregations[1].aggregation[1].field',
    ],
    [
      'an unknown property in a condition',
      { ...TOTAL, where: { type: 'eq', field: 'size', value: 1 } },
      404,
      'PropertiesNotFound',
      'aggregations[1]',
    ],
    [
      'too many groups',
      { aggregation: [COUNT], groupBy: [{ type: 'exact', field: 'n' }] },
      400,
      'AggregationGroupCountExceededLimit',
      'aggregations[1]',
    ],
  ]
  it.each(invalid)('%s', async (_, wrong, status, errorName, parameter) => {
    const { body, ...answer } = await askAll([TOTAL, wrong, SUM])
    expect([answer.status, body.errorName]).toEqual([status, errorName])
    expect(body.parameters.parameter).toBe(parameter)
  })
})

it.each([
  ['no aggregations', { aggregations: [] }],
  ['too many', { aggregations: Array.from({ length: AGGREGATE_MAX_BATCH + 1 }, () => TOTAL) }],
  ['none at all', {}],
  ['a version in an aggregation', { aggregations: [{ ...TOTAL, version: 1 }] }],
  ['conditions for all', { aggregations: [TOTAL], where: SMALL.where }],
])('refuses %s', async (_, json) => {
  const { status, body } = await service.send(`${OBJECTS}/aggregateBatch`, { json })
  expect([status, body.errorName]).toEqual([422, 'Conjure:UnprocessableEntity'])
})

it('answers as many aggregations as it allows', async () => {
  const { status, body } = await askAll(Array.from({ length: AGGREGATE_MAX_BATCH }, () => SMALL))
  expect([status, body.data.length]).toEqual([200, AGGREGATE_MAX_BATCH])
})

it('counts what policies show, of one version, which it does not name', async () => {
  const rule = { type: 'lt', field: 'n', value: 10 }
  const access = { ontology: 'numbers', objectType: 'number', access: 'read', where: rule }
  const policy = await service.send('/api/admin/v1/policies/small', {
    method: 'PUT',
    json: { rights: [access] },
  })
  expect(policy.status).toBeLessThan(300)
  const token = await service.createToken({ policies: ['small'] })
  const { status, body, headers } = await askAll([TOTAL, SUM], {}, { token })
  expect([status, headers.get('oqs-version')]).toEqual([200, null])
  const values = body.data.map((each: CountAnswer) => each.data[0]?.metrics[0]?.value)
  expect(values).toEqual([10, 45])
  const named = await askAll([TOTAL], { version: 1 }, { token })
  expect([named.status, named.body.errorName]).toEqual([404, 'VersionNotFound'])
})

it('logs no failure of the service if one of them is wrong', () => {
  const error = errorWithin(
    'aggregations[1]',
    new ObjectQueryError('ObjectTypeNotFound', { parameter: 'where' }),
  )
  // What has a cause is logged as a failure.
  expect(error).toMatchObject({
    parameters: { parameter: 'aggregations[1].where' },
    cause: undefined,
  })
})
