import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createFixture,
  pageRequest,
  type StoreFixture,
} from '../../../../test/support/store-fixture.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import type { Query } from '../../../query/query.ts'
import type { Cursor, ObjectStore } from '../../object-store.ts'
import { openConnection } from '../file/connection.ts'
import { StatementCache } from '../file/sqlite-session.ts'
import { openSqliteStore } from '../open.ts'
import { readPage } from '../pages/read-page.ts'
import { MatchLists } from './match-lists.ts'
import { toReadConnection } from './read-connection.ts'

const text: Query = { kind: 'text', field: undefined, match: 'anyTerm', terms: ['x'], fuzzy: false }
const isAfterA: Query = {
  kind: 'compare',
  field: { property: 'k', structField: undefined },
  operator: 'gt',
  value: 'a',
}
/** In UTF-8 order; UTF-16 order would swap the last two. */
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', '\u{fffd}', '\u{10000}']

describe('a match list', () => {
  const folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  let store: ObjectStore
  let things: StoreFixture
  beforeAll(async () => {
    store = openSqliteStore(path)
    things = await createFixture(store)
    await things.commit(KEYS.map((key) => [key, 'x']))
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  /** Walks in pages of one object; returns the keys, and how many times rows were searched. */
  async function walk(query: Query, lists: MatchLists, between: () => unknown = () => {}) {
    let searches = 0
    class CountingStatements extends StatementCache {
      override prepare(sql: string) {
        if (sql.startsWith('SELECT id FROM (')) searches += 1
        return super.prepare(sql)
      }
    }
    using db = openConnection(path)
    const reading = { ...toReadConnection(db), statements: new CountingStatements(db), lists }
    const keys: string[] = []
    let after: Cursor | undefined
    for (;;) {
      const options = { query, after, maxObjects: 1, includeTotalCount: false }
      const page = readPage(reading, pageRequest(things.type, options))
      if (page === 'reclaimed') throw new Error('reclaimed')
      if (page.last) keys.push(page.last.pk)
      after = page.last
      if (!page.more) return { keys, searches }
      await between()
    }
  }

  it('is gathered for the third page, and serves the later ones', async () => {
    expect(await walk(text, new MatchLists())).toEqual({ keys: KEYS, searches: 3 })
  })

  it('is not built if it would be too long', async () => {
    const { keys, searches } = await walk(text, new MatchLists(5))
    // One search finds out that it is too long.
    expect([keys, searches]).toEqual([KEYS, KEYS.length + 1])
  })

  it.each<[string, Query]>([
    ['a negation', { kind: 'not', of: { ...text, terms: ['rare'] } }],
    ['an alternative to a range', { kind: 'or', of: [text, isAfterA] }],
  ])('is not built for %s, whose next page is found quickly', async (_, query) => {
    const { keys, searches } = await walk(query, new MatchLists())
    expect([keys, searches]).toEqual([KEYS, KEYS.length])
  })

  it('is not built if a commit happens between two pages', async () => {
    let written = 0
    const write = () => {
      written += 1
      return things.commit([[`z${written}`, 'y']])
    }
    const { keys, searches } = await walk(text, new MatchLists(), write)
    expect([keys, searches]).toEqual([KEYS, KEYS.length])
  })
})
