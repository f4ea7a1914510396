import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { type Service, startService } from '../support/service.ts'
import { retention } from '../support/store-fixture.ts'
import { createTestStore } from '../support/test-store.ts'
import { requestPage, valuesOf, type Walk } from '../support/walk.ts'

const list: Walk = { revision: '1.0', ontology: 'numbers', objectType: 'number', pageSize: 5 }
const search: Walk = { ...list, revision: '2.0' }

async function fill(service: Service): Promise<void> {
  await service.apply(NUMBERS)
  await service.apply({ ...NUMBERS, apiName: 'others', families: ['other-family'] })
  const [type] = NUMBERS.objectTypes
  if (type === undefined) throw new Error('no type')
  await service.apply({ ...NUMBERS, objectTypes: [type, { ...type, apiName: 'twin' }] })
  for (const [ontology, objectType] of [
    ['numbers', 'number'],
    ['numbers', 'twin'],
    ['others', 'number'],
  ] as const) {
    await service.put(ontology, objectType, numbers(20))
  }
}

async function tokenOf(service: Service, walk: Walk): Promise<string> {
  const { body } = await requestPage(service, walk)
  return body.nextPageToken
}

describe('a page token is bound to', () => {
  let service: Service
  let alice: string
  let bob: string
  beforeAll(async () => {
    service = await startService()
    await fill(service)
    alice = await service.createToken({ name: 'alice' })
    bob = await service.createToken({ name: 'bob' })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const foreign: readonly [what: string, from: Walk, to: Walk, reason: string][] = [
    ['its object type', list, { ...list, objectType: 'twin' }, 'other request'],
    ['its ontology', list, { ...list, ontology: 'others' }, 'other request'],
    ['its revision', list, search, 'other request'],
    ['its revision, the other way', search, list, 'other request'],
    ['its snapshot flag', list, { ...list, snapshot: true }, 'other request'],
    ['its snapshot flag, the other way', { ...list, snapshot: true }, list, 'other request'],
    ['its family', search, { ...search, family: 'other-family' }, 'other request'],
    ['its object type in search', search, { ...search, objectType: 'twin' }, 'other request'],
  ]
  it.each(foreign)('[2.1.5] [4.1.1] %s', async (_what, from, to, reason) => {
    const token = await tokenOf(service, from)
    const answer = await requestPage(service, to, token)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      errorName: 'InvalidPageToken',
      parameters: { pageToken: token, reason },
    })
  })

  it('[2.1.5] [5.1] its caller', async () => {
    for (const walk of [list, search]) {
      const token = await tokenOf(service, { ...walk, token: alice })
      const own = await requestPage(service, { ...walk, token: alice }, token)
      const foreign = await requestPage(service, { ...walk, token: bob }, token)
      expect(own.status).toBe(200)
      expect(foreign.status).toBe(400)
      expect(foreign.body.parameters.reason).toBe('other caller')
    }
  })

  it('[4.1.1] nothing else: snapshot=false equals no snapshot', async () => {
    const token = await tokenOf(service, list)
    const answer = await requestPage(service, { ...list, snapshot: false }, token)
    expect(answer.status).toBe(200)
  })

  it('[2.1.5] its exact bytes: truncated, changed, extended, empty and forged tokens are malformed', async () => {
    const token = await tokenOf(service, list)
    const middle = Math.floor(token.length / 2)
    const flipped =
      token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1)
    const odd = [
      '',
      'x',
      'v1.',
      'v1.AAAA',
      token.slice(0, -1),
      token.slice(1),
      flipped,
      `${token}A`,
      `${token}=`,
      token.replace('v1.', 'v2.'),
      ` ${token}`,
      'null',
      '9'.repeat(5000),
      'é'.repeat(20),
      `v1.${'A'.repeat(1000)}`,
    ]
    for (const pageToken of odd) {
      const inQuery = await requestPage(service, list, pageToken)
      const inBody = await requestPage(service, search, pageToken)
      for (const answer of [inQuery, inBody]) {
        expect([pageToken, answer.status, answer.body.errorName]).toEqual([
          pageToken,
          400,
          'InvalidPageToken',
        ])
        expect(answer.body.parameters.reason).toBe('malformed')
      }
    }
  })
})

describe('a page token', () => {
  it('[4.1.1] is bound to the order, the selection and the filters of its request', async () => {
    await using service = await startService()
    await fill(service)
    const path = '/api/v1/ontologies/numbers/objects/number?pageSize=5'
    const variants = [
      '',
      '&orderBy=p.n',
      '&orderBy=p.n:desc',
      '&properties=n',
      '&p.n.gt=0',
      '&p.n.gt=1',
    ]
    for (const from of variants) {
      const { body } = await service.send(path + from)
      for (const to of variants) {
        const answer = await service.send(`${path}${to}&pageToken=${body.nextPageToken}`)
        expect([from, to, answer.status]).toEqual([from, to, from === to ? 200 : 400])
      }
    }
  })
})

describe('a page token of an object type', () => {
  it('[2.1.5] is rejected after the type was recreated, or has another key', async () => {
    await using service = await startService()
    await fill(service)
    const tokens = [
      await tokenOf(service, list),
      await tokenOf(service, { ...list, snapshot: true }),
    ]
    const { body } = await service.send('/api/admin/v1/ontologies/numbers')
    const others = body.objectTypes.filter((one: { apiName: string }) => one.apiName !== 'number')
    await service.write(
      'numbers',
      'number',
      numbers(20).map(({ n }) => ({ delete: n })),
    )
    expect((await service.apply({ ...NUMBERS, objectTypes: others })).status).toBe(200)
    const again = [...NUMBERS.objectTypes, ...others]
    expect((await service.apply({ ...NUMBERS, objectTypes: again })).status).toBe(200)
    await service.put('numbers', 'number', numbers(20))
    const [plain, snapshot] = [
      await requestPage(service, list, tokens[0]),
      await requestPage(service, { ...list, snapshot: true }, tokens[1]),
    ]
    for (const answer of [plain, snapshot])
      expect(answer.body.parameters.reason).toBe('other request')
  })

  it('[4.5.2] is rejected with the reason if the data of its snapshot was reclaimed', async () => {
    await using service = await startService()
    await fill(service)
    const token = await tokenOf(service, { ...list, snapshot: true })
    await service.put('numbers', 'number', [{ n: 1 }])
    await service.store.reclaim(retention(service.clock.now))
    const answer = await requestPage(service, { ...list, snapshot: true }, token)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      errorName: 'InvalidPageToken',
      parameters: { reason: 'reclaimed' },
    })
  })
})

describe('the lifetime of a page token', () => {
  it('[2.1.5] ends after the configured time, and every page renews it', async () => {
    await using service = await startService({ settings: { OQS_PAGE_TOKEN_TTL_SECONDS: '300' } })
    await fill(service)
    const first = await tokenOf(service, list)
    service.clock.now += 299_000
    const page = await requestPage(service, list, first)
    expect(page.status).toBe(200)
    service.clock.now += 2000
    const late = await requestPage(service, list, first)
    expect(late.body).toMatchObject({
      errorName: 'InvalidPageToken',
      parameters: { reason: 'expired' },
    })
    const renewed = await requestPage(service, list, page.body.nextPageToken)
    expect(renewed.status).toBe(200)
  })

  it('[4.5.2] ends with the maximum age of its snapshot, however often it is renewed', async () => {
    await using service = await startService({
      settings: { OQS_PAGE_TOKEN_TTL_SECONDS: '300', OQS_SNAPSHOT_MAX_AGE_SECONDS: '400' },
    })
    await fill(service)
    const walk = { ...list, snapshot: true }
    const first = await tokenOf(service, walk)
    service.clock.now += 250_000
    const { body } = await requestPage(service, walk, first)
    service.clock.now += 149_000
    expect((await requestPage(service, walk, body.nextPageToken)).status).toBe(200)
    service.clock.now += 2000
    const late = await requestPage(service, walk, body.nextPageToken)
    expect(late.body.parameters.reason).toBe('expired')
  })

  it('[4.5.2] is renewed within its snapshot by the error, for the same request and caller', async () => {
    await using service = await startService({
      settings: {
        OQS_PAGE_TOKEN_TTL_SECONDS: '300',
        OQS_SNAPSHOT_MAX_AGE_SECONDS: '3600',
        OQS_CHANGES_MAX_AGE_SECONDS: '7200',
      },
    })
    await fill(service)
    const walk = { ...list, snapshot: true }
    const { body: first } = await requestPage(service, walk)
    const { body: second } = await requestPage(service, walk, first.nextPageToken)
    await service.put('numbers', 'number', [{ n: second.data[0].properties.n, text: 'changed' }])
    service.clock.now += 1_800_000
    const late = await requestPage(service, walk, first.nextPageToken)
    expect(late.body.parameters).toMatchObject({ reason: 'expired' })
    const { snapshotToken } = late.body.parameters
    const resumed = await requestPage(service, walk, snapshotToken)
    expect(resumed.body.data).toEqual(second.data)
    const other = await requestPage(service, list, snapshotToken)
    expect(other.body.parameters).toEqual({ pageToken: snapshotToken, reason: 'other request' })

    // Changes keep the row versions of the snapshot for longer than its tokens last.
    service.clock.now += 3_600_000
    const { body: kept } = await requestPage(service, walk, resumed.body.nextPageToken)
    const third = await requestPage(service, walk, kept.parameters.snapshotToken)
    expect(valuesOf([third.body], 'n')).toEqual([10, 11, 12, 13, 14])
    service.clock.now += 299_000
    const fourth = await requestPage(service, walk, third.body.nextPageToken)
    expect(valuesOf([fourth.body], 'n')).toEqual([15, 16, 17, 18, 19])

    service.clock.now += 1_800_000
    const gone = await requestPage(service, walk, first.nextPageToken)
    expect(gone.body.parameters).toEqual({
      pageToken: first.nextPageToken,
      reason: 'expired',
      continueToken: expect.any(String),
    })
    const latest = await tokenOf(service, list)
    service.clock.now += 301_000
    const { body } = await requestPage(service, list, latest)
    expect(body.parameters).not.toHaveProperty('snapshotToken')
  })

  it('continues after a restart, with the keys in the store', async () => {
    await using place = await createTestStore()
    let token: string
    {
      await using before = await startService({ store: place.name })
      await fill(before)
      token = await tokenOf(before, { ...list, snapshot: true })
    }
    await using after = await startService({ store: place.name })
    const answer = await requestPage(after, { ...list, snapshot: true }, token)
    expect(valuesOf([answer.body], 'n')).toEqual([5, 6, 7, 8, 9])
  })

  it('survives key rotation: the first key seals, all open, and a removed key opens no more', async () => {
    await using place = await createTestStore()
    const [old, young] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    const withKeys = (keys: string) =>
      startService({ store: place.name, settings: { OQS_PAGE_TOKEN_KEYS: keys } })
    const tokens: string[] = []
    {
      await using service = await withKeys(old)
      await fill(service)
      tokens.push(await tokenOf(service, list))
    }
    {
      await using service = await withKeys(`${young},${old}`)
      expect((await requestPage(service, list, tokens[0])).status).toBe(200)
      tokens.push(await tokenOf(service, list))
    }
    await using service = await withKeys(young)
    const [dropped, kept] = [
      await requestPage(service, list, tokens[0]),
      await requestPage(service, list, tokens[1]),
    ]
    expect(dropped.body.parameters.reason).toBe('malformed')
    expect(kept.status).toBe(200)
  })

  it('applies to the longest keys, whose tokens stay short', async () => {
    await using service = await startService()
    await service.apply({
      apiName: 'long',
      families: ['family'],
      objectTypes: [{ apiName: 'key', primaryKey: 'k', properties: { k: { type: 'string' } } }],
    })
    await service.put('long', 'key', [{ k: 'é'.repeat(256) }, { k: '\u{10ffff}'.repeat(128) }])
    const walk: Walk = { revision: '1.0', ontology: 'long', objectType: 'key', pageSize: 1 }
    const token = await tokenOf(service, walk)
    expect(token.length).toBeLessThanOrEqual(1024)
    expect((await requestPage(service, walk, token)).body.data).toHaveLength(1)
  })
})
