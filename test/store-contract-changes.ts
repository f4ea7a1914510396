/** The part of the store contract about changes of definitions that run in the background. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type ChangeOptions, planChange } from '../src/ontology/definition/change-definition.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../src/ontology/definition/definition-schema.ts'
import type { Query } from '../src/query/query.ts'
import type { ObjectStore, SaveOutcome } from '../src/store/object-store.ts'
import { INTERNAL_CONTEXT } from '../src/store/port/request-context.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { rewriteAll } from './support/rewrite-all.ts'
import {
  createFixture,
  keyCursor,
  openFixture,
  retention,
  type StoreFixture,
} from './support/store-fixture.ts'

/** More than the objects of two steps. */
const OBJECTS = 1200
const IN_BACKGROUND = { rewrittenAtOnceMax: 0 } as const

type Properties = ObjectTypeDefinition['properties']

const BEFORE: Properties = {
  k: { type: 'integer' },
  n: { type: 'integer' },
  text: { type: 'string' },
}
const AFTER: Properties = {
  k: { type: 'integer' },
  n: { type: 'string' },
  label: { type: 'string', renamedFrom: 'text' },
}

function definitionOf(properties: Properties, more: Partial<ObjectTypeDefinition> = {}) {
  const thing = { apiName: 'thing', primaryKey: 'k', properties, ...more }
  return { apiName: 'things', objectTypes: [thing] } satisfies OntologyDefinition
}

async function apply(
  store: ObjectStore,
  definition: OntologyDefinition,
  options: Partial<ChangeOptions> = {},
): Promise<SaveOutcome> {
  const catalogue = await store.readCatalogue()
  return store.saveOntology(planChange('things', definition, catalogue, randomUUID, options))
}

const objectOf = (n: number) => ({ k: n, n: n % 7, text: `text ${n}` })

/** A store with many objects, and what it should contain by key. */
async function fill({ open }: StoreUnderTest) {
  const store = await open(IN_BACKGROUND)
  const things = await createFixture(store, definitionOf(BEFORE))
  const objects = Array.from({ length: OBJECTS }, (_, n) => objectOf(n))
  await things.put(objects)
  const model = new Map(objects.map((object) => [object.k, object]))
  return { store, things, model }
}

/** Reads all objects of the type as the store defines it now. */
async function readAll(store: ObjectStore): Promise<object[]> {
  return readFrom(await openFixture(store))
}

async function readFrom(
  things: StoreFixture,
  { version, after }: { readonly version?: number; readonly after?: number } = {},
): Promise<object[]> {
  const objects: object[] = []
  for (let cursor = after; ; ) {
    const cursorOfKey = cursor === undefined ? undefined : things.change({ k: cursor })
    const pk = cursorOfKey && 'put' in cursorOfKey ? cursorOfKey.put.pk : undefined
    const page = await things.readPage({ after: keyCursor(pk), version, maxObjects: 500 })
    const read = JSON.parse(`[${Buffer.from(page.records).toString()}]`) as {
      properties: { k: number }
    }[]
    if (read.length === 0) return objects
    objects.push(...read.map(({ properties }) => properties))
    cursor = read.at(-1)?.properties.k
  }
}

async function currentDefinition(store: ObjectStore): Promise<OntologyDefinition> {
  const definition = (await store.readCatalogue()).find('things')?.definition
  if (definition === undefined) throw new Error('no definition')
  return definition
}

async function changeOf(store: ObjectStore) {
  const { rid = '' } = await currentDefinition(store)
  return store.definitionChanges.find(rid)
}

type Model = ReadonlyMap<number, ReturnType<typeof objectOf>>

function converted(model: Model): object[] {
  return [...model.values()]
    .toSorted((a, b) => a.k - b.k)
    .map(({ k, n, text }) => ({ k, n: String(n), label: text }))
}

export function changeContract(underTest: StoreUnderTest): void {
  const { name, openAgain } = underTest

  describe(`the ${name} store: changes in the background`, () => {
    it('has nothing to rewrite in a new store', async () => {
      await using store = await underTest.open()
      await (await createFixture(store)).commit([['a', '1']])
      expect(await store.rewriteNext()).toBeUndefined()
    })

    it('adds properties to many objects at once, and finds their values', async () => {
      const { store: opened } = await fill(underTest)
      await using store = opened
      const added: Properties = {
        size: { type: 'integer' },
        note: { type: 'string' },
        labels: { type: 'array', items: { type: 'string' } },
      }
      expect(await apply(store, definitionOf({ ...BEFORE, ...added }))).toBe('saved')
      const things = await openFixture(store)
      const sized = [3, 1, 2].map((size) => ({
        ...objectOf(10 * size),
        size,
        note: 'x'.repeat(size === 2 ? 5000 : size),
        labels: [`label ${size}`],
      }))
      await things.put(sized)
      const equal = (property: string, value: string | number): Query => ({
        kind: 'compare',
        operator: 'eq',
        field: { property, structField: undefined },
        value,
      })
      const answers = () =>
        Promise.all([
          things.readKeys({ query: equal('size', 2) }),
          things.readKeys({ query: equal('note', 'x') }),
          things.readKeys({ query: equal('note', 'x'.repeat(5000)) }),
          things.readKeys({ query: equal('labels', 'label 3') }),
          things.readKeys({
            maxObjects: 4,
            order: [{ property: 'size', direction: 'asc', nulls: 'last' }],
          }),
        ])
      const expected = [[20], [10], [20], [30], [10, 20, 30, 0]]
      expect(await answers()).toEqual(expected)
      expect(await rewriteAll(store)).toEqual([])
      expect(await answers()).toEqual(expected)
    })

    it('tries all objects in a dry run, counts those that do not fit, and names some', async () => {
      const { store: opened, things } = await fill(underTest)
      await using store = opened
      const dryRun = async (properties: Properties, more: Partial<ObjectTypeDefinition> = {}) => {
        const catalogue = await store.readCatalogue()
        const definition = definitionOf(properties, more)
        const options = { isDryRun: true, allowDataLoss: true }
        const change = planChange('things', definition, catalogue, randomUUID, options)
        expect(await store.saveOntology(change)).toBe('started')
        return store.definitionChanges.tryObjects(change)
      }
      const whole = { unfit: 0, unfitObjects: [], untried: [] }
      expect(await dryRun(AFTER)).toEqual({ tried: OBJECTS, ...whole })
      const none = await dryRun({ ...BEFORE, text: { type: 'integer' } })
      expect(none).toMatchObject({ tried: OBJECTS, unfit: OBJECTS, untried: [] })
      expect(none.unfitObjects).toHaveLength(10)
      expect(none.unfitObjects[0]).toMatchObject({ objectType: 'thing', property: 'text' })
      // Only the last object does not fit, far beyond the first step.
      await things.put([{ k: OBJECTS, n: 1_000_000, text: 'last' }])
      const last = await dryRun({ ...BEFORE, n: { type: 'short' } })
      expect(last).toMatchObject({ tried: OBJECTS + 1, unfit: 1 })
      expect(last.unfitObjects).toMatchObject([{ primaryKey: String(OBJECTS), property: 'n' }])
      // 1,201 objects share the numbers 0 to 6 and a million.
      const shared = await dryRun(BEFORE, { primaryKey: 'n' })
      expect(shared).toMatchObject({ tried: OBJECTS + 1, unfit: OBJECTS - 7 })
      expect(shared.unfitObjects[0]).toMatchObject({
        property: 'n',
        reason: 'would have the primary key of another object',
      })
      expect(await dryRun(BEFORE, { primaryKey: 'text' })).toEqual({ tried: OBJECTS + 1, ...whole })
      expect(await changeOf(store)).toBeUndefined()
    })

    it('ends a dry run when its client disconnects or the definition changes', async () => {
      const { store: opened } = await fill(underTest)
      await using store = opened
      const catalogue = await store.readCatalogue()
      const change = planChange('things', definitionOf(AFTER), catalogue, randomUUID, {
        isDryRun: true,
      })
      const gone = AbortSignal.abort(new Error('gone'))
      const context = { ...INTERNAL_CONTEXT, signal: () => gone }
      await expect(store.definitionChanges.tryObjects(change, context)).rejects.toThrow('gone')
      await apply(store, definitionOf({ ...BEFORE, more: { type: 'string' } }))
      await expect(store.definitionChanges.tryObjects(change)).rejects.toMatchObject({
        errorName: 'OntologyDefinitionOutOfSync',
      })
    })

    it('publishes the definition with its objects while others write and walk', async () => {
      const { store: opened, things, model } = await fill(underTest)
      await using store = opened
      const before = await readFrom(things)
      const { version } = await things.readPage({ maxObjects: 1 })
      expect(await apply(store, definitionOf(AFTER), { isDryRun: true })).toBe('started')
      expect(await changeOf(store)).toBeUndefined()
      expect(await apply(store, definitionOf(AFTER), { requestedAtMs: 7 })).toBe('started')
      const { id } = (await changeOf(store)) ?? {}
      await expect(apply(store, definitionOf(BEFORE))).rejects.toMatchObject({
        errorName: 'OntologyChangeInProgress',
        parameters: { ontology: 'things', changeId: id },
      })
      let round = 0
      const phases = await rewriteAll(store, async (step) => {
        if (step.phase === 'published') return
        round += 1
        const { rid = '' } = await currentDefinition(store)
        expect(step.ontologyRid).toBe(rid)
        expect(await store.definitionChanges.find(rid)).toMatchObject({
          state: 'running',
          startedAtMs: 7,
          rewrites: [{ typeRid: things.type.rid, totalObjects: model.size }],
        })
        // Among the copied objects and among those that are not copied yet.
        const changed = [round * 7, OBJECTS - round * 11, OBJECTS + round].map((k) => ({
          ...objectOf(k),
          text: `changed in ${round}`,
        }))
        await things.put(changed)
        for (const object of changed) model.set(object.k, object)
        const { put } = things.change(objectOf(round * 13)) as { put: { pk: string } }
        const { type: objectType, generation: basedOn } = things
        await store.commit({ objectType, basedOn, changes: [{ delete: put.pk }] })
        model.delete(round * 13)
        expect((await things.readPage({ maxObjects: 1 })).totalCount).toBe(model.size)
      })
      expect(phases).toEqual(['copying', 'indexing', 'catchingUp', 'published'])
      expect(await readAll(store)).toEqual(converted(model))
      expect(await changeOf(store)).toMatchObject({ id, state: 'published', rewrites: [] })
      // The walk that began before the change ends with the objects of that time.
      const lastKey = 700
      const rest = await readFrom(things, { version, after: lastKey })
      expect([...before.slice(0, lastKey + 1), ...rest]).toEqual(before)
      // Values and terms of the new definition are found.
      const now = await openFixture(store)
      const field = { property: 'n', structField: undefined }
      const same = { kind: 'compare', field, operator: 'eq', value: '3' } as const
      const threes = [...model.values()].filter(({ n }) => n === 3).map(({ k }) => k)
      expect(await now.readKeys({ query: same })).toEqual(threes.toSorted((a, b) => a - b))
      const text = { kind: 'text', field: undefined, match: 'allTerms', fuzzy: false } as const
      const found = await now.readKeys({ query: { ...text, terms: ['changed'] } })
      expect(found).toHaveLength(
        [...model.values()].filter((object) => object.text.startsWith('changed')).length,
      )
      // A request with the earlier definition is parsed again, and a write is checked again.
      await expect(things.put([objectOf(1)])).rejects.toMatchObject({
        errorName: 'OntologyDefinitionOutOfSync',
      })
      await store.reclaim(retention(0))
      await store.reclaim(retention(1))
      expect(await underTest.countRowVersions()).toBe(model.size)
      expect(await readAll(store)).toEqual(converted(model))
    })

    it('continues after the store was opened again, wherever it stopped', async () => {
      const { store, model } = await fill(underTest)
      await apply(store, definitionOf(AFTER))
      await store[Symbol.asyncDispose]()
      for (let isDone = false; !isDone; ) {
        await using again = await openAgain(IN_BACKGROUND)
        for (let step = 0; step < 3 && !isDone; step += 1) {
          isDone = (await again.rewriteNext())?.phase === 'published'
        }
      }
      await using again = await openAgain(IN_BACKGROUND)
      expect(await again.rewriteNext()).toBeUndefined()
      expect(await readAll(again)).toEqual(converted(model))
    })

    it('fails with the objects that do not fit, and keeps the definition', async () => {
      const { store: opened, things, model } = await fill(underTest)
      await using store = opened
      await things.put(Array.from({ length: 12 }, (_, n) => ({ ...objectOf(n * 90), text: '1' })))
      const narrow = definitionOf({ ...BEFORE, text: { type: 'integer' } })
      await apply(store, narrow)
      expect((await rewriteAll(store)).at(-1)).toBe('failed')
      const failed = await changeOf(store)
      expect(failed).toMatchObject({ state: 'failed', rewrites: [] })
      expect(failed?.unfitObjects.map(({ primaryKey }) => primaryKey)).toEqual(
        Array.from({ length: 10 }, (_, n) => String(n + 1)),
      )
      expect(failed?.reasons[0]).toBe('object 1 of thing: text is not an integer')
      expect(await readFrom(things)).toHaveLength(OBJECTS)
      // All fit now, until one is written that does not.
      await things.put([...model.keys()].map((k) => ({ k, text: '2' })))
      await apply(store, narrow)
      let isWritten = false
      const phases = await rewriteAll(store, async ({ phase }) => {
        if (phase !== 'indexing' || isWritten) return
        isWritten = true
        await things.put([{ k: 5, text: 'none' }])
      })
      expect(phases.at(-1)).toBe('failed')
      expect((await changeOf(store))?.reasons).toEqual([
        'object 5 of thing: text is not an integer',
      ])
      await things.put([{ k: 5, text: '5' }])
      await apply(store, narrow)
      await rewriteAll(store)
      expect((await readAll(store))[5]).toEqual({ k: 5, text: 5 })
    })

    it('gives objects other keys, also if they exchange them meanwhile', async () => {
      await using store = await underTest.open(IN_BACKGROUND)
      const things = await createFixture(store, definitionOf(BEFORE))
      const numbers = new Map(Array.from({ length: 600 }, (_, k) => [k, k]))
      const put = async (pairs: readonly (readonly [number, number])[]) => {
        await things.put(pairs.map(([k, n]) => ({ k, n })))
        for (const [k, n] of pairs) numbers.set(k, n)
      }
      await put([...numbers])
      await apply(store, definitionOf(BEFORE, { primaryKey: 'n' }))
      let round = 0
      await rewriteAll(store, async ({ phase }) => {
        if (phase === 'published') return
        round += 1
        const [a, b] = [round, 599 - round]
        await put([
          [a, numbers.get(b) ?? 0],
          [b, numbers.get(a) ?? 0],
        ])
      })
      expect((await changeOf(store))?.state).toBe('published')
      const rekeyed = [...numbers].toSorted(([, a], [, b]) => a - b).map(([k, n]) => ({ k, n }))
      const now = await openFixture(store)
      const page = JSON.parse(`[${Buffer.from((await now.readPage()).records).toString()}]`)
      expect(page.map(({ properties }: { properties: object }) => properties)).toEqual(rekeyed)
      await now.put([{ k: 1000, n: 599 }])
      await apply(store, definitionOf(BEFORE))
      await rewriteAll(store)
      await (await openFixture(store)).put([{ k: 7, n: 1 }])
      await apply(store, definitionOf(BEFORE, { primaryKey: 'n' }))
      await rewriteAll(store)
      expect(await changeOf(store)).toMatchObject({
        state: 'failed',
        unfitObjects: [{ reason: 'would have the primary key of another object' }],
      })
    })

    it('waits for a replacement, and converts its objects', async () => {
      const { store: opened, things } = await fill(underTest)
      await using store = opened
      await apply(store, definitionOf(AFTER))
      await store.rewriteNext()
      const replacement = await store.startReplacement(things.type)
      // Also if it has no objects yet.
      const waiting = await rewriteAll(store)
      expect(waiting.at(-1)).toBe('catchingUp')
      await things.put([objectOf(1), objectOf(2)], { replacement })
      expect(await rewriteAll(store)).not.toContain('published')
      expect(await changeOf(store)).toMatchObject({ state: 'running', loadingObjects: 2 })
      await store.publishReplacement(things.type, replacement)
      const { version } = await things.readPage()
      expect((await rewriteAll(store)).at(-1)).toBe('published')
      expect(await readAll(store)).toEqual([
        { k: 1, n: '1', label: 'text 1' },
        { k: 2, n: '2', label: 'text 2' },
      ])
      expect(await readFrom(things, { version })).toEqual([objectOf(1), objectOf(2)])
    })

    it('forgets objects that did not fit when they are replaced', async () => {
      const { store: opened, things } = await fill(underTest)
      await using store = opened
      // Only the text of the first object is not an integer.
      await things.put(Array.from({ length: OBJECTS - 1 }, (_, n) => ({ k: n + 1, text: '1' })))
      await apply(store, definitionOf({ ...BEFORE, text: { type: 'integer' } }))
      await store.rewriteNext()
      expect((await changeOf(store))?.unfitObjects).toHaveLength(1)
      const replacement = await store.startReplacement(things.type)
      await things.put([{ k: 0, text: '2' }], { replacement })
      await store.publishReplacement(things.type, replacement)
      expect((await rewriteAll(store)).at(-1)).toBe('published')
      expect(await changeOf(store)).toMatchObject({ state: 'published', unfitObjects: [] })
      expect(await readAll(store)).toEqual([{ k: 0, text: 2 }])
    })

    it('publishes several types at one moment, and can be cancelled before', async () => {
      await using store = await underTest.open(IN_BACKGROUND)
      const other = { apiName: 'other', primaryKey: 'k', properties: BEFORE }
      const both = {
        ...definitionOf(BEFORE),
        objectTypes: [...definitionOf(BEFORE).objectTypes, other],
      }
      const things = await createFixture(store, both)
      await things.put([objectOf(1)])
      const { objectTypes } = definitionOf(AFTER)
      const renamed = { ...other, apiName: 'another', renamedFrom: 'other', properties: AFTER }
      const changed = { ...both, objectTypes: [...objectTypes, renamed] }
      await apply(store, changed)
      await store.rewriteNext()
      const { rid = '' } = await currentDefinition(store)
      expect(await store.definitionChanges.cancel(rid)).toBe(true)
      expect(await store.definitionChanges.cancel(rid)).toBe(false)
      expect(await rewriteAll(store)).toEqual([])
      expect(await changeOf(store)).toMatchObject({ state: 'cancelled', rewrites: [] })
      expect(await apply(store, changed)).toBe('started')
      await rewriteAll(store, async ({ phase }) => {
        const definition = await currentDefinition(store)
        const names = definition.objectTypes.map(({ apiName, properties }) => [
          apiName,
          Object.keys(properties),
        ])
        const isPublished = phase === 'published'
        const properties = isPublished ? ['k', 'n', 'label'] : ['k', 'n', 'text']
        expect(names).toEqual([
          ['thing', properties],
          [isPublished ? 'another' : 'other', properties],
        ])
      })
      expect(await readAll(store)).toEqual([{ k: 1, n: '1', label: 'text 1' }])
      // Deleting the ontology ends a change.
      await apply(store, definitionOf(BEFORE), { allowDataLoss: true })
      const { generation: basedOn } = await store.readCatalogue()
      const deletion = { ontologyRid: rid, apiName: 'things', basedOn, cascade: true }
      await store.deleteOntology(deletion)
      expect(await rewriteAll(store)).toEqual([])
      expect(await store.definitionChanges.find(rid)).toBeUndefined()
    })
  })
}
