/** The memory budget of columns: what does not fit is answered by the database. */
import { expect, it } from 'vitest'
import { type ColumnStore, openColumnStore } from '../support/column-store.ts'
import {
  createFixture,
  openFixture as openFixtureOf,
  type StoreFixture,
  thingsDefinition,
} from '../support/store-fixture.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { createTestStore } from '../support/test-store.ts'

const WITH_TEXT = {
  query: { kind: 'not', of: { kind: 'isNull', property: 'text' } },
} as const
const OBJECTS = Array.from({ length: 500 }, (_, n) => [`k${n}`, `text ${n}`] as const)

/** Fills two types without columns, and returns how much memory the columns of each take. */
async function fill(name: string): Promise<number> {
  await using columns = await openColumnStore(name)
  for (const ontology of ['first', 'second']) {
    const { commit } = await createFixture(columns.database, thingsDefinition(ontology))
    await commit(OBJECTS)
  }
  const { readKeys, type } = await openFixture(columns, 'first')
  expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  const [status] = columns.status().types.filter(({ typeRid }) => typeRid === type.rid)
  return status?.bytes ?? 0
}

function openFixture({ store }: ColumnStore, ontology: string): Promise<StoreFixture> {
  return openFixtureOf(store, ontology)
}

it('columns in use are not evicted, and the database answers what does not fit', async () => {
  await using place = await createTestStore()
  const bytes = await fill(place.name)
  await using columns = await openColumnStore(place.name, { maxBytes: 1.5 * bytes })
  const [first, second] = [
    await openFixture(columns, 'first'),
    await openFixture(columns, 'second'),
  ]
  const stateOf = ({ type }: StoreFixture) =>
    columns.status().types.find(({ typeRid }) => typeRid === type.rid)?.state
  // Nobody has asked for the first type, so it makes room.
  await columns.prepare([first.type.rid])
  expect([stateOf(first), stateOf(second)]).toEqual(['ready', undefined])
  expect(await second.readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  expect([stateOf(first), stateOf(second)]).toEqual(['building', 'ready'])
  expect(columns.outcomes).toEqual(new Map([['answered', 1]]))
  // Now the second one is in use: neither a question nor the watch of large types evicts it.
  expect(await first.readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  await columns.prepare([first.type.rid, second.type.rid])
  expect([stateOf(first), stateOf(second)]).toEqual(['tooLarge', 'ready'])
  expect(columns.status().usedBytes).toBeLessThanOrEqual(1.5 * bytes)
})

it('a type that does not fit at all is answered by the database, also from a file', async () => {
  await using place = await createTestStore()
  using folder = tempFolder()
  const bytes = await fill(place.name)
  // What a file shows not to fit is not built.
  for (const [maxBytes, failures] of [
    [bytes / 2, 1],
    [2 * bytes, 0],
    [bytes / 2, 0],
  ] as const) {
    const reasons: unknown[] = []
    const onFailure = (reason: unknown) => reasons.push(reason)
    const options = { maxBytes, folder: folder.path, onFailure }
    await using columns = await openColumnStore(place.name, options)
    const { readKeys, type } = await openFixture(columns, 'first')
    expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
    const reason = `^the columns of ${type.rid} were not built: they take \\d+ bytes of ${maxBytes}$`
    expect(reasons).toEqual(Array(failures).fill(expect.stringMatching(reason)))
    const isAnswered = columns.outcomes.get('answered') === 1
    expect(isAnswered).toBe(maxBytes > bytes)
    expect(columns.status().usedBytes).toBeLessThanOrEqual(maxBytes)
  }
})

it('what is kept of added and closed rows counts as memory of columns', async () => {
  await using place = await createTestStore()
  const baseBytes = await fill(place.name)
  await using columns = await openColumnStore(place.name)
  const { readKeys, commit } = await openFixture(columns, 'first')
  expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  await commit(OBJECTS.map(([key]) => [key, `another text of ${key}`]))
  expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  // The objects of the added rows are in the heap, until their segment is too large to be merged.
  expect(columns.status().usedBytes - baseBytes).toBeGreaterThan(64 * OBJECTS.length)
  expect(columns.status().residentBytes).toBeGreaterThan(columns.status().usedBytes)
})

it('rows that are added count, too', async () => {
  await using place = await createTestStore()
  const bytes = await fill(place.name)
  await using columns = await openColumnStore(place.name, { maxBytes: 1.2 * bytes })
  const { readKeys, commit } = await openFixture(columns, 'first')
  expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  await commit(OBJECTS.map(([key]) => [`new ${key}`, `another text of ${key}`]))
  expect(await readKeys(WITH_TEXT)).toHaveLength(2 * OBJECTS.length)
  expect(columns.status().usedBytes).toBeLessThanOrEqual(1.2 * bytes)
})
