/** The part of the store contract about what commits have changed between two versions. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ListChangesRequest, ListedChange, ObjectStore } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { createFixture, retention, type StoreFixture } from './support/store-fixture.ts'

export function historyContract({ name, open }: StoreUnderTest): void {
  describe(`the ${name} store: changes between two versions`, () => {
    let store: ObjectStore
    let things: StoreFixture
    beforeEach(async () => {
      store = await open()
      things = await createFixture(store)
    })
    afterEach(() => store[Symbol.asyncDispose]())

    type Range = Pick<ListChangesRequest, 'since' | 'until'>

    /** Lists all changes in pages of a size, as `version+key` and `version-key`. */
    async function list(
      range: Range,
      { maxChanges = 1000, includesUnchanged = false } = {},
    ): Promise<string[]> {
      const listed: string[] = []
      for (let after: ListedChange | undefined; ; ) {
        const request = { objectType: things.type, ...range, after, maxChanges, includesUnchanged }
        const page = await store.listChanges(request)
        if (page === 'reclaimed') return [page]
        const texts = page.changes.map(({ version, pk, isCurrent, isChanged }) =>
          isChanged ? `${version}${isCurrent ? '+' : '-'}${pk}` : `${version}=${pk}`,
        )
        listed.push(...texts)
        if (!page.more) return listed
        expect(page.changes).toHaveLength(maxChanges)
        after = page.changes.at(-1)
      }
    }

    const replace = async (changes: readonly (readonly [string, string | null])[]) => {
      const replacement = await store.startReplacement(things.type)
      await things.commit(changes, { replacement })
      return (await store.publishReplacement(things.type, replacement)).version
    }

    it('are listed once each, by the commit that changed an object last', async () => {
      const { version: since } = await things.commit([
        ['a', '1'],
        ['b', '1'],
        ['c', '1'],
        ['d', '1'],
      ])
      await things.commit([
        ['b', '2'],
        ['a', '2'],
        ['e', '2'],
        ['d', null],
      ])
      const { version: between } = await things.commit([
        ['a', '3'],
        ['c', null],
        ['e', null],
      ])
      const { version: until } = await things.commit([['c', '4']])
      expect(await list({ since, until })).toEqual([
        `${since + 1}+b`,
        `${since + 1}-d`,
        `${between}+a`,
        `${until}+c`,
      ])
      expect(await list({ since, until: between }, { maxChanges: 1 })).toEqual([
        `${since + 1}+b`,
        `${since + 1}-d`,
        `${between}+a`,
        `${between}-c`,
      ])
      expect(await list({ since: between, until })).toEqual([`${until}+c`])
      expect(await list({ since: until, until })).toEqual([])
    })

    it('start from a version whose objects can be divided by key', async () => {
      const split = (parts: number) => store.splitKeys({ objectType: things.type, parts })
      expect(await split(3)).toEqual({ version: 0, count: 0, ends: [] })
      await things.commit(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => [key, '1'] as const))
      const { version } = await things.commit([
        ['b', null],
        ['c', '2'],
        ['h', '2'],
      ])
      const at = (...ends: readonly (readonly [string, number])[]) => ({
        version,
        count: 7,
        ends: ends.map(([pk, count]) => ({ pk, count })),
      })
      expect(await split(1)).toEqual(at())
      expect(await split(2)).toEqual(at(['e', 4]))
      expect(await split(3)).toEqual(at(['c', 2], ['f', 5]))
      const all = ['a', 'c', 'd', 'e', 'f', 'g'].map((key, index) => [key, index + 1] as const)
      expect(await split(9)).toEqual(at(...all))
    })

    it('include all objects of a first load and of a replacement, by key', async () => {
      const { version: loaded } = await things.commit([
        ['b', '1'],
        ['a', '1'],
      ])
      expect(await list({ since: 0, until: loaded }, { maxChanges: 1 })).toEqual([
        `${loaded}+a`,
        `${loaded}+b`,
      ])
      await things.commit([['c', '1']])
      const replaced = await replace([
        ['b', '2'],
        ['d', '2'],
      ])
      const { version: until } = await things.commit([
        ['a', '3'],
        ['d', null],
      ])
      for (const maxChanges of [1, 2, 3, 10]) {
        expect(await list({ since: loaded, until }, { maxChanges })).toEqual([
          `${replaced}+b`,
          `${until}+a`,
        ])
        expect(await list({ since: loaded + 1, until: replaced }, { maxChanges })).toEqual([
          `${replaced}-a`,
          `${replaced}+b`,
          `${replaced}-c`,
          `${replaced}+d`,
        ])
      }
    })

    it('include unchanged objects on request', async () => {
      const { version: since } = await things.commit([
        ['a', '1'],
        ['b', '1'],
        ['c', '1'],
      ])
      const { version: until } = await things.commit([
        ['b', null],
        ['c', '2'],
      ])
      expect(await list({ since, until }, { includesUnchanged: true, maxChanges: 2 })).toEqual([
        `${until}=a`,
        `${until}-b`,
        `${until}+c`,
      ])
    })

    it('can be listed until the first version is reclaimed', async () => {
      const { version: since } = await things.commit([['a', '1']])
      const { version: until } = await things.commit([['a', '2']])
      await store.reclaim(retention(0, 10))
      expect(await list({ since, until })).toEqual([`${until}+a`])
      await store.reclaim(retention(100, 10))
      expect(await list({ since, until })).toEqual(['reclaimed'])
      expect(await list({ since: until, until })).toEqual([])
    })
  })
}
