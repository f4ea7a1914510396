import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture, pageRead, type StoreFixture } from '../../../../test/support/store-fixture.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import type { Query } from '../../../query/query.ts'
import type { ObjectStore, Place } from '../../object-store.ts'
import { openConnection } from '../file/connection.ts'
import { StatementCache } from '../file/statement-cache.ts'
import { openSqliteStore } from '../open.ts'
import { readOn } from '../threads/reading.ts'
import { type MatchLists, makeMatchLists } from './match-lists.ts'
import { readPage } from './read-page.ts'

const word: Query = { kind: 'text', field: undefined, match: 'anyTerm', terms: ['x'], fuzzy: false }
const isAfterA: Query = {
  kind: 'compare',
  field: { property: 'k', structField: undefined },
  operator: 'gt',
  value: 'a',
}
/** In the order of their bytes; that of their UTF-16 has the last two the other way round. */
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', '\u{fffd}', '\u{10000}']

describe('the rows that a walk has found', () => {
  const folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  let store: ObjectStore
  let things: StoreFixture
  beforeAll(async () => {
    store = openSqliteStore(path)
    things = await fixture(store)
    await things.commit(KEYS.map((key) => [key, 'x']))
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  /** Walks in pages of one object; gives the keys, and how often rows were looked for. */
  async function walk(query: Query, lists: MatchLists, between: () => unknown = () => {}) {
    let searches = 0
    class CountingStatements extends StatementCache {
      override prepare(sql: string) {
        if (sql.startsWith('SELECT id FROM (')) searches += 1
        return super.prepare(sql)
      }
    }
    using db = openConnection(path)
    const reading = { ...readOn(db), statements: new CountingStatements(db), lists }
    const keys: string[] = []
    let after: Place | undefined
    for (;;) {
      const wish = { query, after, maxObjects: 1, countsMatches: false }
      const page = readPage(reading, pageRead(things.type, wish))
      if (page === 'reclaimed') throw new Error('reclaimed')
      if (page.last) keys.push(page.last.pk)
      after = page.last
      if (!page.more) return { keys, searches }
      await between()
    }
  }

  it('are gathered for the third page, and serve those behind it', async () => {
    expect(await walk(word, makeMatchLists())).toEqual({ keys: KEYS, searches: 3 })
  })

  it('are not kept where they are too many', async () => {
    const { keys, searches } = await walk(word, makeMatchLists(5))
    // That they are too many is found out once.
    expect([keys, searches]).toEqual([KEYS, KEYS.length + 1])
  })

  it.each<[string, Query]>([
    ['a negation', { kind: 'not', of: { ...word, terms: ['rare'] } }],
    ['an alternative to a range', { kind: 'or', of: [word, isAfterA] }],
  ])('are not gathered for %s, whose next page is found at once', async (_, query) => {
    const { keys, searches } = await walk(query, makeMatchLists())
    expect([keys, searches]).toEqual([KEYS, KEYS.length])
  })

  it('are looked for anew where something was written between two pages', async () => {
    let written = 0
    const write = () => {
      written += 1
      return things.commit([[`z${written}`, 'y']])
    }
    const { keys, searches } = await walk(word, makeMatchLists(), write)
    expect([keys, searches]).toEqual([KEYS, KEYS.length])
  })
})
