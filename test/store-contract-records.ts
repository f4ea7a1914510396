/** The part of the store contract about records of known keys. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { recordShape } from '../src/contract/object-record.ts'
import { planChange } from '../src/ontology/definition/change-definition.ts'
import type {
  ObjectStore,
  ReadRecordsRequest,
  Reclaimed,
  StoredPage,
} from '../src/store/object-store.ts'
import {
  CachedIdentity,
  INTERNAL_CONTEXT,
  type PlanKind,
  StaleIdentity,
} from '../src/store/port/request-context.ts'
import type { StoreUnderTest } from './store-contract.ts'
import {
  createFixture,
  openFixture,
  retention,
  type StoreFixture,
  thingsDefinition,
} from './support/store-fixture.ts'

type Options = Partial<ReadRecordsRequest> & Pick<ReadRecordsRequest, 'keys' | 'version'>

function requestOf({ type }: StoreFixture, options: Options): ReadRecordsRequest {
  return {
    objectType: type,
    record: { shape: recordShape('1.0', type.apiName), selection: undefined },
    maxObjects: 1000,
    maxBytes: 1_000_000,
    ...options,
  }
}

/** Returns the objects of a page as `key=text`. */
function pairsOf(page: StoredPage | Reclaimed): string[] | Reclaimed {
  if (page === 'reclaimed') return page
  const objects = JSON.parse(`[${Buffer.from(page.records).toString()}]`) as {
    properties: Record<string, unknown>
  }[]
  return objects.map(({ properties: { k, text } }) => `${k}=${text}`)
}

export function recordsContract({ name, open, openAgain }: StoreUnderTest): void {
  describe(`the ${name} store: records of known keys`, () => {
    /** Reads twice: the first read may have to find out which table to read. */
    async function read(store: ObjectStore, things: StoreFixture, options: Options) {
      const first = await store.readRecords(requestOf(things, options))
      const second = await store.readRecords(requestOf(things, options))
      expect(pairsOf(second)).toEqual(pairsOf(first))
      return second
    }
    async function readPairs(store: ObjectStore, things: StoreFixture, options: Options) {
      return pairsOf(await read(store, things, options))
    }

    it('come in the order of the keys, with the cursor of the last row', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([
        ['a', '1'],
        ['b', '2'],
        ['c', '3'],
      ])
      const { version } = await things.commit([['b', '4']])
      const page = await read(store, things, { keys: ['c', 'a', 'b'], version })
      expect(pairsOf(page)).toEqual(['c=3', 'a=1', 'b=4'])
      expect(page).toMatchObject({ count: 3, more: false, version, last: { pk: 'b', version: 2 } })
      expect(page).toMatchObject({ totalCount: undefined, matchEstimate: undefined })
      const first = await read(store, things, { keys: ['c', 'a', 'b'], version, maxObjects: 2 })
      expect(pairsOf(first)).toEqual(['c=3', 'a=1'])
      expect(first).toMatchObject({ count: 2, more: true, last: { pk: 'a', version: 1 } })
      const plans: PlanKind[] = []
      await store.readRecords(requestOf(things, { keys: ['a'], version }), {
        ...INTERNAL_CONTEXT,
        onRead: ({ plan }) => plans.push(plan),
      })
      expect(plans).toEqual(['keyList'])
    })

    it('of no keys are an empty page, also before the first object', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const empty = { count: 0, more: false, last: undefined }
      const { version: before } = await things.readPage()
      expect(await read(store, things, { keys: [], version: before })).toMatchObject(empty)
      await using other = await openAgain()
      const theirs = await openFixture(other)
      const { version } = await theirs.commit([['a', '1']])
      expect(await read(store, things, { keys: [], version })).toMatchObject(empty)
      expect(await readPairs(store, things, { keys: ['a'], version })).toEqual(['a=1'])
    })

    it('are those of the version, whatever was written since', async () => {
      await using store = await open()
      await using other = await openAgain()
      const things = await createFixture(store)
      const keys = ['b', 'a']
      for (const text of ['1', '2', '3']) {
        await things.commit([
          ['a', text],
          ['b', text],
        ])
        // Another node has an outdated head of the type.
        const theirs = await openFixture(other)
        for (let version = 1; version <= Number(text); version++) {
          for (const [node, fixture] of [
            [store, things],
            [other, theirs],
          ] as const) {
            const pairs = await readPairs(node, fixture, { keys, version })
            expect(pairs).toEqual([`b=${version}`, `a=${version}`])
          }
        }
      }
    })

    it('are refused as a whole if a key has no object at the version', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const readAt = (version: number, keys: readonly string[], maxBytes = 1_000_000) =>
        readPairs(store, things, { keys, version, maxBytes })
      await things.commit([['a', '1']])
      await things.commit([['b', '1']])
      await things.commit([['a', null]])
      expect(await readAt(1, ['a'])).toEqual(['a=1'])
      expect(await readAt(1, ['a', 'b'])).toBe('reclaimed')
      expect(await readAt(2, ['b', 'a'])).toEqual(['b=1', 'a=1'])
      expect(await readAt(3, ['b', 'a'])).toBe('reclaimed')
      expect(await readAt(3, ['a', 'b'])).toBe('reclaimed')
      expect(await readAt(3, ['a', 'b'], 10)).toBe('reclaimed')
      expect(await readAt(3, ['b', 'never'])).toBe('reclaimed')
      expect(await readAt(3, ['b'])).toEqual(['b=1'])
      expect(await readAt(4, ['b'])).toBe('reclaimed')
      expect(await readAt(4, [])).toBe('reclaimed')
    })

    it('are refused when the version is reclaimed', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      const { version } = await things.commit([['a', '2']])
      await store.reclaim(retention(1000))
      await store.reclaim(retention(2000))
      expect(await readPairs(store, things, { keys: ['a'], version: 1 })).toBe('reclaimed')
      expect(await readPairs(store, things, { keys: [], version: 1 })).toBe('reclaimed')
      expect(await readPairs(store, things, { keys: ['a'], version })).toEqual(['a=2'])
    })

    it('end at the byte budget, but not before the first record', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const long = 'x'.repeat(100_000)
      const { version } = await things.commit([
        ['a', 'short'],
        ['b', long],
        ['c', 'short'],
      ])
      const facts = async (keys: readonly string[], maxBytes: number) => {
        const page = await read(store, things, { keys, version, maxBytes })
        if (page === 'reclaimed') return page
        expect(page.records.length).toBeGreaterThan(0)
        return [page.count, page.more, page.last?.pk]
      }
      const keys = ['c', 'b', 'a']
      expect(await facts(keys, 1_000_000)).toEqual([3, false, 'a'])
      expect(await facts(keys, 1000)).toEqual([1, true, 'c'])
      expect(await facts(keys, 1)).toEqual([1, true, 'c'])
      expect(await facts(['b', 'a'], 1000)).toEqual([1, true, 'b'])
      expect(await facts(['b'], 1000)).toEqual([1, false, 'b'])
      // A page and a list of its keys end at the same object.
      for (const maxBytes of [300, 600, 900, 100_500, 101_000]) {
        const walked = await things.readPage({ maxBytes })
        const listed = await facts(['a', 'b', 'c'], maxBytes)
        expect([maxBytes, listed]).toEqual([maxBytes, [walked.count, walked.more, walked.last?.pk]])
      }
    })

    it('are found by any key, and come in any form of a record', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const keys = [
        '"',
        '\\',
        '{}',
        ',',
        'NULL',
        'é',
        '\u{10000}',
        ' ',
        "'",
        'a"b\\c,{d}',
        '0',
        '\n',
      ]
      const { version } = await things.commit(keys.map((key) => [key, 'text'] as const))
      const reversed = keys.toReversed()
      expect(await readPairs(store, things, { keys: reversed, version })).toEqual(
        reversed.map((key) => `${key}=text`),
      )
      const listed = await store.readRecords(
        requestOf(things, {
          keys: ['0', 'é'],
          version,
          record: { shape: [{ column: 'properties' }], selection: undefined, separator: '\n' },
        }),
      )
      if (listed === 'reclaimed') throw new Error('reclaimed')
      expect(Buffer.from(listed.records).toString()).toBe(
        '{"k":"0","text":"text"}\n{"k":"é","text":"text"}',
      )
    })

    it('equal those of a page with the same keys, row ids included', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const keys = Array.from({ length: 1200 }, (_, n) => `k${(n * 7919) % 1200}`)
      const commits = [
        await things.commit(keys.map((key) => [key, `text ${key}`] as const)),
        await things.commit(keys.slice(0, 300).map((key) => [key, 'changed'] as const)),
      ]
      for (const { version } of commits) {
        const walked = await things.readPage({ version, includeRowIds: true, maxObjects: 2000 })
        const listed = await read(store, things, {
          keys: keys.toSorted(),
          version,
          maxObjects: 2000,
          includeRowIds: true,
        })
        if (listed === 'reclaimed') throw new Error('reclaimed')
        expect(Buffer.from(listed.records).equals(walked.records)).toBe(true)
        expect(listed.rowIds).toBe(walked.rowIds)
      }
    })

    it('come from the table that a replacement replaced, until it is gone', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      expect(await readPairs(store, things, { keys: ['a'], version: 1 })).toEqual(['a=1'])
      await using other = await openAgain()
      const theirs = await openFixture(other)
      const replacement = await other.startReplacement(theirs.type)
      await theirs.commit([['b', '2']], { replacement })
      const { version } = await other.publishReplacement(theirs.type, replacement)
      expect(await readPairs(store, things, { keys: ['a'], version: 1 })).toEqual(['a=1'])
      expect(await readPairs(store, things, { keys: ['b'], version: 1 })).toBe('reclaimed')
      expect(await readPairs(store, things, { keys: ['b'], version })).toEqual(['b=2'])
      expect(await readPairs(store, things, { keys: ['a'], version })).toBe('reclaimed')
      for (const nowMs of [1000, 2000, 3000]) await other.reclaim(retention(nowMs))
      expect(await readPairs(store, things, { keys: ['a'], version: 1 })).toBe('reclaimed')
      expect(await readPairs(store, things, { keys: ['b'], version })).toEqual(['b=2'])
    })

    it('keep the form of an earlier definition, unless the request needs the current one', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      expect(await readPairs(store, things, { keys: ['a'], version: 1 })).toEqual(['a=1'])
      const properties = { k: { type: 'string' }, text: { type: 'integer' } } as const
      const changed = { apiName: 'thing', primaryKey: 'k', properties }
      const definition = { apiName: 'things', objectTypes: [changed] }
      await store.saveOntology(
        planChange('things', definition, await store.readCatalogue(), randomUUID),
      )
      const after = await openFixture(store)
      const { version } = await after.readPage()
      const textAt = async (options: Options) => {
        const page = await store.readRecords(requestOf(after, options))
        return page === 'reclaimed' ? page : Buffer.from(page.records).toString()
      }
      expect(await textAt({ keys: ['a'], version })).toContain('"text":1')
      expect(await textAt({ keys: ['a'], version: 1 })).toContain('"text":"1"')
      const strict = { keys: ['a'], isOfDefinition: true }
      expect(await textAt({ ...strict, version })).toContain('"text":1')
      await expect(textAt({ ...strict, version: 1 })).rejects.toMatchObject({
        errorName: 'InvalidPageToken',
      })
      // The caller has an outdated definition.
      await expect(
        store.readRecords(requestOf(things, { keys: ['a'], version })),
      ).rejects.toMatchObject({ errorName: 'OntologyDefinitionOutOfSync' })
    })

    it('verify the catalogue that a request has from a cache, or refuse it as stale', async () => {
      await using store = await open()
      await using other = await openAgain()
      const things = await createFixture(store)
      const { version } = await things.commit([['a', '1']])
      const verified = async (catalogue: number) => {
        const cachedIdentity = new CachedIdentity({ catalogue })
        const context = { ...INTERNAL_CONTEXT, cachedIdentity }
        await store.readRecords(requestOf(things, { keys: ['a'], version }), context)
        return cachedIdentity.isVerified
      }
      const { generation } = await store.readCatalogue()
      expect(await verified(generation)).toBe(true)
      await createFixture(other, thingsDefinition('others'))
      await expect(verified(generation)).rejects.toThrow(StaleIdentity)
      expect(await verified((await store.readCatalogue()).generation)).toBe(true)
    })
  })
}
