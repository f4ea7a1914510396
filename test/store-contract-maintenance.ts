/** The part of the store contract about what a process asks of a store besides objects. */
import { describe, expect, it } from 'vitest'
import type { StoreUnderTest } from './store-contract.ts'
import { createFixture, retention } from './support/store-fixture.ts'

export function maintenanceContract({ name, open }: StoreUnderTest): void {
  describe(`the ${name} store: its state`, () => {
    it('is the same for a question that is repeated', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([
        ['a', '1'],
        ['b', '1'],
      ])
      await things.commit([['a', '2']])
      const { ontologies } = await store.readCatalogue()
      const [rid = ''] = [...ontologies].map((ontology) => ontology.rid)
      const ask = async () => {
        await store.check()
        const { signal } = new AbortController()
        return [await store.readTypeStates(rid), await store.verify(signal)]
      }
      const state = [
        [{ typeRid: things.type.rid, count: 2, version: 2, oldestVersion: 0 }],
        { rows: 3 },
      ]
      expect(await ask()).toEqual(state)
      expect(await ask()).toEqual(state)
    })

    it('is left as it is by deletions and maintenance that are repeated', async () => {
      await using store = await open()
      await store.deleteApiTokens(['none'])
      await store.deleteApiTokens(['none'])
      await store.reclaim(retention(1000))
      expect(await store.reclaim(retention(1000))).toBe(0)
      expect(await store.rewriteNext()).toBeUndefined()
      expect(await store.readPageTokenKeys()).toEqual(await store.readPageTokenKeys())
    })
  })
}
