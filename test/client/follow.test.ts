/** Following changes through the client: a copy that is kept in sync equals the objects. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient, type FollowedPage } from '../../src/client/index.ts'
import { NUMBERS, numbers } from '../support/ontologies.ts'
import { ADMIN_TOKEN, type Service, startService } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())
beforeEach(async () => {
  await service.send('/api/admin/v1/ontologies/numbers?cascade=true', { method: 'DELETE' })
  await service.apply(NUMBERS)
  await service.put('numbers', 'number', numbers(10))
})

const connect = (options: object = {}) =>
  createClient({ baseUrl: service.url, ontology: 'numbers', token: ADMIN_TOKEN, ...options })

/** Applies a page to a copy by key. */
function apply(copy: Map<unknown, unknown>, { changes }: FollowedPage<Record<string, unknown>>) {
  for (const change of changes) {
    if ('put' in change) copy.set(change.put['n'], change.put['text'] ?? null)
    else copy.delete(change.delete.primaryKey)
  }
}

describe('a followed set', () => {
  it('comes as a snapshot, then as changes, in pages', async () => {
    const copy = new Map<unknown, unknown>()
    const kinds: string[] = []
    for await (const page of connect().objectSet('number').pageSize(4).follow({ wait: 10 })) {
      apply(copy, page)
      kinds.push(`${page.isSnapshot ? 'copied' : 'changed'} ${page.changes.length}`)
      if (page.nextChangesToken === undefined) continue
      if (!page.isSnapshot) break
      await service.write('numbers', 'number', [
        ...numbers(5).map(({ n }) => ({ put: { n, text: 'new' } })),
        { delete: 9 },
      ])
    }
    expect(kinds).toEqual(['copied 4', 'copied 4', 'copied 2', 'changed 4', 'changed 2'])
    expect([...copy].sort()).toEqual([
      ...numbers(5).map(({ n }) => [n, 'new']),
      ...numbers(4, 5).map(({ n }) => [n, null]),
    ])
  })

  it('is followed from a token that was stored, or from now on', async () => {
    const set = connect()
      .objectSet('number')
      .where({ n: { lt: 5 } })
      .select('n')
    const tokens: (string | undefined)[] = []
    for await (const { changes, nextChangesToken } of set.follow({ since: 'now', wait: 0 })) {
      expect(changes).toEqual([])
      tokens.push(nextChangesToken)
    }
    await service.write('numbers', 'number', [{ delete: 1 }, { delete: 7 }, { put: { n: -1 } }])
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const found: unknown[] = []
      for await (const page of set.follow({ since: tokens[0], wait: 0 })) found.push(page)
      expect(found).toEqual([
        {
          changes: [
            { put: expect.objectContaining({ n: -1 }) },
            { delete: { primaryKey: 1, objectType: 'number' } },
          ],
          isSnapshot: false,
          nextPageToken: undefined,
          nextChangesToken: expect.any(String),
        },
      ])
    }
  })

  it('goes on with a snapshot that was left in the middle', async () => {
    const set = connect().objectSet('number').pageSize(4)
    let pageToken: string | undefined
    for await (const page of set.follow()) {
      pageToken = page.nextPageToken
      break
    }
    await service.write('numbers', 'number', [{ delete: 0 }, { delete: 8 }])
    const seen: unknown[] = []
    for await (const { changes } of set.follow({ pageToken, wait: 0 })) {
      seen.push(...changes.map((one) => ('put' in one ? one.put['n'] : one.delete.primaryKey)))
    }
    expect(seen).toEqual([4, 5, 6, 7, 8, 9, 0, 8])
  })

  it('survives lost connections', async () => {
    let failures = 3
    const lossy: typeof fetch = async (...args) => {
      if (String(args[0]).includes('/changes') && failures > 0) {
        failures -= 1
        throw new TypeError('fetch failed', { cause: new Error('lost') })
      }
      return fetch(...args)
    }
    const set = connect({ fetch: lossy, retries: { pause: async () => {} } }).objectSet('number')
    const copy = new Map<unknown, unknown>()
    for await (const page of set.follow({ wait: 0 })) apply(copy, page)
    expect([copy.size, failures]).toEqual([10, 0])
  })

  it('cannot be sorted, and reports a token that cannot be used', async () => {
    const set = connect().objectSet('number')
    expect(() => set.orderBy('n').follow()).toThrow(/cannot be sorted/)
    const token = `v1.${'x'.repeat(80)}`
    await expect(set.follow({ since: token }).next()).rejects.toMatchObject({
      errorName: 'InvalidPageToken',
    })
  })
})
