/** The contract that every store must fulfil, whatever its database. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { recordShape } from '../src/contract/object-record.ts'
import { planChange } from '../src/ontology/definition/change-definition.ts'
import { objectReader } from '../src/ontology/values/read-object.ts'
import type { ObjectStore, StoreOptions } from '../src/store/object-store.ts'
import {
  CachedIdentity,
  INTERNAL_CONTEXT,
  StaleIdentity,
} from '../src/store/port/request-context.ts'
import { ageContract } from './store-contract-ages.ts'
import { cacheContract } from './store-contract-cache.ts'
import { definitionContract } from './store-contract-definitions.ts'
import { documentContract } from './store-contract-documents.ts'
import { editContract } from './store-contract-edits.ts'
import { historyContract } from './store-contract-history.ts'
import { loadContract } from './store-contract-loads.ts'
import { maintenanceContract } from './store-contract-maintenance.ts'
import { portContract } from './store-contract-port.ts'
import { queryContract } from './store-contract-queries.ts'
import { recordsContract } from './store-contract-records.ts'
import { repeatContract } from './store-contract-repeats.ts'
import { objectSetContract } from './store-contract-sets.ts'
import { slowQueryContract } from './store-contract-slow-queries.ts'
import { whereContract } from './store-contract-where.ts'
import { writeContract } from './store-contract-writes.ts'
import { createFixture, keyCursor, pageRequest, thingsDefinition } from './support/store-fixture.ts'

export interface StoreUnderTest {
  readonly name: string
  /** Opens a new, empty store. */
  open(options?: StoreOptions): Promise<ObjectStore>
  /** Opens the same data again, as another process would. */
  openAgain(options?: StoreOptions): Promise<ObjectStore>
  /** With this many objects, the slow query of the contract takes several times this timeout. */
  readonly slow: { readonly objects: number; readonly timeoutMs: number }
  /** Counts the row versions of all object tables, replacements included. */
  countRowVersions(): Promise<number>
}

export function storeContract(store: StoreUnderTest): void {
  const { name, open, openAgain } = store
  ageContract(store)
  queryContract(store)
  objectSetContract(store)
  cacheContract(store)
  historyContract(store)
  recordsContract(store)
  maintenanceContract(store)
  definitionContract(store)
  documentContract(store)
  whereContract(store)
  writeContract(store)
  loadContract(store)
  editContract(store)
  repeatContract(store)
  portContract(store)
  slowQueryContract(store)

  describe(`the ${name} store: pages`, () => {
    it('reads records in key order, strictly after a key', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([
        ['c', '3'],
        ['a', '1'],
        ['b', '2'],
        ['d', '4'],
      ])
      expect(await things.readPairs()).toEqual(['a=1', 'b=2', 'c=3', 'd=4'])
      expect(await things.readPairs({ after: keyCursor('b') })).toEqual(['c=3', 'd=4'])
      expect(await things.readPairs({ after: keyCursor('bb'), maxObjects: 1 })).toEqual(['c=3'])
      expect(await things.readPairs({ after: keyCursor('d') })).toEqual([])
    })

    it('returns the last key, the count, and whether more objects follow', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([
        ['a', '1'],
        ['b', '2'],
        ['c', '3'],
      ])
      const facts = async (maxObjects: number, after?: string) => {
        const { count, last, more, totalCount } = await things.readPage({
          maxObjects,
          after: keyCursor(after),
        })
        return { count, lastKey: last?.pk, more, totalCount }
      }
      expect(await facts(2)).toEqual({ count: 2, lastKey: 'b', more: true, totalCount: 3 })
      expect(await facts(3)).toEqual({ count: 3, lastKey: 'c', more: false, totalCount: 3 })
      expect(await facts(9)).toEqual({ count: 3, lastKey: 'c', more: false, totalCount: 3 })
      expect(await facts(1, 'c')).toEqual({
        count: 0,
        lastKey: undefined,
        more: false,
        totalCount: 3,
      })
    })

    it('verifies the catalogue that a request has from a cache, or refuses it as stale', async () => {
      await using store = await open()
      await using other = await openAgain()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      const currentGeneration = async () => (await store.readCatalogue()).generation
      const read = async (catalogue: number) => {
        const cachedIdentity = new CachedIdentity({ catalogue })
        await store.readPage(pageRequest(things.type, {}), { ...INTERNAL_CONTEXT, cachedIdentity })
        return cachedIdentity.isVerified
      }
      const cached = await currentGeneration()
      expect(store.cachedCatalogue({})?.generation).toBe(cached)
      expect(await read(cached)).toBe(true)
      await createFixture(other, thingsDefinition('others'))
      await expect(read(cached)).rejects.toThrow(StaleIdentity)
      expect(await read(await currentGeneration())).toBe(true)
    })

    it('orders text by code point', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const keys = ['Z', 'a', 'é', 'z', '\uffff', '\u{10000}', 'aa', 'A', '!', '~']
      await things.commit(keys.map((key) => [key, '']))
      const byCodePoint = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(await things.readPairs()).toEqual(byCodePoint.map((key) => `${key}=`))
    })

    it('writes the record of either revision', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a"\\é', 'x"y']])
      const text = async (revision: '1.0' | '2.0') => {
        const page = await things.readPage({
          record: { shape: recordShape(revision, 'thing'), selection: undefined },
        })
        return Buffer.from(page.records).toString()
      }
      const properties = '{"k":"a\\"\\\\é","text":"x\\"y"}'
      expect(await text('1.0')).toMatch(
        /^{"rid":"ri\.phonograph2-objects\.main\.object\.[0-9a-f-]{36}","properties":/,
      )
      expect((await text('1.0')).endsWith(`"properties":${properties}}`)).toBe(true)
      expect(await text('2.0')).toBe(
        `{"primaryKey":"a\\"\\\\é","objectType":"thing","title":"x\\"y","properties":${properties}}`,
      )
    })

    it('ends a page at its byte budget, but not before its first record', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([
        ['a', 'x'.repeat(3000)],
        ['b', ''],
        ['c', ''],
        ['d', 'x'.repeat(900)],
      ])
      const keys = async (after?: string) => {
        const page = await things.readPage({ after: keyCursor(after), maxBytes: 1000 })
        expect(page.count === 1 || page.records.length <= 1000).toBe(true)
        return [page.count, page.last?.pk, page.more]
      }
      expect(await keys()).toEqual([1, 'a', true])
      expect(await keys('a')).toEqual([2, 'c', true])
      expect(await keys('c')).toEqual([1, 'd', false])
    })
  })

  describe(`the ${name} store: versions`, () => {
    it('[4.5.2] reads as of every version, regardless of later commits', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([
        ['a', '1'],
        ['b', '1'],
      ])
      await things.commit([
        ['b', '2'],
        ['c', '2'],
      ])
      await things.commit([
        ['a', null],
        ['c', '3'],
      ])
      await things.commit([['a', '4']])
      expect(await things.readPairs({ version: 0 })).toEqual([])
      expect(await things.readPairs({ version: 1 })).toEqual(['a=1', 'b=1'])
      expect(await things.readPairs({ version: 2 })).toEqual(['a=1', 'b=2', 'c=2'])
      expect(await things.readPairs({ version: 3 })).toEqual(['b=2', 'c=3'])
      expect(await things.readPairs({ version: 4 })).toEqual(['a=4', 'b=2', 'c=3'])
      expect(await things.readPairs()).toEqual(['a=4', 'b=2', 'c=3'])
    })

    it('[4.5.2] knows at every version whether more objects follow', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([
        ['a', '1'],
        ['b', '1'],
        ['c', '1'],
      ])
      await things.commit([
        ['b', null],
        ['c', null],
      ])
      const before = await things.readPage({ version: 1, maxObjects: 1 })
      const now = await things.readPage({ version: 2, maxObjects: 1 })
      expect([before.more, now.more]).toEqual([true, false])
    })

    it('counts live objects, and the changes of a commit', async () => {
      await using store = await open()
      const things = await createFixture(store)
      expect(
        await things.commit([
          ['a', '1'],
          ['b', '1'],
        ]),
      ).toEqual({ version: 1, put: 2, deleted: 0, kept: 0 })
      expect(
        await things.commit([
          ['b', '2'],
          ['a', null],
          ['x', null],
        ]),
      ).toEqual({ version: 2, put: 1, deleted: 1, kept: 0 })
      expect(await things.commit([['x', null]])).toEqual({
        version: 2,
        put: 0,
        deleted: 0,
        kept: 0,
      })
      expect(await things.commit([])).toEqual({ version: 2, put: 0, deleted: 0, kept: 0 })
      const { totalCount, version } = await things.readPage()
      expect([totalCount, version]).toEqual([1, 2])
    })

    it('walks a replacement in any order, even if objects were written more than once', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const replacement = await store.startReplacement(things.type)
      await things.commit([['a', '9']], { replacement })
      await things.commit([['b', '5']], { replacement })
      await things.commit([['a', '1']], { replacement })
      const { put } = await store.publishReplacement(things.type, replacement)
      expect(put).toBe(2)
      const order = [{ property: 'text', direction: 'asc', nulls: 'last' }] as const
      const first = await things.readPage({ order, maxObjects: 1 })
      expect(await things.readPairs({ order, maxObjects: 1 })).toEqual(['a=1'])
      expect(await things.readPairs({ order, after: first.last })).toEqual(['b=5'])
    })

    it('returns the same result if a replacement is published twice', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['x', '1']])
      const replacement = await store.startReplacement(things.type)
      await things.commit([['a', '1']], { replacement })
      const commit = await store.publishReplacement(things.type, replacement)
      expect(commit).toMatchObject({ put: 1, deleted: 1 })
      expect(await store.publishReplacement(things.type, replacement)).toEqual(commit)
      await expect(store.abandonReplacement(things.type, replacement)).rejects.toThrow(
        'ReplacementNotFound',
      )
      expect(await things.readPairs()).toEqual(['a=1'])
    })
  })

  describe(`the ${name} store: definitions`, () => {
    it('increases the generation with every change of a definition', async () => {
      await using store = await open()
      const { generation: before } = await store.readCatalogue()
      await createFixture(store)
      const { generation: after, ontologies } = await store.readCatalogue()
      expect(after).toBeGreaterThan(before)
      expect(ontologies.map((ontology) => ontology.apiName)).toEqual(['things'])
    })

    it('refuses a definition that was checked against an older catalogue', async () => {
      await using store = await open()
      const old = await store.readCatalogue()
      await createFixture(store)
      const change = planChange('late', { apiName: 'late', objectTypes: [] }, old, randomUUID)
      await expect(store.saveOntology(change)).rejects.toMatchObject({
        errorName: 'OntologyDefinitionOutOfSync',
      })
    })

    it('refuses objects that were checked against an older definition of their type', async () => {
      await using store = await open()
      const { type } = await createFixture(store)
      const { generation } = await store.readCatalogue()
      const changed = {
        apiName: 'things',
        objectTypes: [
          { apiName: 'thing', primaryKey: 'k', properties: { k: { type: 'integer' as const } } },
        ],
      }
      await store.saveOntology(
        planChange('things', changed, await store.readCatalogue(), randomUUID),
      )
      const put = objectReader(type)({ k: 'text' })
      const late = store.commit({
        objectType: type,
        changes: [{ put }],
        basedOn: generation,
      })
      await expect(late).rejects.toMatchObject({ errorName: 'OntologyDefinitionOutOfSync' })
    })

    it('refuses a breaking change only while there are objects', async () => {
      await using store = await open()
      const things = await createFixture(store)
      await things.commit([['a', '1']])
      const drop = async () =>
        store.saveOntology(
          planChange(
            'things',
            { apiName: 'things', objectTypes: [] },
            await store.readCatalogue(),
            randomUUID,
          ),
        )
      await expect(drop()).rejects.toMatchObject({ errorName: 'OntologyChangeRefused' })
      await things.commit([['a', null]])
      await drop()
      const read = store.readPage(pageRequest(things.type))
      await expect(read).rejects.toMatchObject({ errorName: 'ObjectTypeNotFound' })
    })
  })

  describe(`the ${name} store: durability`, () => {
    it('keeps all data when it is opened again', async () => {
      const before = await open()
      const things = await createFixture(before)
      await things.commit([
        ['a', '1'],
        ['b', '1'],
      ])
      await things.commit([['b', '2']])
      const keys = await before.readPageTokenKeys()
      await before[Symbol.asyncDispose]()

      await using after = await openAgain()
      const [ontology] = (await after.readCatalogue()).ontologies
      const type = ontology?.objectTypes.get('thing')
      if (type === undefined) throw new Error('no type')
      for (const [version, count] of [
        [1, 2],
        [2, 2],
        [0, 0],
      ] as const) {
        expect(await after.readPage(pageRequest(type, { version }))).toMatchObject({ count })
      }
      expect(await after.readPageTokenKeys()).toEqual(keys)
    })

    it('shows commits of one process to another immediately', async () => {
      await using first = await open()
      await using second = await openAgain()
      const things = await createFixture(first)
      await things.commit([['a', '1']])
      expect((await second.readCatalogue()).ontologies).toHaveLength(1)
      expect(await second.readPage(pageRequest(things.type))).toMatchObject({ count: 1 })
      expect(await second.readPageTokenKeys()).toEqual(await first.readPageTokenKeys())
    })

    it('serves two writers: commits are atomic, versions have no gaps', async () => {
      await using first = await open()
      const things = await createFixture(first)
      await using second = await openAgain()
      const { generation } = await first.readCatalogue()
      const read = objectReader(things.type)
      const commits = Array.from({ length: 60 }, (_, n) => {
        const changes = ['x', 'y', 'z'].map((k) => ({ put: read({ k, text: String(n) }) }))
        const store = n % 2 === 0 ? first : second
        return store.commit({ objectType: things.type, changes, basedOn: generation })
      })
      const versions = (await Promise.all(commits)).map((commit) => commit.version)
      expect(versions.toSorted((a, b) => a - b)).toEqual(commits.map((_, n) => n + 1))
      for (const version of versions) {
        const texts = (await things.readPairs({ version })).map((text) => text.split('=')[1])
        expect(texts).toHaveLength(3)
        expect(new Set(texts).size).toBe(1)
      }
    })
  })
}
