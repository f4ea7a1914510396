/**
 * Random types and histories: the objects that a feed delivers, followed by the changes of each
 * commit, are those of the pages of the store, at every version.
 */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import type { ObjectTypeDefinition } from '../../src/ontology/definition/definition-schema.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import { objectReader, readObjectKey } from '../../src/ontology/values/read-object.ts'
import { isComparable } from '../../src/ontology/values/scalar-codec.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { ColumnFeed, FeedRow, FeedTable } from '../../src/store/columns/feed/column-feed.ts'
import type { FieldValue } from '../../src/store/columns/segment/build-column.ts'
import type { ColumnSpec } from '../../src/store/columns/segment/column.ts'
import { columnSpecs } from '../../src/store/columns/segment/column-specs.ts'
import type { Change, Commit, ObjectStore, PublishMode } from '../../src/store/object-store.ts'
import { openColumnFeed } from '../../src/store/open-column-feed.ts'
import { fcOptions } from '../support/fc-options.ts'
import { fieldValue } from '../support/field-value.ts'
import {
  type GeneratedChange,
  type History,
  historiesWithMore,
  PROPERTY_NAMES,
} from '../support/query-arbitraries.ts'
import type { Properties } from '../support/query-model.ts'
import {
  createFixture,
  openFixture,
  retention,
  type StoreFixture,
} from '../support/store-fixture.ts'
import { createTestStore } from '../support/test-store.ts'

const STEPS = ['commit', 'commit', 'together', 'replace', 'add', 'rename', 'reclaim'] as const
const MODES: readonly PublishMode[] = ['replace', 'append', 'upsert']

interface Step {
  readonly do: (typeof STEPS)[number]
  /** Whether the columns follow before the next step. */
  readonly follows: boolean
  readonly mode: PublishMode
}

const steps: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...STEPS),
  follows: fc.boolean(),
  mode: fc.constantFrom(...MODES),
})

const cases = fc.record({
  history: historiesWithMore(PROPERTY_NAMES, 8),
  steps: fc.array(steps, { minLength: 3, maxLength: 8 }),
})

it('a feed delivers the objects of every version', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.noShrink(cases), async ({ history, steps }) => {
      await using place = await createTestStore()
      // On SQLite, almost every write is staged.
      await using store = await openStore(place.name, { changesAtOnceMax: 2 })
      await using feed = await openColumnFeed(place.name)
      const world = await World.create(store, history)
      const follower = new Follower(feed, world)
      await follower.follow()
      await world.commit(history.commits[0] ?? [])
      for (const [index, step] of steps.entries()) {
        const changes = history.more[index] ?? []
        await world.run(step, changes, () => follower.follow())
        await world.look()
        if (step.follows) await follower.follow()
        follower.check()
      }
      await follower.follow()
      follower.check()
    }),
    fcOptions(25),
  )
})

/** The store, and what its pages showed at each version. */
class World {
  /** The properties of the objects, by version. */
  readonly seen = new Map<number, readonly Properties[]>()
  things: StoreFixture
  readonly #store: ObjectStore
  #definition: Omit<ObjectTypeDefinition, 'apiName'>
  /** The names of properties that were renamed, by their first name. */
  readonly #renamed = new Map<string, string>()
  readonly #unseen = new Set<number>()
  #nowMs = 0

  static async create(store: ObjectStore, { type: { definition } }: History): Promise<World> {
    return new World(store, definition, await createFixture(store, ontologyOf(definition)))
  }

  private constructor(
    store: ObjectStore,
    definition: Omit<ObjectTypeDefinition, 'apiName'>,
    things: StoreFixture,
  ) {
    this.#store = store
    this.#definition = definition
    this.things = things
  }

  async run(step: Step, changes: readonly GeneratedChange[], follow: () => Promise<void>) {
    switch (step.do) {
      case 'commit':
        return this.commit(changes)
      case 'together': {
        const [some, others] = [changes.slice(0, 3), changes.slice(3)]
        const single = async () => {
          for (const change of others) await this.commit([change])
          for (const change of some.slice(0, 1)) await this.commit([change])
        }
        await Promise.all([this.commit(some), single(), follow()])
        return
      }
      case 'replace':
        return this.#replace(changes, step.mode)
      case 'add':
        return this.#define({
          ...this.#definition.properties,
          [`added${this.#unique()}`]: { type: 'string' },
        })
      case 'rename':
        return this.#rename()
      case 'reclaim':
        this.#nowMs += 1000
        await this.look()
        await this.#store.reclaim(retention(this.#nowMs))
    }
  }

  async commit(changes: readonly GeneratedChange[], replacement?: string): Promise<void> {
    const { type: objectType, generation: basedOn } = this.things
    const commit = await this.#store.commit({
      objectType,
      basedOn,
      changes: changes.map((change) => this.#change(change)),
      ...(replacement === undefined ? {} : { replacement }),
    })
    if (replacement === undefined) this.#unseen.add(commit.version)
  }

  /** Reads the pages of versions that no one has looked at. */
  async look(): Promise<void> {
    for (const version of this.#unseen) {
      const page = await this.things.readPage({ version, maxBytes: 100_000_000 })
      expect(page.more).toBe(false)
      const records = JSON.parse(`[${Buffer.from(page.records)}]`) as { properties: Properties }[]
      this.seen.set(
        version,
        records.map(({ properties }) => properties),
      )
    }
    this.#unseen.clear()
  }

  async #replace(changes: readonly GeneratedChange[], mode: PublishMode): Promise<void> {
    const { type } = this.things
    const replacement = await this.#store.startReplacement(type)
    const [loaded, others] = [changes.filter((change) => 'put' in change), changes.slice(0, 2)]
    await this.commit(loaded, replacement)
    // Written while the replacement is being loaded.
    await this.commit(others)
    await this.look()
    const commit: Commit = await this.#store.publishReplacement(type, replacement, mode)
    this.#unseen.add(commit.version)
  }

  /** Renames a property, which rewrites all objects. */
  async #rename(): Promise<void> {
    await this.look()
    const { primaryKey, properties } = this.#definition
    const last = Object.keys(properties).findLast((name) => name !== primaryKey)
    if (last === undefined) return
    const name = `renamed${this.#unique()}`
    const entries = Object.entries(properties).map(([one, property]) =>
      one === last ? [name, { ...property, renamedFrom: one }] : [one, property],
    )
    const first = [...this.#renamed].find(([, now]) => now === last)?.[0] ?? last
    this.#renamed.set(first, name)
    await this.#define(Object.fromEntries(entries))
    const { version } = await this.things.readPage()
    this.#unseen.add(version)
  }

  async #define(properties: ObjectTypeDefinition['properties']): Promise<void> {
    const { titleProperty: _, ...definition } = this.#definition
    this.#definition = { ...definition, properties }
    const ontology = ontologyOf(this.#definition)
    const catalogue = await this.#store.readCatalogue()
    const outcome = await this.#store.saveOntology(
      planChange(ontology.apiName, ontology, catalogue, randomUUID),
    )
    expect(outcome).toBe('saved')
    this.things = await openFixture(this.#store, ontology.apiName)
  }

  #change(change: GeneratedChange): Change {
    const { type } = this.things
    if (!('put' in change)) return { delete: readObjectKey(type, change.delete).pk }
    const entries = Object.entries(change.put).map(([name, value]) => [
      this.#renamed.get(name) ?? name,
      value,
    ])
    return this.things.change(Object.fromEntries(entries) as object)
  }

  #unique(): number {
    return Object.keys(this.#definition.properties).length + this.#renamed.size * 100
  }
}

function ontologyOf(definition: Omit<ObjectTypeDefinition, 'apiName'>) {
  return { apiName: 'world', objectTypes: [{ apiName: 'thing', ...definition }] }
}

interface Followed {
  readonly objectType: ObjectType
  readonly source: FeedTable
  readonly generation: number
  readonly base: number
  until: number
  readonly rows: Map<string, FeedRow & { validTo: number }>
}

/** Follows the type of a world by its feed alone. */
class Follower {
  readonly #feed: ColumnFeed
  readonly #world: World
  #followed: Followed | undefined

  constructor(feed: ColumnFeed, world: World) {
    this.#feed = feed
    this.#world = world
  }

  async follow(): Promise<void> {
    const { rid } = this.#world.things.type
    const [head] = await this.#feed.readHeads([rid])
    if (head === undefined) throw new Error('no head')
    const followed = this.#followed
    const isSame = followed?.source.table === head.table && followed.generation === head.generation
    if (isSame) {
      const { source, until, rows } = followed
      const changes = await this.#feed.readChanges(source, until, head.published, 1000)
      if (changes !== 'tooMany') {
        for (const row of changes.added) {
          expect(row.validFrom > until && row.validFrom <= head.published).toBe(true)
          rows.set(idOf(row), { ...row, validTo: Infinity })
        }
        for (const closed of changes.closed) {
          const row = rows.get(idOf(closed))
          expect(row?.validTo, idOf(closed)).toBe(Infinity)
          if (row !== undefined) row.validTo = closed.validTo
        }
        followed.until = head.published
        return
      }
      // Another change may be reclaimed meanwhile.
      expect(head.oldest).toBeGreaterThan(until)
    }
    const objectType = await this.#feed.readObjectType(rid)
    if (objectType === undefined) throw new Error('no type')
    const { typeId, table, generation, published } = head
    const source = { typeId, table, specs: columnSpecs(objectType) }
    const rows = new Map<string, FeedRow & { validTo: number }>()
    let before = Buffer.alloc(0)
    for await (const portion of this.#feed.readObjects(source, published)) {
      for (const row of portion) {
        const key = Buffer.from(row.key)
        expect(Buffer.compare(before, key)).toBe(-1)
        before = key
        rows.set(idOf(row), { ...row, validTo: Infinity })
      }
    }
    expect(rows.size).toBe(head.liveCount)
    this.#followed = { objectType, source, generation, base: published, until: published, rows }
  }

  /** Compares all versions that were followed with the pages of the store. */
  check(): void {
    const { objectType, source, base, until, rows } = this.#followed as Followed
    const read = objectReader(objectType)
    for (const [version, objects] of this.#world.seen) {
      if (version < base || version > until) continue
      const expected = objects.map((properties) => {
        const stored = read(properties)
        return toObject(stored.pk, source.specs, (spec) => fieldValue(spec, stored))
      })
      const visible = [...rows.values()]
        .filter(({ validFrom, validTo }) => validFrom <= version && validTo > version)
        .map(({ key, values }) => toObject(key, source.specs, (_, at) => values[at]))
        .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
      expect(visible, `version ${version}`).toEqual(expected)
    }
  }
}

function idOf({ key, validFrom }: { readonly key: string; readonly validFrom: number }): string {
  return `${validFrom} ${key}`
}

function toObject(
  key: string,
  specs: readonly ColumnSpec[],
  read: (spec: ColumnSpec, at: number) => FieldValue,
) {
  const values = specs.map((spec, at) => {
    const value = read(spec, at)
    const isCompared = spec.type === 'geopoint' || (spec.type && isComparable(spec.type))
    return isCompared ? comparable(value) : value !== undefined
  })
  return { key, values }
}

/** A number and a bigint of the same value are equal, and so are both zeros. */
function comparable(value: FieldValue): unknown {
  if (value === undefined) return undefined
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object') return String(value)
  const { longitude, latitude } = value as { longitude: number; latitude: number }
  return `${longitude} ${latitude}`
}
