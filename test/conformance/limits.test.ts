import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { startService } from '../support/service.ts'
import { requestPage, valuesOf, type Walk, walkPages, walkUntilError } from '../support/walk.ts'

const CAP = 10_000
/** A limit that is reached soon, for the walks that differ in their pages. */
const LOW_CAP = 200
const walk: Walk = { revision: '1.0', ontology: 'numbers', objectType: 'number' }

/** Starts a service, and returns a function that puts objects until there are so many. */
async function startCounted(settings: Record<string, string> = {}) {
  const service = await startService({ settings })
  await service.apply(NUMBERS)
  let stored = 0
  const fill = async (count: number) => {
    if (count > stored) await service.put('numbers', 'number', numbers(count - stored, stored))
    stored = count
  }
  return { service, fill }
}

/** Checks a walk over so many objects that ended by itself or at a limit. */
function checkWalk(
  { pages, error }: Awaited<ReturnType<typeof walkUntilError>>,
  count: number,
  limit: number,
): void {
  expect(valuesOf(pages, 'n')).toEqual(numbers(Math.min(count, limit)).map(({ n }) => n))
  expect(pages.every((page) => page.totalCount === String(count))).toBe(true)
  if (count <= limit) {
    expect(error).toBeUndefined()
    return
  }
  // The page that reaches the limit has a token, because more exists; using it is rejected.
  expect(pages.at(-1)?.nextPageToken).toBeDefined()
  expect(error?.status).toBe(400)
  expect(error?.body).toMatchObject({
    errorCode: 'INVALID_ARGUMENT',
    errorName: 'ObjectsExceededLimit',
    parameters: { limit },
  })
}

describe('the cross-page limit of 10,000', () => {
  let counted: Awaited<ReturnType<typeof startCounted>>
  beforeAll(async () => {
    counted = await startCounted()
  })
  afterAll(() => counted.service[Symbol.asyncDispose]())

  it.each([CAP - 1, CAP, CAP + 1])('[7.1] [8.2] with %d objects', async (count) => {
    await counted.fill(count)
    for (const how of [
      { pageSize: 999, snapshot: false },
      { pageSize: 20_000, snapshot: true },
    ]) {
      checkWalk(await walkUntilError(counted.service, { ...walk, ...how }), count, CAP)
    }
  })
})

describe('a cross-page limit', () => {
  let counted: Awaited<ReturnType<typeof startCounted>>
  beforeAll(async () => {
    counted = await startCounted({ OQS_LIST_OBJECTS_LIMIT: String(LOW_CAP) })
  })
  afterAll(() => counted.service[Symbol.asyncDispose]())

  describe.each([LOW_CAP - 1, LOW_CAP, LOW_CAP + 1])('with %d objects', (count) => {
    beforeAll(() => counted.fill(count))

    const cases = [7, 19, 20, 1000].flatMap((pageSize) =>
      [false, true].map((snapshot) => ({ pageSize, snapshot })),
    )

    it.each(cases)('[7.1] [8.2] page size $pageSize, snapshot $snapshot', async (how) => {
      checkWalk(await walkUntilError(counted.service, { ...walk, ...how }), count, LOW_CAP)
    })

    it.each([false, true])(
      '[7.1] [8.2] single objects around the limit, snapshot %s',
      async (snapshot) => {
        let asked = 0
        const pageSize = () => {
          const size = asked < LOW_CAP - 20 ? 90 : 1
          asked += size
          return size
        }
        const walked = await walkUntilError(counted.service, { ...walk, snapshot, pageSize })
        checkWalk(walked, count, LOW_CAP)
      },
    )

    it('[8.2] does not depend on page sizes or repeated tokens', async () => {
      let size = 0
      const sizes = () => {
        size = (size * 7 + 31) % 47
        return size + 1
      }
      const { service } = counted
      const { pages, error } = await walkUntilError(service, { ...walk, pageSize: sizes })
      expect(valuesOf(pages, 'n')).toHaveLength(Math.min(count, LOW_CAP))
      expect(error?.body.errorName).toBe(count > LOW_CAP ? 'ObjectsExceededLimit' : undefined)
      const last = pages.at(-2)?.nextPageToken
      const again = await requestPage(service, { ...walk, pageSize: 1000 }, last)
      expect(again.body.data).toEqual(pages.at(-1)?.data.slice(0, again.body.data.length))
    })
  })
})

describe('limits as settings', () => {
  it('[8.2] [8.3] OQS_LIST_OBJECTS_LIMIT sets the limit, and none removes it', async () => {
    await using small = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: '5' } })
    await small.apply(NUMBERS)
    await small.put('numbers', 'number', numbers(6))
    const { pages, error } = await walkUntilError(small, { ...walk, pageSize: 3 })
    expect(pages.map((page) => page.data.length)).toEqual([3, 2])
    expect(error?.body.parameters).toEqual({ limit: 5 })

    await using lifted = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: 'none' } })
    await lifted.apply(NUMBERS)
    await lifted.put('numbers', 'number', numbers(10_500))
    expect(valuesOf(await walkPages(lifted, walk), 'n')).toHaveLength(10_500)
  })

  it('[8.3] the limit of an object type overrides that of the endpoint', async () => {
    await using service = await startService({ settings: { OQS_LIST_OBJECTS_LIMIT: '5' } })
    const [type] = NUMBERS.objectTypes
    if (type === undefined) throw new Error('no type')
    await service.apply({
      ...NUMBERS,
      objectTypes: [
        { ...type, apiName: 'seven', retrievalLimit: 7 },
        { ...type, apiName: 'all', retrievalLimit: 'none' },
      ],
    })
    for (const [objectType, reached] of [
      ['seven', 7],
      ['all', 20],
    ] as const) {
      await service.put('numbers', objectType, numbers(20))
      const { pages } = await walkUntilError(service, { ...walk, objectType, pageSize: 2 })
      expect(valuesOf(pages, 'n')).toHaveLength(reached)
    }
  })

  it('[2.1.3] a page ends at its byte budget, but contains at least one object', async () => {
    await using service = await startService({ settings: { OQS_PAGE_MAX_BYTES: '4096' } })
    await service.apply(NUMBERS)
    const sizes = [10, 5000, 10, 1500, 1500, 1500, 9000, 10, 10]
    await service.put(
      'numbers',
      'number',
      sizes.map((size, n) => ({ n, text: 'x'.repeat(size) })),
    )
    for (const snapshot of [false, true]) {
      const pages = await walkPages(service, { ...walk, snapshot })
      expect(valuesOf(pages, 'n')).toEqual(sizes.map((_, n) => n))
      for (const { data } of pages) {
        expect(data.length === 1 || JSON.stringify(data).length <= 4096 + 2).toBe(true)
      }
      expect(pages.length).toBeGreaterThan(3)
    }
  })
})
