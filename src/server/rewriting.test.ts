import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startConversion } from '../../test/support/rewrite-all.ts'
import { createFixture, type StoreFixture } from '../../test/support/store-fixture.ts'
import { type TempFolder, tempFolder } from '../../test/support/temp-folder.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { ServerEvent } from './log.ts'
import { startRewriting } from './rewriting.ts'

const OBJECTS = 1000

let folder: TempFolder
let store: ObjectStore
let things: StoreFixture

beforeEach(async () => {
  folder = tempFolder()
  store = openSqliteStore(join(folder.path, 'oqs.db'), { rewrittenAtOnceMax: 0 })
  things = await createFixture(store)
  await things.commit(Array.from({ length: OBJECTS }, (_, n) => [`k${n}`, 'text']))
})
afterEach(async () => {
  await store[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Rewrites until one of these events is logged, and returns the log. */
async function logUntil(last: ServerEvent['event']): Promise<ServerEvent[]> {
  const events: ServerEvent[] = []
  const { promise: done, resolve } = Promise.withResolvers<void>()
  await using _rewriting = startRewriting({
    store,
    log: (event) => {
      events.push(event)
      if (event.event === last) resolve()
    },
  })
  await done
  return events
}

it('rewrites a type, and logs the start, the progress and the end', async () => {
  await startConversion(store)
  const events = await logUntil('rewritten')
  const typeRid = things.type.rid
  const { rid: ontologyRid } = (await store.readCatalogue()).find('things') ?? {}
  expect(events[0]).toMatchObject({
    event: 'rewriting',
    typeRid,
    ontologyRid,
    totalObjects: OBJECTS,
  })
  expect(events.at(-1)).toMatchObject({ event: 'rewritten', typeRid, objects: OBJECTS })
  // At most one line for each tenth of the objects.
  const tenths = events
    .slice(1, -1)
    .flatMap((event) => (event.event === 'rewriting' ? [Math.floor(event.objects / 100)] : []))
  expect(tenths).toEqual([...new Set(tenths)])
  expect(tenths.length).toBeGreaterThan(0)
})

it('logs that a change has failed, without the values of objects', async () => {
  await startConversion(store, { text: { type: 'integer' } })
  const reason = 'the objects or other definitions do not allow the change'
  expect((await logUntil('rewriteFailed')).at(-1)).toMatchObject({ reason })
  expect(await store.rewriteNext()).toBeUndefined()
  expect(await things.commit([['k7', 'fixed']])).toMatchObject({ put: 1 })
  expect((await things.readPage()).totalCount).toBe(OBJECTS)
})
