/** The contract of the feed of columns, on every database. */
import { describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import { openStore } from '../src/server/open-store.ts'
import type {
  ColumnFeed,
  FeedHead,
  FeedRow,
  FeedTable,
} from '../src/store/columns/feed/column-feed.ts'
import { BuildPace } from '../src/store/columns/process/build-pace.ts'
import { columnSpecs } from '../src/store/columns/segment/column-specs.ts'
import { addedBetween } from '../src/store/core/columns/changed-rows.ts'
import type { ObjectStore } from '../src/store/object-store.ts'
import { openColumnFeed } from '../src/store/open-column-feed.ts'
import {
  createFixture,
  retention,
  type StoreFixture,
  thingsDefinition,
} from './support/store-fixture.ts'
import { createTestStore } from './support/test-store.ts'

const MANY = 1000
/** More rows than any test has. */
const NO_LIMIT = 100_000

const VALUES: OntologyDefinition = {
  apiName: 'values',
  objectTypes: [
    {
      apiName: 'value',
      primaryKey: 'k',
      properties: {
        k: { type: 'long' },
        text: { type: 'string' },
        flag: { type: 'boolean' },
        real: { type: 'double' },
        price: { type: 'decimal' },
        day: { type: 'date' },
        moment: { type: 'timestamp' },
        place: { type: 'geopoint' },
        area: { type: 'geoshape' },
        longs: { type: 'array', items: { type: 'long' } },
        address: { type: 'struct', fields: { city: { type: 'string' }, zip: { type: 'long' } } },
        parts: {
          type: 'array',
          items: {
            type: 'struct',
            fields: { name: { type: 'string' }, price: { type: 'decimal' } },
          },
        },
      },
    },
  ],
}
const POINT = { type: 'Point', coordinates: [13.37, -52.5] }
const BEYOND_DOUBLES = '9223372036854775807'

/** A store with one type, and its feed. */
class World implements AsyncDisposable {
  readonly name: string
  readonly store: ObjectStore
  readonly feed: ColumnFeed
  readonly things: StoreFixture
  readonly #parts: AsyncDisposableStack

  static async open(definition = thingsDefinition('things')): Promise<World> {
    await using parts = new AsyncDisposableStack()
    const { name } = parts.use(await createTestStore())
    const store = parts.use(await openStore(name))
    const feed = parts.use(await openColumnFeed(name))
    return new World(name, store, feed, await createFixture(store, definition), parts.move())
  }

  private constructor(
    name: string,
    store: ObjectStore,
    feed: ColumnFeed,
    things: StoreFixture,
    parts: AsyncDisposableStack,
  ) {
    this.name = name
    this.store = store
    this.feed = feed
    this.things = things
    this.#parts = parts
  }

  async head(): Promise<FeedHead> {
    const [head] = await this.feed.readHeads([this.things.type.rid])
    if (head === undefined) throw new Error('no type')
    return head
  }

  async source(): Promise<FeedTable> {
    const { typeId, table } = await this.head()
    return { typeId, table, specs: columnSpecs(this.things.type) }
  }

  async readObjects(version: number): Promise<FeedRow[]> {
    return (await Array.fromAsync(this.feed.readObjects(await this.source(), version))).flat()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync()
  }
}

/** `explain` returns how the database runs a statement. */
export function feedContract(explain: (name: string, sql: string) => Promise<string>): void {
  describe('the feed of columns', () => {
    it('delivers values of all types exactly', async () => {
      await using world = await World.open(VALUES)
      await world.things.put([
        { k: BEYOND_DOUBLES, real: 'NaN', price: '-0.10', longs: [], address: {} },
        {
          k: '-7',
          text: 'Füße 🦶',
          flag: true,
          real: 1e-9,
          price: '123456789012345678901234567890.5',
          day: '0099-01-02',
          moment: '2026-01-31T12:00:00.000001Z',
          place: POINT,
          area: POINT,
          longs: ['1', BEYOND_DOUBLES, '1'],
          address: { city: 'Rom', zip: BEYOND_DOUBLES },
          parts: [{ name: 'b', price: '2.50' }, { price: '1' }, {}],
        },
        { k: '0' },
      ])
      const { specs } = await world.source()
      const rows = await world.readObjects(1)
      const shown = rows.map(({ values }) =>
        Object.fromEntries(
          specs.flatMap(({ property, structField = '' }, at) =>
            values[at] === undefined ? [] : [[`${property} ${structField}`.trim(), values[at]]],
          ),
        ),
      )
      const largest = BigInt(BEYOND_DOUBLES)
      expect(shown).toEqual([
        {
          k: -7,
          text: 'Füße 🦶',
          flag: 1,
          real: 1e-9,
          price: '10301234567890123456789012345678905',
          day: '0099-01-02',
          moment: '2026-01-31T12:00:00.000001Z',
          place: { longitude: 13.37, latitude: -52.5 },
          area: 1,
          longs: [1n, largest, 1n],
          address: 1,
          'address city': 'Rom',
          'address zip': largest,
          parts: 1,
          'parts name': ['b'],
          'parts price': ['100125', '10011'],
        },
        { k: 0 },
        { k: largest, real: 'NaN', price: '09998~', longs: [], address: 1 },
      ])
    })

    it('delivers many changes in order, and none beyond a limit', async () => {
      await using world = await World.open()
      const { things, feed } = world
      const keys = Array.from({ length: MANY }, (_, n) => `k${String(n).padStart(4, '0')}`)
      await things.commit([['a', '1']])
      await things.commit(keys.map((key) => [key, '1']))
      await things.commit(keys.map((key) => [key, '2']))
      await things.commit([
        ['a', null],
        ['b', '1'],
      ])
      const source = await world.source()
      const changes = await feed.readChanges(source, 1, 4, NO_LIMIT)
      if (changes === 'tooMany') throw new Error('too many')
      const { added, closed } = changes
      expect(added.map(({ key, validFrom, values }) => [validFrom, key, values[1]])).toEqual([
        ...keys.map((key) => [2, key, '1']),
        ...keys.map((key) => [3, key, '2']),
        [4, 'b', '1'],
      ])
      expect(closed.map(({ key, validFrom, validTo }) => [validTo, key, validFrom])).toEqual([
        ...keys.map((key) => [3, key, 2]),
        [4, 'a', 1],
      ])
      const total = added.length + closed.length
      expect(await feed.readChanges(source, 1, 4, total)).toEqual(changes)
      expect(await feed.readChanges(source, 1, 4, total - 1)).toBe('tooMany')
      expect(await feed.readChanges(source, 3, 4, 1)).toBe('tooMany')
      expect(await feed.readChanges(source, 3, 4, 2)).toMatchObject({ added: [{ key: 'b' }] })
      expect(await feed.readChanges(source, 4, 4, 0)).toEqual({ added: [], closed: [] })
    })

    it('delivers nothing of a type that was never written to', async () => {
      await using world = await World.open()
      const { isCreated, published } = await world.head()
      expect([isCreated, published]).toEqual([false, 0])
      expect(await world.readObjects(0)).toEqual([])
      const source = await world.source()
      expect(await world.feed.readChanges(source, 0, 0, 0)).toEqual({ added: [], closed: [] })
      await world.things.commit([['a', '1']])
      expect(await world.feed.readChanges(source, 0, 1, 1)).toMatchObject({ added: [{ key: 'a' }] })
      expect(await world.feed.readHeads(['ri.unknown'])).toEqual([undefined])
      expect(await world.feed.readObjectType('ri.unknown')).toBeUndefined()
    })

    it('never delivers a part of a version that was reclaimed', async () => {
      await using world = await World.open()
      const { things, feed, store } = world
      await things.commit([['a', '1']])
      await things.commit([['a', '2']])
      const source = await world.source()
      expect(await feed.readChanges(source, 1, 2, 2)).toMatchObject({ closed: [{ key: 'a' }] })
      await store.reclaim(retention(0))
      expect(await feed.readChanges(source, 1, 2, 2)).toBe('tooMany')
      await expect(world.readObjects(1)).rejects.toThrow(/^version 1 was reclaimed/)
      expect(await world.readObjects(2)).toMatchObject([{ key: 'a', validFrom: 2 }])
    })

    it('keeps the records of files as long as their tables', async () => {
      await using world = await World.open()
      const { things, feed, store } = world
      const { table, generation } = await world.head()
      const record = { typeRid: things.type.rid, table, generation, version: 1 }
      await feed.addSegment({ name: 'first', ...record })
      await feed.addSegment({ name: 'second', ...record })
      expect(await feed.readSegments()).toEqual([
        { name: 'first', ...record },
        { name: 'second', ...record },
      ])
      await feed.removeSegments(['first', 'unknown'])
      expect(await feed.readSegments()).toEqual([{ name: 'second', ...record }])
      const replacement = await store.startReplacement(things.type)
      await things.commit([['a', '1']], { replacement })
      await store.publishReplacement(things.type, replacement)
      await store.reclaim(retention(0))
      expect(await feed.readSegments()).toEqual([])
      const third = { name: 'third', ...record, table: (await world.head()).table }
      await feed.addSegment(third)
      expect(await feed.readSegments()).toEqual([third])
    })

    it('counts the rows that others write, and a build waits while an import is running', async () => {
      await using world = await World.open()
      const { things, feed, store } = world
      await things.commit([
        ['a', '1'],
        ['b', '2'],
      ])
      expect(await feed.readWrites()).toEqual({ rows: 2, isLoading: false })
      await things.commit([['a', '3']])
      expect(await feed.readWrites()).toEqual({ rows: 3, isLoading: false })
      const replacement = await store.startReplacement(things.type)
      const events: string[] = []
      const building = new BuildPace(feed).pause().then(() => events.push('built'))
      for (const key of ['a', 'b', 'c']) await things.commit([[key, '4']], { replacement })
      expect((await feed.readWrites()).isLoading).toBe(true)
      events.push('published')
      await store.publishReplacement(things.type, replacement)
      await building
      expect(events).toEqual(['published', 'built'])
    })

    it('finds changes by an index that has no loaded rows', async () => {
      await using world = await World.open()
      const { things, store, name } = world
      const replacement = await store.startReplacement(things.type)
      const loaded = Array.from({ length: 3 * MANY }, (_, n) => [`k${n}`, '1'] as const)
      await things.commit(loaded, { replacement })
      await store.publishReplacement(things.type, replacement)
      const { table, published } = await world.head()
      await things.commit([['k1', '2']])
      const between = addedBetween(
        { indexedVersion: published - 1, maxRecordBytes: 1 },
        { since: published, until: published + 1 },
      )
      const values = [published + 1, `''`, published + 1]
      const where = between.replaceAll('?', () => String(values.shift()))
      const plan = await explain(
        name,
        `SELECT o.body FROM oqs_object_${table} AS o WHERE ${where}
         ORDER BY o.valid_from, o.pk LIMIT 10`,
      )
      expect(plan).toContain(`oqs_object_${table}_added`)
    })
  })
}
