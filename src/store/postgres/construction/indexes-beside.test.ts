import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTransaction, runSql } from '../../../../test/support/postgres.ts'
import { createFixture, type StoreFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import type { ObjectStore } from '../../object-store.ts'
import { openPostgresStore } from '../postgres-store.ts'

const OBJECTS = 20_000
let place: TestStore
let store: ObjectStore
let things: StoreFixture

beforeAll(async () => {
  place = await createTestStore()
  store = await openPostgresStore(place.name)
  things = await createFixture(store)
})
afterAll(async () => {
  await store[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

async function load(): Promise<string> {
  const replacement = await store.startReplacement(things.type)
  const objects = Array.from({ length: OBJECTS }, (_, n) => ({ k: `k${n}`, text: `odd${n % 7}` }))
  await things.put(objects.slice(0, 15_000), { replacement })
  // Some of the rows are there.
  await things.put(objects.slice(14_000), { replacement })
  return replacement
}

const indexes = async (table: string) =>
  (
    await runSql(
      place.name,
      `SELECT replace(indexname, tablename, '') AS name FROM pg_indexes
       WHERE tablename = 'oqs_object_${table}' ORDER BY 1`,
    )
  ).map(({ name }) => name)

it('builds the index of texts of a large load beside the others, also if it is there', async () => {
  const counted: number[] = []
  const note = (count: number) => counted.push(count)
  const first = await load()
  const commit = await store.publishReplacement(things.type, first, 'replace', undefined, note)
  expect(commit.put).toBe(OBJECTS)
  const built = await indexes(first)
  expect(built).toContain('_lexemes')
  expect(counted).toEqual(counted.map((_, at) => at + 1))

  const next = await load()
  await runSql(
    place.name,
    `CREATE INDEX oqs_object_${next}_lexemes ON oqs_object_${next} USING gin (lexemes) WHERE lexemes IS NOT NULL`,
  )
  await store.publishReplacement(things.type, next)
  expect(await indexes(next)).toEqual(built)
  expect((await things.readPage()).totalCount).toBe(OBJECTS)
})

it('waits for another node that builds it', async () => {
  const replacement = await load()
  const building = await openTransaction(
    place.name,
    `SELECT pg_advisory_xact_lock(706733, ${replacement})`,
  )
  const publishing = store.publishReplacement(things.type, replacement)
  await expect.poll(() => indexes(replacement)).toContain('_closed')
  expect(await indexes(replacement)).not.toContain('_lexemes')
  await building[Symbol.asyncDispose]()
  await publishing
  expect(await indexes(replacement)).toContain('_lexemes')
})
