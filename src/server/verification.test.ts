import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { overwritePages, pagesOf } from '../../test/support/damaged-file.ts'
import { createFixture, openFixture } from '../../test/support/store-fixture.ts'
import { type TempFolder, tempFolder } from '../../test/support/temp-folder.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'
import type { ServerEvent } from './log.ts'
import { startVerification } from './verification.ts'

const OBJECTS = 500

let folder: TempFolder
const path = () => join(folder.path, 'oqs.db')

beforeEach(async () => {
  folder = tempFolder()
  await using store = openSqliteStore(path())
  const things = await createFixture(store)
  await things.commit(Array.from({ length: OBJECTS }, (_, n) => [`k${n}`, `some text ${n}`]))
})
afterEach(() => folder[Symbol.dispose]())

it('verifies a store that is in use, and logs how long it took', async () => {
  await using store = openSqliteStore(path())
  const things = await openFixture(store)
  const { promise: logged, resolve: log } = Promise.withResolvers<ServerEvent>()
  await using _verification = startVerification({ store, log, intervalMs: 1 })
  await things.commit([['new', 'text']])
  expect(await logged).toEqual({ event: 'verified', durationMs: expect.any(Number) })
})

it('finds damage that no query has found, and the store rejects every request', async () => {
  const damaged = pagesOf(path()).filter(({ name }) => name === 'oqs_object_1_object_id')
  expect(damaged).not.toEqual([])
  overwritePages(path(), damaged)
  const { promise: cause, resolve: onDamage } = Promise.withResolvers<unknown>()
  await using store = openSqliteStore(path(), { onDamage })
  const things = await openFixture(store)
  // These pages are not in the damaged index.
  expect(await things.readKeys({ maxObjects: OBJECTS })).toHaveLength(OBJECTS)

  const events: ServerEvent[] = []
  {
    await using _verification = startVerification({
      store,
      log: (event) => events.push(event),
      intervalMs: 1,
    })
    expect(String(await cause)).toMatch(/^Error: oqs_object_1: .*page/)
  }
  // The store has logged the damage.
  expect(events).toEqual([])
  const refusal = { parameters: { reason: 'the database file is damaged' } }
  await expect(things.readKeys()).rejects.toMatchObject(refusal)
  await expect(things.commit([['new', 'text']])).rejects.toMatchObject(refusal)
})

it('stops at once with the service, in the middle of a run', async () => {
  await using store = openSqliteStore(path())
  const stop = new AbortController()
  const run = store.verify(stop.signal)
  stop.abort()
  await expect(run).rejects.toMatchObject({ errorName: 'ServiceUnavailable' })
  expect(await (await openFixture(store)).readKeys()).not.toEqual([])
})
