/** Bulk loads: large batches, and replacements that keep existing objects. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import type { Query } from '../src/query/query.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { createFixture, type StoreFixture } from './support/store-fixture.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'loads',
  objectTypes: [
    {
      apiName: 'load',
      primaryKey: 'k',
      properties: {
        k: { type: 'string' },
        text: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        place: { type: 'geopoint' },
      },
    },
  ],
}

const field = (property: string) => ({ property, structField: undefined })
const text = (term: string): Query => ({
  kind: 'text',
  field: field('text'),
  match: 'allTerms',
  terms: [term],
  fuzzy: false,
})

/** Returns the keys that each kind of index finds. */
async function findByIndexes(things: StoreFixture) {
  const find = (query: Query) => things.readKeys({ query })
  return {
    all: await things.readKeys(),
    equal: await find({ kind: 'compare', field: field('text'), operator: 'eq', value: 'old one' }),
    term: await find(text('one')),
    tag: await find({ kind: 'compare', field: field('tags'), operator: 'eq', value: 't' }),
  }
}

const at = (longitude: number) => ({ type: 'Point', coordinates: [longitude, 1] })

export function loadContract({ name, open }: StoreUnderTest): void {
  describe(`the ${name} store: loads`, () => {
    it('publishes a replacement beside existing objects, which every index still finds', async () => {
      await using store = await open()
      const things = await createFixture(store, DEFINITION)
      const replacement = await store.startReplacement(things.type)
      await things.put([{ k: 'a', text: 'new one' }, { k: 'b' }], { replacement })
      // Written while the type is loaded.
      await things.put([
        { k: 'a', text: 'old one' },
        { k: 'c', text: 'old one', tags: ['t', 'u'], place: at(5) },
      ])
      const before = await things.readPage()
      const commit = await store.publishReplacement(things.type, replacement, 'upsert')
      expect(commit).toMatchObject({ put: 2, deleted: 0, kept: 0 })
      expect(await store.publishReplacement(things.type, replacement, 'upsert')).toEqual(commit)
      expect(await findByIndexes(things)).toEqual({
        all: ['a', 'b', 'c'],
        equal: ['c'],
        term: ['a', 'c'],
        tag: ['c'],
      })
      expect((await things.readPage()).totalCount).toBe(3)
      expect(await things.readKeys({ version: before.version })).toEqual(['a', 'c'])
      await things.put([{ k: 'c', text: 'other' }])
      expect((await findByIndexes(things)).tag).toEqual([])
    })

    it('keeps the values of existing objects when a replacement is appended', async () => {
      await using store = await open()
      const things = await createFixture(store, DEFINITION)
      await things.put([{ k: 'a', text: 'old one' }, { k: 'c' }])
      const replacement = await store.startReplacement(things.type)
      await things.put([{ k: 'a', text: 'new', tags: ['t'] }, { k: 'b' }], { replacement })
      const commit = await store.publishReplacement(things.type, replacement, 'append')
      expect(commit).toMatchObject({ put: 1, deleted: 0, kept: 1 })
      expect(await findByIndexes(things)).toEqual({
        all: ['a', 'b', 'c'],
        equal: ['a'],
        term: ['a'],
        tag: [],
      })
    })

    it('appends an empty replacement, which changes nothing', async () => {
      await using store = await open()
      const things = await createFixture(store, DEFINITION)
      await things.put([{ k: 'a', text: 'old one' }])
      const replacement = await store.startReplacement(things.type)
      const commit = await store.publishReplacement(things.type, replacement, 'upsert')
      expect(commit).toMatchObject({ put: 0, deleted: 0 })
      expect(await findByIndexes(things)).toMatchObject({ all: ['a'], equal: ['a'], term: ['a'] })
    })

    it('writes batches that are large against their type, in gaps and over existing keys', async () => {
      await using store = await open()
      const things = await createFixture(store, DEFINITION)
      const key = (n: number) => `k${String(n).padStart(6, '0')}`
      const objects = (from: number, to: number, word: string) =>
        Array.from({ length: to - from }, (_, n) => ({ k: key(from + n), text: `${word} one` }))
      await things.put(objects(0, 10, 'old'))
      // Beyond all keys, then over all of them, then between two keys.
      await things.put(objects(3000, 5500, 'far'))
      const { version } = await things.readPage()
      const over = await things.put(objects(0, 5000, 'new'))
      expect(over).toMatchObject({ put: 5000 })
      await things.put([{ k: '\u{1f600}' }, ...objects(5500, 5600, 'gap'), { k: '\uffff' }])
      const count = async (term: string, at?: number) =>
        (await things.readPage({ query: text(term), version: at, maxObjects: 1 })).totalCount
      expect([await count('old'), await count('new'), await count('far')]).toEqual([0, 5000, 500])
      expect([await count('old', version), await count('far', version)]).toEqual([10, 2500])
      expect((await things.readPage()).totalCount).toBe(5602)
    })

    it('shows readers the objects before a large batch or after it, found by every index', async () => {
      await using store = await open()
      const things = await createFixture(store, DEFINITION)
      await things.put([{ k: 'a', text: 'old one', tags: ['t'] }])
      const objects = Array.from({ length: 4000 }, (_, n) => ({
        k: `k${n}`,
        text: 'old one',
        tags: ['t'],
      }))
      let isDone = false
      const writing = things.put(objects).finally(() => {
        isDone = true
      })
      const counts = new Set<string>()
      const count = async (query: Query) =>
        (await things.readPage({ query, maxObjects: 1 })).totalCount
      while (!isDone) {
        const [before, equal, after] = [
          await count(text('old')),
          await count({ kind: 'compare', field: field('tags'), operator: 'eq', value: 't' }),
          await count(text('one')),
        ]
        counts.add([before, equal, after].join())
        // Pages from the cache take no turn of the event loop, which the write needs.
        await nextTurn()
      }
      await writing
      const allowed = ['1,1,1', '1,1,4001', '1,4001,4001', '4001,4001,4001']
      expect([...counts].filter((seen) => !allowed.includes(seen))).toEqual([])
      expect(await count(text('old'))).toBe(4001)
    })

    it('commits concurrent small batches, each as its own version; a refused one fails alone', async () => {
      await using store = await open()
      const things = await createFixture(store, DEFINITION)
      await things.put([{ k: 'first' }])
      const commit = (k: string, basedOn = things.generation) =>
        store.commit({
          objectType: things.type,
          changes: [things.change({ k, text: 'old one' })],
          basedOn,
        })
      const keys = Array.from({ length: 20 }, (_, n) => `k${n}`)
      const [refused, ...others] = await Promise.allSettled([
        commit('refused', things.generation - 1),
        ...keys.map((k) => commit(k)),
      ])
      expect(refused).toMatchObject({ reason: { errorName: 'OntologyDefinitionOutOfSync' } })
      const versions = others.map((each) => (each.status === 'fulfilled' ? each.value.version : 0))
      expect(versions.toSorted((a, b) => a - b)).toEqual(keys.map((_, n) => n + 2))
      expect((await findByIndexes(things)).term.toSorted()).toEqual(keys.toSorted())
    })
  })
}
