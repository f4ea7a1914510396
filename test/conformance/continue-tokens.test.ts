/** What an error offers when a page token is too old: a token that goes on as of now. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { retentionOf } from '../../src/server/maintenance.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { COUNTRIES, PLACES } from '../support/places.ts'
import {
  type SendOptions,
  type Service,
  startService,
  type TestResponse,
} from '../support/service.ts'

const AGE_SECONDS = 60
const SETTINGS = {
  OQS_SNAPSHOT_MAX_AGE_SECONDS: String(AGE_SECONDS),
  OQS_PAGE_TOKEN_TTL_SECONDS: String(AGE_SECONDS),
  OQS_CHANGES_MAX_AGE_SECONDS: String(AGE_SECONDS),
  OQS_LIST_OBJECTS_LIMIT: '15',
}
const LIVES = { snapshotMaxAgeSeconds: AGE_SECONDS, pageTokenTtlSeconds: AGE_SECONDS }
const COUNT = 20

type Ask = (page: object) => [path: string, options?: SendOptions]

const inQuery =
  (path: string): Ask =>
  (page) => [
    `${path}${new URLSearchParams(Object.entries(page).map(([name, value]): [string, string] => [name, String(value)]))}`,
  ]
const inBody =
  (path: string, body: object): Ask =>
  (page) => [path, { json: { ...body, ...page } }]

const V2 = '/api/v2/ontologies/numbers'
const LIST: Ask = inQuery('/api/v1/ontologies/numbers/objects/number?')
const LIST_V2: Ask = inQuery(`${V2}/objects/number?`)
const ORDERED: Ask = inQuery(`${V2}/objects/number?orderBy=properties.text:asc&`)
const SEARCH: Ask = inBody(`${V2}/objects/number/search`, {
  where: { type: 'gte', field: 'n', value: 0 },
})
const RELEVANT: Ask = inBody(`${V2}/objects/number/search`, {
  where: { type: 'containsAnyTerm', field: 'text', value: 'text' },
  orderBy: { orderType: 'relevance' },
})
const both = ['number', 'twin'].map((objectType) => ({ type: 'base', objectType }))
const SET: Ask = inBody(`${V2}/objectSets/loadObjectsMultipleObjectTypes`, {
  objectSet: { type: 'union', objectSets: both },
})
const FAMILY: Ask = inBody('/api/family/v1/objects/types/number/search', {
  query: { type: 'empty' },
})

describe('a page token that is too old', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ settings: SETTINGS })
    const [type] = NUMBERS.objectTypes
    if (type === undefined) throw new Error('no type')
    await service.apply({ ...NUMBERS, objectTypes: [type, { ...type, apiName: 'twin' }] })
    await fill()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const fill = async () => {
    const objects = numbers(COUNT).map(({ n }) => ({
      n,
      text: `text ${String(n).padStart(2, '0')}`,
    }))
    await service.put('numbers', 'number', objects)
  }
  const send = (ask: Ask, page: object): Promise<TestResponse> => service.send(...ask(page))
  // biome-ignore lint/suspicious/noExplicitAny: records of all revisions
  const keysOf = ({ body }: TestResponse) => body.data.map((one: any) => one.n ?? one.properties.n)
  const waitTooLong = () => {
    service.clock.now += (AGE_SECONDS + 1) * 1000
  }
  const maintain = () => service.store.reclaim(retentionOf(LIVES, () => service.clock.now))
  const continueTokenOf = ({ status, body }: TestResponse, reason: string): string => {
    expect([status, body.errorName, body.parameters.reason]).toEqual([
      400,
      'InvalidPageToken',
      reason,
    ])
    expect(body.parameters.continueToken).toMatch(/^v1\./)
    return body.parameters.continueToken
  }

  it.each([
    ['list of revision 1.0', LIST, {}],
    ['list', LIST_V2, {}],
    ['snapshot of a list', LIST_V2, { snapshot: true }],
    ['ordered list', ORDERED, {}],
    ['ordered snapshot', ORDERED, { snapshot: true }],
    ['search', SEARCH, { snapshot: true }],
    ['search by relevance', RELEVANT, {}],
    ['snapshot by relevance', RELEVANT, { snapshot: true }],
    ['set of two types', SET, {}],
    ['snapshot of a set', SET, { snapshot: true }],
    ['search of revision 2.0', FAMILY, {}],
  ])('continues a %s after its last object', async (_, ask, walk) => {
    const page = { pageSize: 7, ...walk }
    const first = await send(ask, page)
    waitTooLong()
    const refused = await send(ask, { ...page, pageToken: first.body.nextPageToken })
    const token = continueTokenOf(refused, 'expired')
    const second = await send(ask, { ...page, pageToken: token })
    expect(second.status).toBe(200)
    const third = await send(ask, { ...page, pageToken: second.body.nextPageToken })
    const keys = [first, second, third].flatMap(keysOf).map(Number)
    expect(keys.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: keys.length }, (__, n) => n),
    )
    expect(keys).toHaveLength(ask === LIST ? 15 : COUNT)
  })

  it('[4.5.2] continues as of now: with what was written since, and without what was deleted', async () => {
    const page = { pageSize: 5, snapshot: true }
    const first = await send(LIST_V2, page)
    await service.write('numbers', 'number', [
      { put: { n: 2, text: 'before the cursor' } },
      { delete: 4 },
      { delete: 5 },
      { put: { n: COUNT, text: 'new' } },
    ])
    waitTooLong()
    const refused = await send(LIST_V2, { ...page, pageToken: first.body.nextPageToken })
    const token = continueTokenOf(refused, 'expired')
    await service.write('numbers', 'number', [{ delete: 6 }])
    const second = await send(LIST_V2, { ...page, pageToken: token })
    expect(keysOf(second)).toEqual([7, 8, 9, 10, 11])
    expect(second.body.totalCount).toBe(String(COUNT - 2))
    // From there on, it is a snapshot again.
    await service.write('numbers', 'number', [{ delete: 12 }])
    const rest = { ...page, pageSize: 100, pageToken: second.body.nextPageToken }
    const third = await send(LIST_V2, rest)
    expect(keysOf(third)).toEqual([12, 13, 14, 15, 16, 17, 18, 19, 20])
    // The walk is no complete snapshot, so that nothing can be followed from it.
    expect(third.body).not.toHaveProperty('nextPageToken')
    expect(third.body).not.toHaveProperty('nextChangesToken')
    await service.write('numbers', 'number', [{ delete: COUNT }])
    await fill()
  })

  it('stays a continued walk when its new token expires', async () => {
    await using other = await startService()
    await other.apply(NUMBERS)
    await other.put('numbers', 'number', numbers(COUNT))
    const ask = (page: object) => other.send(...LIST_V2({ snapshot: true, pageSize: 15, ...page }))
    const { body: first } = await ask({})
    other.clock.now += 24 * 3600 * 1000
    const { body: gone } = await ask({ pageToken: first.nextPageToken })
    expect(gone.parameters).not.toHaveProperty('snapshotToken')
    const { body: second } = await ask({ pageToken: gone.parameters.continueToken, pageSize: 2 })
    other.clock.now += 301 * 1000
    const { body: expired } = await ask({ pageToken: second.nextPageToken })
    const { snapshotToken, continueToken } = expired.parameters
    for (const pageToken of [snapshotToken, continueToken]) {
      const { body: last } = await ask({ pageToken })
      expect(last.data.map(({ n }: { n: number }) => n)).toEqual([17, 18, 19])
      expect(last).not.toHaveProperty('nextChangesToken')
    }
  })

  it('keeps counting towards the retrieval limit', async () => {
    const first = await send(LIST, { pageSize: 14 })
    waitTooLong()
    const refused = await send(LIST, { pageSize: 14, pageToken: first.body.nextPageToken })
    const token = continueTokenOf(refused, 'expired')
    const second = await send(LIST, { pageSize: 14, pageToken: token })
    expect(keysOf(second)).toEqual([14])
    const third = await send(LIST, { pageSize: 14, pageToken: second.body.nextPageToken })
    expect(third.body.errorName).toBe('ObjectsExceededLimit')
  })

  it('continues after its snapshot was reclaimed', async () => {
    const long = {
      ...SETTINGS,
      OQS_PAGE_TOKEN_TTL_SECONDS: '9999',
      OQS_SNAPSHOT_MAX_AGE_SECONDS: '9999',
    }
    await using other = await startService({ settings: long })
    await other.apply(NUMBERS)
    await other.put('numbers', 'number', numbers(COUNT))
    const page = { snapshot: true, pageSize: 5 }
    const { body: first } = await other.send(...LIST_V2(page))
    const { body: ordered } = await other.send(...ORDERED(page))
    await other.write('numbers', 'number', [{ put: { n: 4, text: 'changed' } }, { delete: 5 }])
    const gone = retentionOf(LIVES, () => other.clock.now)
    await other.store.reclaim(gone)
    other.clock.now += (AGE_SECONDS + 200) * 1000
    await other.store.reclaim(gone)
    await other.store.reclaim(gone)
    const refused = await other.send(...LIST_V2({ ...page, pageToken: first.nextPageToken }))
    const pageToken = continueTokenOf(refused, 'reclaimed')
    const { body: second } = await other.send(...LIST_V2({ ...page, pageToken }))
    expect(second.data.map(({ n }: { n: number }) => n)).toEqual([6, 7, 8, 9, 10])
    // The order values of a cursor are those of its row, which is gone.
    const unordered = await other.send(...ORDERED({ ...page, pageToken: ordered.nextPageToken }))
    expect(unordered.body.parameters.reason).toBe('reclaimed')
    expect(unordered.body.parameters).not.toHaveProperty('continueToken')
  })

  it('has a token that is bound to the same request and caller', async () => {
    const page = { pageSize: 5, snapshot: true }
    const first = await send(LIST_V2, page)
    waitTooLong()
    const refused = await send(LIST_V2, { ...page, pageToken: first.body.nextPageToken })
    const pageToken = continueTokenOf(refused, 'expired')
    const reasonOf = async (ask: Ask, options: SendOptions = {}) => {
      const [path, own] = ask({ ...page, pageToken })
      return (await service.send(path, { ...own, ...options })).body.parameters?.reason
    }
    expect(await reasonOf(ORDERED)).toBe('other request')
    expect(await reasonOf(LIST)).toBe('other request')
    const token = await service.createToken({ name: 'other' })
    expect(await reasonOf(LIST_V2, { token })).toBe('other caller')
    waitTooLong()
    expect(await reasonOf(LIST_V2)).toBe('expired')
    await maintain()
  })

  it('goes on with linked objects whose start was deleted, if it was of a snapshot', async () => {
    await using other = await startService({ settings: SETTINGS })
    await other.apply(PLACES)
    await other.put('places', 'country', COUNTRIES)
    const airports = ['A', 'B', 'C', 'D'].map((id) => ({ id, name: id, countryCode: 'CH' }))
    await other.put('places', 'airport', airports)
    const linked = inQuery('/api/v2/ontologies/places/objects/country/CH/links/airports?')
    const walks = [{ pageSize: 1, snapshot: true }, { pageSize: 1 }]
    const first = await Promise.all(walks.map((page) => other.send(...linked(page))))
    const next = first.map(({ body }) => body.nextPageToken)
    other.clock.now += (AGE_SECONDS + 1) * 1000
    const pageTokens = await Promise.all(
      walks.map(async (page, index) =>
        continueTokenOf(
          await other.send(...linked({ ...page, pageToken: next[index] })),
          'expired',
        ),
      ),
    )
    await other.write('places', 'country', [{ delete: 'CH' }])
    await other.write('places', 'airport', [{ delete: 'C' }])
    const rest = await Promise.all(
      walks.map((page, index) =>
        other.send(...linked({ ...page, pageSize: 9, pageToken: pageTokens[index] })),
      ),
    )
    expect(rest[0]?.body.data.map(({ id }: { id: string }) => id)).toEqual(['B', 'D'])
    expect(rest[0]?.body.nextChangesToken).toBeUndefined()
    expect([rest[1]?.status, rest[1]?.body.errorName]).toEqual([404, 'ObjectNotFound'])
  })
})
