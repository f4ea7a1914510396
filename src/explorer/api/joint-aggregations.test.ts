import { expect, it } from 'vitest'
import { AGGREGATE_MAX_BATCH } from '../../contract/limits.ts'
import type { AggregatedType } from './joint-aggregations.ts'
import { Service } from './service.ts'

const CITIES: AggregatedType = {
  ontology: 'world',
  objectType: 'city',
  version: undefined,
  isSnapshot: false,
}
const NEVER = new AbortController().signal

interface Sent {
  readonly aggregations: readonly object[]
  readonly version?: number
}

/** A service that counts the aggregations before each: 0, 1, 2, … */
function connect(refuse: (sent: Sent) => object | undefined = () => undefined) {
  const requests: (Sent & { readonly signal: AbortSignal | undefined })[] = []
  const service = new Service({
    baseUrl: 'http://service.test',
    retries: 0,
    fetch: async (_, init) => {
      const sent = JSON.parse(String(init?.body)) as Sent
      requests.push({ ...sent, signal: init?.signal ?? undefined })
      const error = refuse(sent)
      if (error !== undefined) return Response.json(error, { status: 400 })
      const data = sent.aggregations.map((_, value) => ({
        data: [{ group: {}, metrics: [{ name: 'count', value }] }],
      }))
      return Response.json({ data })
    },
  })
  const count = async (type: AggregatedType, signal = NEVER) => {
    const body = { aggregation: [{ type: 'count', name: 'count' }], groupBy: [] }
    const { data } = await service.aggregations.ask(type, body, signal)
    return data[0]?.metrics[0]?.value
  }
  return { count, requests }
}

it('joins what is asked for in one turn, by type and version', async () => {
  const { count, requests } = connect()
  const counted = await Promise.all([
    count(CITIES),
    count({ ...CITIES, version: 7 }),
    count(CITIES),
    count({ ...CITIES, version: 7 }),
    count(CITIES),
  ])
  expect(counted).toEqual([0, 0, 1, 1, 2])
  expect(requests.map(({ aggregations, version }) => [aggregations.length, version])).toEqual([
    [3, undefined],
    [2, 7],
  ])
  expect(await count(CITIES)).toBe(0)
  expect(requests).toHaveLength(3)
})

it('sends no more in one request than the service takes', async () => {
  const { count, requests } = connect()
  const all = Array.from({ length: AGGREGATE_MAX_BATCH + 1 }, () => count(CITIES))
  expect((await Promise.all(all)).at(-1)).toBe(0)
  expect(requests.map(({ aggregations }) => aggregations.length)).toEqual([AGGREGATE_MAX_BATCH, 1])
})

it('stops a request when nobody waits for it any longer', async () => {
  const { count, requests } = connect()
  const [first, second, unsent] = [1, 2, 3].map(() => new AbortController())
  const asked = [first, second, unsent].map((each) => count(CITIES, each?.signal))
  unsent?.abort()
  await expect(asked[2]).rejects.toThrow()
  expect(requests.map(({ aggregations }) => aggregations.length)).toEqual([2])
  const signal = requests[0]?.signal
  first?.abort()
  expect(signal?.aborted).toBe(false)
  second?.abort()
  expect(signal?.aborted).toBe(true)
  await Promise.allSettled(asked)
})

it('fails what is wrong, and asks for the rest again', async () => {
  const { count, requests } = connect(({ aggregations }) =>
    aggregations.length === 3
      ? {
          errorName: 'TooMany',
          errorCode: 'X',
          parameters: { parameter: 'aggregations[1].groupBy' },
        }
      : undefined,
  )
  const asked = [0, 1, 2].map(() => count(CITIES))
  const [first, wrong, last] = await Promise.allSettled(asked)
  expect([first, last]).toEqual([
    { status: 'fulfilled', value: 0 },
    { status: 'fulfilled', value: 1 },
  ])
  expect(wrong).toMatchObject({ status: 'rejected', reason: { errorName: 'TooMany' } })
  expect(requests).toHaveLength(2)
})

it('counts the newest objects if the version of the rows is gone, but not beside a snapshot', async () => {
  const { count, requests } = connect(({ version }) =>
    version === undefined ? undefined : { errorName: 'VersionNotFound', parameters: { version } },
  )
  const old = { ...CITIES, version: 3 }
  expect(await count(old)).toBe(0)
  expect(requests.map(({ version }) => version)).toEqual([3, undefined])
  const snapshot = { ...old, isSnapshot: true }
  await expect(count(snapshot)).rejects.toMatchObject({
    errorName: 'VersionNotFound',
  })
})
