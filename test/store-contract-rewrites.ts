/** The part of the store contract about rewriting tables of an older layout in the background. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { planChange } from '../src/ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import type { ObjectStore } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { rewriteAll } from './support/rewrite-all.ts'
import { createFixture, keyCursor, retention, type StoreFixture } from './support/store-fixture.ts'

/** More than the objects of three steps. */
const OBJECTS = 1500
const LONG = 'long '.repeat(20)

const keyOf = (n: number) => `k${String(n).padStart(5, '0')}`
const textOf = (n: number, round = 0) => (n % 3 === 0 ? `${LONG}${n}` : `text ${n} of ${round}`)

/** A store that can have tables of an older layout. */
export interface OutdatedStoreUnderTest extends StoreUnderTest {
  /** Gives types without objects tables of an older layout. */
  useOutdatedLayout(): Promise<void>
}

/** A store whose only type has a table of an older layout, and what the type should contain. */
interface OutdatedStore {
  readonly store: ObjectStore
  readonly things: StoreFixture
  readonly model: Map<string, string>
}

async function fill({ open, useOutdatedLayout }: OutdatedStoreUnderTest): Promise<OutdatedStore> {
  const store = await open()
  const things = await createFixture(store)
  await useOutdatedLayout()
  const model = new Map<string, string>()
  const outdated = { store, things, model }
  await change(
    outdated,
    Array.from({ length: OBJECTS }, (_, n) => [keyOf(n), textOf(n)]),
  )
  return outdated
}

async function change(
  { things, model }: Pick<OutdatedStore, 'things' | 'model'>,
  pairs: readonly (readonly [string, string | null])[],
): Promise<void> {
  await things.commit(pairs)
  for (const [key, text] of pairs) {
    if (text === null) model.delete(key)
    else model.set(key, text)
  }
}

function pairsOf(model: ReadonlyMap<string, string>): string[] {
  const keys = [...model.keys()].sort()
  return keys.map((key) => `${key}=${model.get(key)}`)
}

async function walk(things: StoreFixture, version?: number, from?: string): Promise<string[]> {
  const pairs: string[] = []
  for (let after = from; ; ) {
    const page = await things.readPairs({ after: keyCursor(after), version, maxObjects: 400 })
    if (page.length === 0) return pairs
    pairs.push(...page)
    after = page.at(-1)?.split('=')[0]
  }
}

async function addProperty(store: ObjectStore): Promise<void> {
  const catalogue = await store.readCatalogue()
  const { definition } = catalogue.find('things') ?? {}
  const [type] = definition?.objectTypes ?? []
  if (definition === undefined || type === undefined) throw new Error('no definition')
  const changed: OntologyDefinition = {
    ...definition,
    objectTypes: [{ ...type, properties: { ...type.properties, more: { type: 'integer' } } }],
  }
  await store.saveOntology(planChange('things', changed, catalogue, randomUUID))
}

const ALL_PHASES = ['copying', 'indexing', 'catchingUp', 'published']

export function rewriteContract(underTest: OutdatedStoreUnderTest): void {
  const { name, open, openAgain } = underTest

  describe(`the ${name} store: rewrites`, () => {
    it('has nothing to rewrite in a new store', async () => {
      await using store = await open()
      await (await createFixture(store)).commit([['a', '1']])
      expect(await store.rewriteNext()).toBeUndefined()
    })

    it('loses and doubles nothing while others write and walk', async () => {
      const outdated = await fill(underTest)
      await using store = outdated.store
      const { things, model } = outdated
      const before = pairsOf(model)
      const { version } = await things.readPage({ maxObjects: 1 })
      const begun = await things.readPairs({ version, maxObjects: 700 })
      let round = 0
      const phases = await rewriteAll(store, async ({ phase }) => {
        if (phase === 'published') return
        round += 1
        // Among the copied objects and among those that are not copied yet.
        await change(outdated, [
          [keyOf(round * 7), `changed in ${round}`],
          [keyOf(OBJECTS - round * 11), `${LONG} changed in ${round}`],
          [keyOf(round * 13), null],
          [keyOf(OBJECTS + round), textOf(round, round)],
          [`a${round}`, textOf(round, round)],
        ])
        if (round % 3 === 0) {
          const field = { property: 'text', structField: undefined }
          const query = {
            kind: 'compare',
            field,
            operator: 'eq',
            value: textOf(round * 5),
          } as const
          const { basedOn, objectType } = { basedOn: things.generation, objectType: things.type }
          await store.deleteMatches({ objectType, query, basedOn })
          for (const [key, text] of model) if (text === query.value) model.delete(key)
        }
        expect((await things.readPage({ maxObjects: 1 })).totalCount).toBe(model.size)
      })
      expect(phases).toEqual(ALL_PHASES)
      expect(await walk(things)).toEqual(pairsOf(model))
      // Text terms and values are found in the new table as they were in the earlier one.
      const found = await things.readKeys({
        query: {
          kind: 'text',
          field: undefined,
          match: 'allTerms',
          terms: ['changed'],
          fuzzy: false,
        },
      })
      expect(found).toEqual(
        [...model].flatMap(([key, text]) => (text.includes('changed') ? [key] : [])).sort(),
      )
      const order = [{ property: 'text', direction: 'desc', nulls: 'last' }] as const
      const texts = (await things.readPairs({ order })).map((pair) => pair.split('=')[1])
      expect(texts).toEqual([...model.values()].sort().reverse().slice(0, 1000))
      // The walk that began before the rewrite ends with the objects of that time.
      const lastKey = begun.at(-1)?.split('=')[0]
      expect([...begun, ...(await walk(things, version, lastKey))]).toEqual(before)
    })

    it('publishes a version without changes, and removes the earlier table in time', async () => {
      const outdated = await fill(underTest)
      await using store = outdated.store
      const { things } = outdated
      const { version } = await things.readPage()
      await rewriteAll(store)
      const { version: after, totalCount } = await things.readPage()
      expect(after).toBeGreaterThan(version)
      expect(totalCount).toBe(OBJECTS)
      expect(await store.readStatus()).toMatchObject({ rewrites: [], tablesToRemove: 0 })
      await store.reclaim(retention(0))
      await store.reclaim(retention(1))
      expect(await underTest.countRowVersions()).toBe(OBJECTS)
      expect(await walk(things)).toEqual(pairsOf(outdated.model))
    })

    it('continues after the store was opened again, wherever it stopped', async () => {
      const {
        store,
        things: { type },
        model,
      } = await fill(underTest)
      await store.rewriteNext()
      await store.rewriteNext()
      const { rewrites } = await store.readStatus()
      expect(rewrites).toMatchObject([
        { typeRid: type.rid, phase: 'copying', totalObjects: OBJECTS },
      ])
      await store[Symbol.asyncDispose]()
      let isDone = false
      while (!isDone) {
        await using again = await openAgain()
        for (let step = 0; step < 4 && !isDone; step += 1) {
          isDone = (await again.rewriteNext())?.phase === 'published'
        }
      }
      await using again = await openAgain()
      expect(await again.rewriteNext()).toBeUndefined()
      expect(await walk(await createFixture(again))).toEqual(pairsOf(model))
    })

    it('ends when the type is replaced', async () => {
      const outdated = await fill(underTest)
      await using store = outdated.store
      const { things } = outdated
      await store.rewriteNext()
      await store.rewriteNext()
      const replacement = await store.startReplacement(things.type)
      await things.commit([['new', '1']], { replacement })
      await store.publishReplacement(things.type, replacement)
      expect(await store.rewriteNext()).toMatchObject({ phase: 'cancelled' })
      expect(await store.rewriteNext()).toBeUndefined()
      expect(await things.readPairs()).toEqual(['new=1'])
    })

    it('starts again when the definition changes', async () => {
      const outdated = await fill(underTest)
      await using store = outdated.store
      let isChanged = false
      const phases = await rewriteAll(store, async ({ phase }) => {
        if (isChanged || phase !== 'indexing') return
        isChanged = true
        await addProperty(store)
      })
      expect(phases).toEqual(['copying', 'indexing', 'cancelled', ...ALL_PHASES])
      expect(await walk(outdated.things)).toEqual(pairsOf(outdated.model))
    })
  })
}
