/**
 * The parts of the port that other contracts do not call by themselves: encoded batches, pages over
 * several types, the audit log, and the end of a store.
 */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditRecord } from '../src/contract/audit-record.ts'
import { planChange } from '../src/ontology/definition/change-definition.ts'
import type { ObjectType } from '../src/ontology/ontology.ts'
import { objectReader } from '../src/ontology/values/read-object.ts'
import { EVERYTHING } from '../src/query/query.ts'
import type {
  ChangePart,
  CreateEncoder,
  ListAuditRequest,
  ObjectStore,
  ReadSetPageRequest,
  SetCursor,
  StoredSetPage,
} from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import {
  createFixture,
  pageRequest,
  retention,
  type StoreFixture,
} from './support/store-fixture.ts'

export function portContract({ name, open, openAgain }: StoreUnderTest): void {
  describe(`the ${name} store: encoded batches`, () => {
    let store: ObjectStore
    let things: StoreFixture
    beforeEach(async () => {
      store = await open()
      things = await createFixture(store)
    })
    afterEach(() => store[Symbol.asyncDispose]())

    /** Encodes changes as the thread does that parses a large batch. */
    async function* encoded(...parts: readonly (readonly [string, string | null][])[]) {
      const { module, optionsFor } = store.encoding
      const { createEncoder } = (await import(module)) as { createEncoder: CreateEncoder }
      // As a message to the thread.
      const options = structuredClone(await optionsFor(things.type))
      const encoder = createEncoder(things.type, options)
      for (const part of parts) {
        const changes = part.map(([k, text]) =>
          text === null ? { delete: k } : things.change({ k, text }),
        )
        yield encoder.encode(changes) as ChangePart
      }
      yield* encoder.finish()
    }
    const commit = (changes: AsyncIterable<ChangePart>, key?: string) =>
      store.commit({
        objectType: things.type,
        basedOn: things.generation,
        changes,
        idempotencyKey: key === undefined ? undefined : { ...KEY, key, fingerprint: () => key },
      })
    const KEY = { callerId: 'me', nowMs: 1000, expiresAtMs: 9000 }

    it('have the same effect as their changes', async () => {
      await things.commit([
        ['a', '1'],
        ['b', '1'],
      ])
      const parts = encoded(
        [['a', null]],
        [
          ['c', 'some words'],
          ['d', '1'],
        ],
        [['d', '2']],
      )
      expect(await commit(parts)).toEqual({ version: 2, put: 2, deleted: 1, kept: 0 })
      expect(await things.readPairs()).toEqual(['b=1', 'c=some words', 'd=2'])
      const field = { property: 'text', structField: undefined }
      const query = {
        kind: 'text',
        field,
        match: 'anyTerm',
        terms: ['words'],
        fuzzy: false,
      } as const
      expect(await things.readKeys({ query })).toEqual(['c'])
    })

    it('are applied once for a key', async () => {
      const request = () =>
        commit(
          encoded([
            ['a', '1'],
            ['b', '2'],
          ]),
          'once',
        )
      const first = await request()
      await things.commit([['a', '9']])
      expect(await request()).toEqual({ ...first, isRepeated: true })
      expect(await things.readPairs()).toEqual(['a=9', 'b=2'])
    })
  })

  describe(`the ${name} store: pages over several types`, () => {
    let store: ObjectStore
    let types: readonly ObjectType[]
    let put: (part: number, ...objects: readonly object[]) => Promise<number>
    beforeEach(async () => {
      store = await open()
      const properties = { k: { type: 'string' }, n: { type: 'integer' } } as const
      const objectTypes = ['one', 'two'].map((apiName) => ({
        apiName,
        primaryKey: 'k',
        properties,
      }))
      const definition = { apiName: 'set', objectTypes }
      await store.saveOntology(
        planChange('set', definition, await store.readCatalogue(), randomUUID),
      )
      const catalogue = await store.readCatalogue()
      types = [...(catalogue.find('set')?.objectTypes.values() ?? [])]
      put = async (part, ...objects) => {
        const objectType = types[part] as ObjectType
        const changes = objects.map((object) => ({ put: objectReader(objectType)(object) }))
        const { generation: basedOn } = catalogue
        return (await store.commit({ objectType, changes, basedOn })).version
      }
      await put(0, { k: 'a', n: 3 }, { k: 'c', n: 1 })
      await put(1, { k: 'b', n: 2 }, { k: 'd', n: 4 }, { k: 'e' })
    })
    afterEach(() => store[Symbol.asyncDispose]())

    const BY_N = {
      type: 'integer',
      direction: 'asc',
      nulls: 'last',
      properties: ['n', 'n'],
    } as const
    const readSet = (request: Partial<ReadSetPageRequest> = {}, by = store) =>
      by.readSetPage({
        parts: types.map((objectType) => ({
          objectType,
          query: EVERYTHING,
          record: pageRequest(objectType).record,
        })),
        order: [],
        after: undefined,
        versions: undefined,
        maxObjects: 2,
        maxBytes: 1_000_000,
        includeTotalCount: true,
        ...request,
      })
    const keysOf = ({ records }: StoredSetPage) =>
      (JSON.parse(`[${Buffer.from(records)}]`) as { properties: { k: string } }[]).map(
        ({ properties }) => properties.k,
      )
    /** Returns the keys of each page of a walk. */
    const walk = async (request: Partial<ReadSetPageRequest>) => {
      const pages: string[][] = []
      let after: SetCursor | undefined
      do {
        const includeTotalCount = after === undefined
        const page = await readSet({ ...request, after, includeTotalCount })
        if (page === 'reclaimed') throw new Error('reclaimed')
        const totalCount = includeTotalCount ? 5 : undefined
        expect(page).toMatchObject({ count: keysOf(page).length, totalCount })
        pages.push(keysOf(page))
        after = page.more ? page.last : undefined
      } while (after !== undefined)
      return pages
    }

    it('follow each other in key order, or are merged by an order', async () => {
      expect(await walk({})).toEqual([['a', 'c'], ['b', 'd'], ['e']])
      expect(await walk({ order: [BY_N] })).toEqual([['c', 'b'], ['a', 'd'], ['e']])
      expect(await walk({ order: [BY_N], maxObjects: 5 })).toEqual([['c', 'b', 'a', 'd', 'e']])
    })

    it('end at the limit of bytes, with at least one object', async () => {
      expect(await walk({ maxBytes: 1 })).toEqual([['a'], ['c'], ['b'], ['d'], ['e']])
    })

    it('are read as of the versions of the first page, until these are reclaimed', async () => {
      const first = await readSet({ order: [BY_N] })
      if (first === 'reclaimed') throw new Error('reclaimed')
      const rest = { order: [BY_N], after: first.last, versions: first.versions, maxObjects: 9 }
      await put(0, { k: 'a', n: 9 }, { k: 'f', n: 3 })
      await using other = await openAgain()
      const again = await readSet(rest, other)
      if (again === 'reclaimed') throw new Error('reclaimed')
      expect([keysOf(again), again.versions]).toEqual([['a', 'd', 'e'], first.versions])
      await store.reclaim(retention(0, 1000))
      await store.reclaim(retention(2000, 1000))
      expect(await readSet(rest)).toBe('reclaimed')
    })
  })

  describe(`the ${name} store: its end`, () => {
    it('completes writes that have begun, and still reads pages, when it is drained', async () => {
      const store = await open()
      const things = await createFixture(store)
      const received = Promise.withResolvers<void>()
      const sent = Promise.withResolvers<void>()
      const changes = (async function* () {
        yield [things.change({ k: 'a', text: '1' })]
        received.resolve()
        await sent.promise
        yield [things.change({ k: 'b', text: '2' })]
      })()
      const writing = store.commit({ objectType: things.type, basedOn: things.generation, changes })
      await received.promise
      store.drain('Stopping.', 60_000)
      sent.resolve()
      expect(await writing).toMatchObject({ put: 2 })
      expect(await things.readPairs()).toEqual(['a=1', 'b=2'])
      await store[Symbol.asyncDispose]()
      await using again = await openAgain()
      expect((await again.readStatus()).types).toMatchObject([{ count: 2 }])
    })
  })

  describe(`the ${name} store: the audit log`, () => {
    const record = (requestId: string, atMs: number, more: Partial<AuditRecord> = {}) => ({
      atMs,
      requestId,
      operation: 'listObjects',
      kind: 'read' as const,
      address: '::1',
      outcome: 'success' as const,
      ...more,
    })

    it('lists records from the latest on, by caller, operation, ontology and time', async () => {
      await using store = await open()
      const caller = { id: 'token', name: 'Ada' }
      await store.audit.append([record('1', 100, { caller }), record('2', 300, { ontology: 'o' })])
      await store.audit.append([record('3', 200, { operation: 'getObject' }), record('4', 300)])
      await store.audit.append([])
      await using other = await openAgain()
      const list = async (request: Partial<ListAuditRequest> = {}) =>
        (await other.audit.list({ maxRecords: 9, ...request })).map(
          (found) => found.record.requestId,
        )
      expect(await list()).toEqual(['4', '2', '3', '1'])
      expect(await list({ caller: 'Ada' })).toEqual(['1'])
      expect(await list({ caller: 'token' })).toEqual(['1'])
      expect(await list({ operation: 'getObject' })).toEqual(['3'])
      expect(await list({ ontology: 'o' })).toEqual(['2'])
      expect(await list({ sinceMs: 200, untilMs: 300 })).toEqual(['3'])
      const [, second] = await other.audit.list({ maxRecords: 2 })
      if (second === undefined) throw new Error('no second record')
      expect(second.record).toEqual(record('2', 300, { ontology: 'o' }))
      expect(await list({ after: { atMs: 300, id: second.id } })).toEqual(['3', '1'])
    })
  })
}
