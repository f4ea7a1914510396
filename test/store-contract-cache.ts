import { describe, expect, it } from 'vitest'
import type { ReadPageRequest, StoredPage } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { fixture, place, retention } from './support/store-fixture.ts'

/** What is asked for often is answered from memory, and nobody can tell. */

/** Enough for a page to be kept, and to be taken from what is kept. */
const OFTEN = [1, 2, 3, 4]

/** All of a page that an answer depends on. */
function shown({ records, count, last, more, version }: StoredPage): object {
  return { text: Buffer.from(records).toString(), count, last, more, version }
}

export function cacheContract({ name, open, openAgain }: StoreUnderTest): void {
  describe(`the ${name} store: pages that are asked for often`, () => {
    const WISHES: readonly Partial<ReadPageRequest>[] = [
      {},
      { maxObjects: 2 },
      { maxObjects: 2, after: place('b') },
      { record: { shape: [{ column: 'properties' }], selection: ['k', 'text'] } },
      { order: [{ property: 'text', direction: 'desc', nulls: 'last' }] },
      { query: { kind: 'not', of: { kind: 'everything' } } },
    ]

    it('are what another node shows, before and after each commit, as of each version', async () => {
      await using store = await open()
      const things = await fixture(store)
      const versions: (number | undefined)[] = [undefined]
      for (const text of ['1', '2', '3']) {
        const { version } = await things.commit([
          ['a', text],
          ['b', text],
          [`c${text}`, text],
        ])
        versions.push(version)
        // Whoever opens the store anew has kept nothing.
        await using other = await openAgain()
        const anew = await fixture(other)
        for (const version of versions) {
          for (const wish of WISHES) {
            const truth = shown(await anew.read({ ...wish, version }))
            for (const time of OFTEN) {
              const page = await things.read({ ...wish, version })
              expect([time, version, shown(page)]).toEqual([time, version, truth])
              page.release()
            }
          }
        }
      }
    })

    it('show an object that was deleted no more, once its version is reclaimed', async () => {
      await using store = await open()
      const things = await fixture(store)
      await things.commit([['a', '1']])
      for (const _ of OFTEN) expect(await things.show()).toEqual(['a=1'])
      await things.commit([['a', null]])
      for (const _ of OFTEN) expect(await things.show({ version: 1 })).toEqual(['a=1'])
      await store.reclaim(retention(3000))
      expect(await things.show()).toEqual([])
      await expect(things.show({ version: 1 })).rejects.toThrow('reclaimed')
    })
  })
}
