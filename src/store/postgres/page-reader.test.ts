import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture, pageRead, type StoreFixture } from '../../../test/support/store-fixture.ts'
import { type StorePlace, storePlace } from '../../../test/support/store-place.ts'
import type { ObjectStore, PageRead, StoredPage } from '../object-store.ts'
import { PageCache } from '../page-cache.ts'
import { readCapabilities } from './capabilities.ts'
import { Database } from './database.ts'
import { openPostgresStore } from './open.ts'
import { PageReader } from './page-reader.ts'

/** A node that knows how a type stood a while ago, while another node changes it. */
describe('a page of what another node has changed', () => {
  let place: StorePlace
  let other: ObjectStore
  let database: Database
  let things: StoreFixture
  let pages: PageReader
  beforeAll(async () => {
    place = await storePlace()
    other = await openPostgresStore(place.name)
    database = new Database(place.name)
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

  const ask = (wish: Partial<PageRead> = {}) => pages.read(pageRead(things.type, wish))
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
    const replacement = await other.startReplacement(things.type, 0)
    await things.commit([['z', '9']], 0, { replacement })
    await other.publishReplacement(things.type, replacement, 1)
    expect(await read({ version })).toContain('"a"')
    expect(await ask()).toMatchObject({ count: 1, matches: 1 })
    const again = await other.startReplacement(things.type, 1)
    await things.commit([['y', '8']], 1, { replacement: again })
    await other.publishReplacement(things.type, again, 2)
    await other.reclaim(10)
    expect(await read()).toContain('"y"')
    expect(await ask({ version })).toBe('reclaimed')
  })
})
