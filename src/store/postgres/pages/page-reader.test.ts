import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import {
  fixture,
  pageRead,
  retention,
  type StoreFixture,
} from '../../../../test/support/store-fixture.ts'
import { type StorePlace, storePlace } from '../../../../test/support/store-place.ts'
import { INTERNAL_CONTEXT } from '../../../admission/request-context.ts'
import { planChange } from '../../../ontology/definition/change-definition.ts'
import type { ObjectStore, PageRead, StoredPage } from '../../object-store.ts'
import { PageCache } from '../../page-cache.ts'
import { readCapabilities } from '../citus/capabilities.ts'
import { Database, type Session } from '../driver/database.ts'
import { openPostgresStore } from '../open.ts'
import { PageReader } from './page-reader.ts'

const anewWith = (type: 'string' | 'integer') => ({
  apiName: 'anew',
  objectTypes: [
    {
      apiName: 'one',
      primaryKey: 'k',
      properties: { k: { type: 'string' as const }, text: { type } },
    },
  ],
})

/** Counts the transactions in which something is read step by step. */
class CountingDatabase extends Database {
  reads = 0

  override read<T>(run: (session: Session) => Promise<T>): Promise<T> {
    this.reads += 1
    return super.read(run)
  }
}

/** A node that knows how a type stood a while ago, while another node changes it. */
describe('a page of what another node has changed', () => {
  let place: StorePlace
  let other: ObjectStore
  let database: CountingDatabase
  let things: StoreFixture
  let pages: PageReader
  beforeAll(async () => {
    place = await storePlace()
    other = await openPostgresStore(place.name)
    database = new CountingDatabase(place.name)
    things = await fixture(other)
    const capabilities = await database.read(readCapabilities)
    pages = new PageReader({ database, capabilities }, new PageCache())
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

  const ask = (wish: Partial<PageRead> = {}) =>
    pages.read(pageRead(things.type, wish), INTERNAL_CONTEXT)
  async function read(wish: Partial<PageRead> = {}): Promise<string> {
    const { records } = (await ask(wish)) as StoredPage
    return Buffer.from(records).toString()
  }

  it('shows what was written since, and a snapshot what was there', async () => {
    const before = await read()
    await things.commit([['c', '3']])
    expect(await read({ version: 1 })).toBe(before)
    expect(await read()).toContain('"c"')
    expect(await read({ version: 1 })).toBe(before)
    expect(await ask()).toMatchObject({ version: 2, count: 3, matches: 3, more: false })
    expect(await ask({ maxObjects: 2 })).toMatchObject({ count: 2, more: true })
  })

  it('finds by one statement what a question asks for, also after a commit', async () => {
    const field = { property: 'text', structField: undefined }
    const query = { kind: 'compare', field, operator: 'eq', value: '2' } as const
    const wish = { query, countsMatches: false, maxObjects: 1 }
    expect(await ask(wish)).toMatchObject({ count: 1, more: false })
    const before = database.reads
    expect(await ask(wish)).toMatchObject({ count: 1, more: false, matches: undefined })
    await things.commit([['d', '2']])
    expect(await ask(wish)).toMatchObject({ count: 1, more: true, version: 3 })
    const after = { pk: 'b', version: 0 }
    expect(await ask({ ...wish, after })).toMatchObject({
      count: 1,
      more: false,
      last: { pk: 'd' },
    })
    expect(await ask({ ...wish, after, version: 2 })).toMatchObject({ count: 0, version: 2 })
    expect(await ask({ ...wish, matches: 2, countsMatches: true })).toMatchObject({ matches: 2 })
    // A table that is spread over machines is read in steps.
    expect(database.reads - before).toBe(inject('store') === 'citus' ? 5 : 0)
    await things.commit([['d', null]])
  })

  it('asks anew for the fields of a type that was defined anew', async () => {
    const field = { property: 'text', structField: undefined }
    const query = { kind: 'compare', field, operator: 'eq', value: 'x' } as const
    const wish = { query, countsMatches: false }
    const anew = await fixture(other, anewWith('string'))
    const readAnew = () => pages.read(pageRead(anew.type, wish), INTERNAL_CONTEXT)
    for (const _ of [1, 2]) expect(await readAnew()).toMatchObject({ count: 0 })
    // Its columns have other numbers then, in another table.
    const catalogue = await other.readCatalogue()
    await other.saveOntology(planChange('anew', anewWith('integer'), catalogue, randomUUID))
    const again = await fixture(other, anewWith('string'))
    await again.put([{ k: 'a', text: 'x' }])
    for (const _ of [1, 2]) expect(await readAnew()).toMatchObject({ count: 1 })
  })

  it('keeps to the bytes of a page when objects became larger', async () => {
    const wish = { maxObjects: 3, maxBytes: 2000 }
    expect(await ask(wish)).toMatchObject({ count: 3, more: false })
    await things.commit([['b', 'x'.repeat(5000)]])
    expect(await ask(wish)).toMatchObject({ count: 1, more: true })
    const after = { pk: 'a', version: 0 }
    expect(await ask({ ...wish, after })).toMatchObject({ count: 1, more: true })
  })

  it('reads the table of a replacement, and goes on when the old one is dropped', async () => {
    const { version } = (await ask()) as StoredPage
    const replacement = await other.startReplacement(things.type)
    await things.commit([['z', '9']], { replacement })
    await other.publishReplacement(things.type, replacement)
    expect(await read({ version })).toContain('"a"')
    expect(await ask()).toMatchObject({ count: 1, matches: 1 })
    const again = await other.startReplacement(things.type)
    await things.commit([['y', '8']], { replacement: again })
    await other.publishReplacement(things.type, again)
    await other.reclaim(retention(10))
    expect(await read()).toContain('"y"')
    expect(await ask({ version })).toBe('reclaimed')
  })
})
