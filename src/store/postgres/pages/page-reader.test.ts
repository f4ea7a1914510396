import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createFixture,
  pageRequest,
  retention,
  type StoreFixture,
} from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { planChange } from '../../../ontology/definition/change-definition.ts'
import type { ObjectStore, ReadPageRequest, StoredPage } from '../../object-store.ts'
import { PageCache } from '../../page-cache.ts'
import { INTERNAL_CONTEXT, type RequestContext } from '../../port/request-context.ts'
import { readCapabilities } from '../citus/capabilities.ts'
import { Database, type Session } from '../driver/database.ts'
import type { ReadPool } from '../driver/read-pool.ts'
import { openPostgresStore } from '../postgres-store.ts'
import { TypeFieldsCache } from '../queries/queried-types.ts'
import { PageReader } from './page-reader.ts'
import { RecordReader } from './record-reader.ts'

const redefinedWith = (type: 'string' | 'integer') => ({
  apiName: 'redefined',
  objectTypes: [
    {
      apiName: 'one',
      primaryKey: 'k',
      properties: { k: { type: 'string' as const }, text: { type } },
    },
  ],
})

/** Counts the read transactions: pages that take more than one statement. */
class CountingDatabase extends Database {
  transactions = 0

  override readQuickly<T>(
    context: RequestContext,
    run: (pool: ReadPool) => Promise<T>,
  ): Promise<T> {
    return super.readQuickly(context, (pool) => run(this.#counting(pool)))
  }

  override readSlowly<T>(context: RequestContext, run: (pool: ReadPool) => Promise<T>): Promise<T> {
    return super.readSlowly(context, (pool) => run(this.#counting(pool)))
  }

  #counting(pool: ReadPool): ReadPool {
    const counting = {
      query: pool.query.bind(pool),
      queryBytes: pool.queryBytes.bind(pool),
      read: <R>(inTransaction: (session: Session) => Promise<R>) => {
        this.transactions += 1
        return pool.read(inTransaction)
      },
    }
    return counting as ReadPool
  }
}

/** One node has an outdated head of a type, which another node has changed. */
describe('a page of a type that another node has changed', () => {
  let place: TestStore
  let other: ObjectStore
  let database: CountingDatabase
  let things: StoreFixture
  let pages: PageReader
  let records: RecordReader
  beforeAll(async () => {
    place = await createTestStore()
    other = await openPostgresStore(place.name)
    database = new CountingDatabase(place.name)
    things = await createFixture(other)
    const capabilities = await database.read(readCapabilities)
    const store = { database, capabilities, fields: new TypeFieldsCache() }
    pages = new PageReader(store, new PageCache())
    records = new RecordReader(store, pages.heads)
    await things.commit([
      ['a', '1'],
      ['b', '2'],
    ])
    await read()
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  const readPage = (options: Partial<ReadPageRequest> = {}) =>
    pages.read(pageRequest(things.type, options), INTERNAL_CONTEXT)
  async function read(options: Partial<ReadPageRequest> = {}): Promise<string> {
    const { records } = (await readPage(options)) as StoredPage
    return Buffer.from(records).toString()
  }

  it('includes what was written since, and a snapshot what was there', async () => {
    const before = await read()
    await things.commit([['c', '3']])
    expect(await read({ version: 1 })).toBe(before)
    expect(await read()).toContain('"c"')
    expect(await read({ version: 1 })).toBe(before)
    expect(await readPage()).toMatchObject({ version: 2, count: 3, totalCount: 3, more: false })
    expect(await readPage({ maxObjects: 2 })).toMatchObject({ count: 2, more: true })
  })

  it('takes no transaction for a query, also after a commit', async () => {
    const field = { property: 'text', structField: undefined }
    const query = { kind: 'compare', field, operator: 'eq', value: '2' } as const
    const options = { query, includeTotalCount: false, maxObjects: 1 }
    expect(await readPage(options)).toMatchObject({ count: 1, more: false })
    const before = database.transactions
    expect(await readPage(options)).toMatchObject({ count: 1, more: false, totalCount: undefined })
    await things.commit([['d', '2']])
    expect(await readPage(options)).toMatchObject({ count: 1, more: true, version: 3 })
    const after = { pk: 'b', version: 0 }
    expect(await readPage({ ...options, after })).toMatchObject({
      count: 1,
      more: false,
      last: { pk: 'd' },
    })
    expect(await readPage({ ...options, after, version: 2 })).toMatchObject({
      count: 0,
      version: 2,
    })
    expect(await readPage({ ...options, matchEstimate: 2 })).toMatchObject({ matchEstimate: 2 })
    expect(database.transactions - before).toBe(0)
    await things.commit([['d', null]])
  })

  it('takes no transaction for a query whose matches are counted, also after a commit', async () => {
    const field = { property: 'text', structField: undefined }
    const query = { kind: 'compare', field, operator: 'gt', value: '1' } as const
    const options = { query, includeTotalCount: true, maxObjects: 1 }
    expect(await readPage(options)).toMatchObject({ count: 1, totalCount: 2 })
    const before = database.transactions
    const { version } = await things.commit([
      ['b', '20'],
      ['d', '4'],
    ])
    const counted = { count: 1, totalCount: 3, matchEstimate: 3, more: true, last: { pk: 'b' } }
    expect(await readPage(options)).toMatchObject({ ...counted, version })
    expect(await readPage({ ...options, version: version - 1 })).toMatchObject({ totalCount: 2 })
    const measured = { ...options, maxObjects: 3, maxBytes: 150 }
    expect(await readPage(measured)).toMatchObject({ totalCount: 3, more: true })
    expect(database.transactions - before).toBe(0)
    await things.commit([
      ['b', '2'],
      ['d', null],
    ])
  })

  it('takes no transaction for the records of known keys, also after a commit', async () => {
    const { objectType, record } = pageRequest(things.type)
    const readAt = (version: number) =>
      records.read(
        { objectType, keys: ['b', 'a'], version, record, maxObjects: 10, maxBytes: 10_000 },
        INTERNAL_CONTEXT,
      )
    const before = database.transactions
    const first = (await readPage()) as StoredPage
    const { version } = await things.commit([['b', 'new']])
    for (const at of [version, first.version, version]) {
      expect(await readAt(at)).toMatchObject({ count: 2, version: at, last: { pk: 'a' } })
    }
    expect(database.transactions - before).toBe(0)
    expect(await readAt(version + 1)).toBe('reclaimed')
  })

  it('looks up the fields of a redefined type again', async () => {
    const field = { property: 'text', structField: undefined }
    const query = { kind: 'compare', field, operator: 'eq', value: 'x' } as const
    const options = { query, includeTotalCount: false }
    const redefined = await createFixture(other, redefinedWith('string'))
    const readRedefined = () => pages.read(pageRequest(redefined.type, options), INTERNAL_CONTEXT)
    for (const _ of [1, 2]) expect(await readRedefined()).toMatchObject({ count: 0 })
    // Its columns then have other numbers, in another table.
    const catalogue = await other.readCatalogue()
    await other.saveOntology(
      planChange('redefined', redefinedWith('integer'), catalogue, randomUUID),
    )
    const again = await createFixture(other, redefinedWith('string'))
    await again.put([{ k: 'a', text: 'x' }])
    await expect(readRedefined()).rejects.toThrow('OntologyDefinitionOutOfSync')
    const readAgain = () => pages.read(pageRequest(again.type, options), INTERNAL_CONTEXT)
    for (const _ of [1, 2]) expect(await readAgain()).toMatchObject({ count: 1 })
  })

  it('stays within its bytes after objects became larger', async () => {
    const options = { maxObjects: 3, maxBytes: 2000 }
    expect(await readPage(options)).toMatchObject({ count: 3, more: false })
    await things.commit([['b', 'x'.repeat(5000)]])
    expect(await readPage(options)).toMatchObject({ count: 1, more: true })
    const after = { pk: 'a', version: 0 }
    expect(await readPage({ ...options, after })).toMatchObject({ count: 1, more: true })
  })

  it('comes from the table of a replacement, also after the old one is dropped', async () => {
    const { version } = (await readPage()) as StoredPage
    const replacement = await other.startReplacement(things.type)
    await things.commit([['z', '9']], { replacement })
    await other.publishReplacement(things.type, replacement)
    expect(await read({ version })).toContain('"a"')
    expect(await readPage()).toMatchObject({ count: 1, totalCount: 1 })
    const again = await other.startReplacement(things.type)
    await things.commit([['y', '8']], { replacement: again })
    await other.publishReplacement(things.type, again)
    await other.reclaim(retention(10))
    expect(await read()).toContain('"y"')
    expect(await readPage({ version })).toBe('reclaimed')
  })
})
