import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createFixture,
  pageRequest,
  retention,
  type StoreFixture,
} from '../../../../test/support/store-fixture.ts'
import { type TempFolder, tempFolder } from '../../../../test/support/temp-folder.ts'
import type { ObjectStore, ReadPageRequest } from '../../object-store.ts'
import { PageCache } from '../../page-cache.ts'
import { INTERNAL_CONTEXT } from '../../port/request-context.ts'
import { openConnection } from '../file/connection.ts'
import { openSqliteStore } from '../open.ts'
import { toReadConnection } from '../queries/read-connection.ts'
import { readQuickPage } from './read-page.ts'

/** Rewritten twice, they leave more past rows than a page may skip on the main thread. */
const OBJECTS = 26_000

let folder: TempFolder
let store: ObjectStore
let things: StoreFixture
const path = () => join(folder.path, 'oqs.db')

beforeAll(async () => {
  folder = tempFolder()
  store = openSqliteStore(path())
  things = await createFixture(store)
  await rewrite()
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

function rewrite() {
  return things.commit(Array.from({ length: OBJECTS }, (_, n) => [`k${n}`, 'same']))
}

const equals = (property: string, value: string) =>
  ({ kind: 'compare', field: { property, structField: undefined }, operator: 'eq', value }) as const

function pages(version: number | undefined): Record<string, Partial<ReadPageRequest>> {
  const common = { version, includeTotalCount: false }
  return {
    walk: common,
    ordered: { ...common, order: [{ property: 'text', direction: 'asc', nulls: 'last' }] },
    manyEqual: { ...common, query: equals('text', 'same') },
    oneEqual: { ...common, query: equals('k', 'k7') },
  }
}

/** Returns the names of the pages that are read on the main thread. */
function quickPages(version?: number): string[] {
  using db = openConnection(path())
  const reading = toReadConnection(db)
  return Object.entries(pages(version))
    .filter(([, options]) => {
      const page = readQuickPage(
        reading,
        pageRequest(things.type, options),
        INTERNAL_CONTEXT,
        new PageCache(0),
      )
      if (page === 'reclaimed') throw new Error('reclaimed')
      return page !== undefined
    })
    .map(([name]) => name)
}

function closedCount(): unknown {
  using db = new DatabaseSync(path(), { readOnly: true })
  return db.prepare('SELECT closed_count FROM oqs_object_table WHERE id = 1').get()?.[
    'closed_count'
  ]
}

const ALL = ['walk', 'ordered', 'manyEqual', 'oneEqual']

describe('pages of a table with past rows', () => {
  it('are quick unless they may skip many of them', async () => {
    expect(quickPages()).toEqual(ALL)
    const { version } = await rewrite()
    expect(closedCount()).toBe(OBJECTS)
    expect(quickPages()).toEqual(ALL)

    await things.commit(Array.from({ length: OBJECTS }, (_, n) => [`k${n}`, null]))
    expect(closedCount()).toBe(2 * OBJECTS)
    await things.commit([['k7', 'same']])
    // The index of the current rows has no past ones, and the key has three row versions.
    expect(quickPages()).toEqual(['walk', 'oneEqual'])
    expect(quickPages(version)).toEqual(['oneEqual'])
    for (const options of Object.values(pages(undefined))) {
      expect(await things.readPairs(options)).toEqual(['k7=same'])
    }
    expect((await things.readPage({ version })).count).toBe(1000)
  })

  it('are quick again when the past rows are reclaimed', async () => {
    expect(await store.reclaim(retention(0))).toBe(2 * OBJECTS)
    expect(closedCount()).toBe(0)
    expect(quickPages()).toEqual(ALL)
  })
})
