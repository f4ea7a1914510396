/** The part of the store contract about the page cache, which must be invisible to clients. */
import { describe, expect, it } from 'vitest'
import type { ReadPageRequest, StoredPage } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { createFixture, keyCursor, retention } from './support/store-fixture.ts'

/** Enough requests for a page to be cached, and to be read from the cache. */
const OFTEN = [1, 2, 3, 4]

/** Everything in a page that a response depends on. */
function contentOf({ records, count, last, more, version }: StoredPage): object {
  return { text: Buffer.from(records).toString(), count, last, more, version }
}

export function cacheContract({ name, open, openAgain }: StoreUnderTest): void {
  describe(`the ${name} store: cached pages`, () => {
    const REQUESTS: readonly Partial<ReadPageRequest>[] = [
      {},
      { maxObjects: 2 },
      { maxObjects: 2, after: keyCursor('b') },
      { record: { shape: [{ column: 'properties' }], selection: ['k', 'text'] } },
      { order: [{ property: 'text', direction: 'desc', nulls: 'last' }] },
      { query: { kind: 'not', of: { kind: 'everything' } } },
    ]

    it('equal the pages of another node, before and after each commit, as of each version', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const versions: (number | undefined)[] = [undefined]
      for (const text of ['1', '2', '3']) {
        const { version } = await things.commit([
          ['a', text],
          ['b', text],
          [`c${text}`, text],
        ])
        versions.push(version)
        // A store that was just opened has an empty cache.
        await using other = await openAgain()
        const uncached = await createFixture(other)
        for (const version of versions) {
          for (const request of REQUESTS) {
            const truth = contentOf(await uncached.readPage({ ...request, version }))
            for (const time of OFTEN) {
              const page = await things.readPage({ ...request, version })
              expect([time, version, contentOf(page)]).toEqual([time, version, truth])
              page.release()
            }
          }
        }
      }
    })

    it('no longer contain a deleted object once its version is reclaimed', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      for (const _ of OFTEN) expect(await things.readPairs()).toEqual(['a=1'])
      await things.commit([['a', null]])
      for (const _ of OFTEN) expect(await things.readPairs({ version: 1 })).toEqual(['a=1'])
      await store.reclaim(retention(3000))
      expect(await things.readPairs()).toEqual([])
      await expect(things.readPairs({ version: 1 })).rejects.toThrow('reclaimed')
    })
  })
}
