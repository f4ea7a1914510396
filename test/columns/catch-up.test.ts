/** Columns that are being built, and those of a type that has changed much since. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openColumnStore } from '../support/column-store.ts'
import { createFixture, pageRequest } from '../support/store-fixture.ts'
import { createTestStore } from '../support/test-store.ts'

const COMMITS = 5
const OBJECTS_PER_COMMIT = 4500
const WITH_TEXT = {
  query: { kind: 'not', of: { kind: 'isNull', property: 'text' } },
  includeTotalCount: true,
} as const

it('many changes are caught up with in steps, and the base is not built again', async () => {
  await using place = await createTestStore()
  await using columns = await openColumnStore(place.name)
  const { commit, type } = await createFixture(columns.database)
  await commit([['first', 'text']])
  await columns.prepare([type.rid])
  const [built] = columns.status().types
  expect(built?.state).toBe('ready')
  for (let n = 0; n < COMMITS; n += 1) {
    await commit(
      Array.from({ length: OBJECTS_PER_COMMIT }, (_, at) => [`k${n}-${at}`, `text ${at % 7}`]),
    )
  }
  const page = await columns.store.readPage(pageRequest(type, WITH_TEXT))
  expect(columns.outcomes).toEqual(new Map([['answered', 1]]))
  expect(page).toMatchObject({ totalCount: COMMITS * OBJECTS_PER_COMMIT + 1 })
  expect(columns.status().types[0]?.builtAtMs).toBe(built?.builtAtMs)
})

it('the status shows how many objects a build has read', async () => {
  await using place = await createTestStore()
  await using columns = await openColumnStore(place.name)
  const { commit, type } = await createFixture(columns.database)
  await commit(Array.from({ length: OBJECTS_PER_COMMIT }, (_, at) => [`k${at}`, 'text']))
  const prepared = columns.prepare([type.rid])
  const building = () => columns.status().types[0]?.building
  while (building() === undefined) await nextTurn()
  expect(building()).toEqual({ objects: 0, totalObjects: OBJECTS_PER_COMMIT })
  let read = 0
  for (let now = building(); now !== undefined; now = building()) {
    expect(now.objects).toBeGreaterThanOrEqual(read)
    expect(now.objects).toBeLessThanOrEqual(OBJECTS_PER_COMMIT)
    read = now.objects
    await nextTurn()
  }
  await prepared
  expect(columns.status().types).toMatchObject([{ state: 'ready', objects: OBJECTS_PER_COMMIT }])
})
