/** The memory budget of columns: questions read what they need of files, and evict what others needed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
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

const NUMBERS = Array.from({ length: 20 }, (_, n) => `number${n}`)
const WIDE: OntologyDefinition = {
  apiName: 'wide',
  objectTypes: [
    {
      apiName: 'row',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' },
        ...Object.fromEntries(NUMBERS.map((name) => [name, { type: 'double' }])),
      },
    },
  ],
}
const ROWS = 2000
/** The keys, and the values of a number. */
const KEYS_BYTES = 12_000
const NUMBER_BYTES = 8 * ROWS

/** Fills a type with 20 numbers without columns. */
async function fillWide(name: string): Promise<void> {
  await using columns = await openColumnStore(name)
  const { put } = await createFixture(columns.database, WIDE)
  const rows = Array.from({ length: ROWS }, (_, id) => {
    const numbers = NUMBERS.map((number, at) => [number, id / 7 + at])
    return { id, ...Object.fromEntries(numbers) }
  })
  await put(rows)
}

/** Asks for the objects whose number is small, and returns how many there are. */
async function countSmall({ readKeys }: StoreFixture, names: readonly string[]): Promise<number> {
  const of = names.map((property) => {
    const field = { property, structField: undefined }
    return { kind: 'compare', field, operator: 'lt', value: 100 } as const
  })
  return (await readKeys({ query: { kind: 'and', of } })).length
}

it('a type that is larger than the memory is answered from its file, column by column', async () => {
  await using place = await createTestStore()
  await fillWide(place.name)
  const maxBytes = KEYS_BYTES + 3 * NUMBER_BYTES
  await using columns = await openColumnStore(place.name, { maxBytes, segmentRows: 700 })
  const fixture = await openFixtureOf(columns.store, 'wide')
  for (const [at, name] of [...NUMBERS, ...NUMBERS].entries()) {
    expect(await countSmall(fixture, [name])).toBe(700 - 7 * (at % NUMBERS.length))
    expect(columns.status().usedBytes).toBeLessThanOrEqual(maxBytes)
  }
  expect(columns.outcomes).toEqual(new Map([['answered', 2 * NUMBERS.length]]))
  const [type] = columns.status().types
  expect(type).toMatchObject({ state: 'ready', objects: ROWS })
  expect(type?.fileBytes).toBeGreaterThan(NUMBERS.length * NUMBER_BYTES)
})

it('the database answers a question whose columns do not fit, and columns answer others', async () => {
  await using place = await createTestStore()
  await fillWide(place.name)
  const maxBytes = KEYS_BYTES + 3 * NUMBER_BYTES
  await using columns = await openColumnStore(place.name, { maxBytes })
  const fixture = await openFixtureOf(columns.store, 'wide')
  expect(await countSmall(fixture, NUMBERS.slice(0, 5))).toBe(700 - 7 * 4)
  expect(columns.outcomes).toEqual(new Map([['tooLarge', 1]]))
  expect(await countSmall(fixture, NUMBERS.slice(0, 2))).toBe(700 - 7)
  expect(columns.outcomes.get('answered')).toBe(1)
  expect(columns.status().usedBytes).toBeLessThanOrEqual(maxBytes)
})

it('questions at the same time wait for each other if their columns do not fit together', async () => {
  await using place = await createTestStore()
  await fillWide(place.name)
  const maxBytes = KEYS_BYTES + 3 * NUMBER_BYTES
  await using columns = await openColumnStore(place.name, { maxBytes, threads: 3 })
  const fixture = await openFixtureOf(columns.store, 'wide')
  const pairs = NUMBERS.map((name, at) => [name, NUMBERS[(at + 7) % NUMBERS.length] ?? ''] as const)
  const counts: number[] = []
  for (let at = 0; at < pairs.length; at += 4) {
    const together = pairs.slice(at, at + 4).map((names) => countSmall(fixture, names))
    counts.push(...(await Promise.all(together)))
  }
  const expected = pairs.map((_, at) => 700 - 7 * Math.max(at, (at + 7) % NUMBERS.length))
  expect(counts).toEqual(expected)
  expect(columns.outcomes).toEqual(new Map([['answered', pairs.length]]))
  expect(columns.status().usedBytes).toBeLessThanOrEqual(maxBytes)
})

it('only what a question needs is read after a start', async () => {
  await using place = await createTestStore()
  using folder = tempFolder()
  await fillWide(place.name)
  const open = async () => {
    const columns = await openColumnStore(place.name, { folder: folder.path })
    return { columns, fixture: await openFixtureOf(columns.store, 'wide') }
  }
  const first = await open()
  await countSmall(first.fixture, NUMBERS)
  await first.columns[Symbol.asyncDispose]()
  const { columns, fixture } = await open()
  await using _ = columns
  expect(columns.status()).toMatchObject({ usedBytes: 0, types: [{ state: 'ready' }] })
  expect(await countSmall(fixture, ['number3'])).toBe(679)
  const { usedBytes } = columns.status()
  expect(usedBytes).toBeGreaterThan(NUMBER_BYTES)
  expect(usedBytes).toBeLessThanOrEqual(KEYS_BYTES + NUMBER_BYTES)
})

/** Fills two types without columns, and returns how much memory the columns of each take. */
async function fill(name: string): Promise<number> {
  await using columns = await openColumnStore(name)
  for (const ontology of ['first', 'second']) {
    const { commit } = await createFixture(columns.database, thingsDefinition(ontology))
    await commit(OBJECTS)
  }
  const { readKeys } = await openFixture(columns, 'first')
  expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  return columns.status().types[0]?.fileBytes ?? 0
}

function openFixture({ store }: ColumnStore, ontology: string): Promise<StoreFixture> {
  return openFixtureOf(store, ontology)
}

it('without a folder to write to, columns in use are not dropped for others', async () => {
  await using place = await createTestStore()
  using parent = tempFolder()
  const folder = join(parent.path, 'columns')
  writeFileSync(folder, '')
  const bytes = await fill(place.name)
  const reasons: unknown[] = []
  const onFailure = (reason: unknown) => reasons.push(reason)
  await using columns = await openColumnStore(place.name, {
    ...{ maxBytes: 1.5 * bytes, folder, onFailure },
  })
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
  // Now the second one is in use: neither a question nor the watch of large types drops it.
  expect(await first.readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  await columns.prepare([first.type.rid, second.type.rid])
  expect([stateOf(first), stateOf(second)]).toEqual(['tooLarge', 'ready'])
  expect(columns.status().usedBytes).toBeLessThanOrEqual(1.5 * bytes)
  expect(reasons).toEqual([])
})

it('without a folder to write to, the database answers for a type that does not fit', async () => {
  await using place = await createTestStore()
  using parent = tempFolder()
  const folder = join(parent.path, 'columns')
  writeFileSync(folder, '')
  const maxBytes = (await fill(place.name)) / 2
  const reasons: unknown[] = []
  const onFailure = (reason: unknown) => reasons.push(reason)
  await using columns = await openColumnStore(place.name, { maxBytes, folder, onFailure })
  const { readKeys, type } = await openFixture(columns, 'first')
  expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  expect(reasons).toEqual([
    `the columns of ${type.rid} were not built: they take more than ${maxBytes} bytes`,
  ])
  expect(columns.outcomes).toEqual(new Map([['tooLarge', 1]]))
  expect(columns.status().usedBytes).toBe(0)
})

it('what is kept of added and closed rows counts as memory of columns', async () => {
  await using place = await createTestStore()
  await fill(place.name)
  await using columns = await openColumnStore(place.name)
  const { readKeys, commit } = await openFixture(columns, 'first')
  expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  const { fileBytes = 0 } = columns.status().types[0] ?? {}
  await commit(OBJECTS.map(([key]) => [key, `another text of ${key}`]))
  expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  // The objects of the added rows are in the heap, until their segment is too large to be merged.
  expect(columns.status().usedBytes - fileBytes).toBeGreaterThan(64 * OBJECTS.length)
  expect(columns.status().residentBytes).toBeGreaterThan(columns.status().usedBytes)
})

it('added rows that take much of the memory become a part of the file', async () => {
  await using place = await createTestStore()
  const bytes = await fill(place.name)
  const maxBytes = 16 * bytes
  await using columns = await openColumnStore(place.name, { maxBytes })
  const { readKeys, commit } = await openFixture(columns, 'first')
  // Nobody has asked for columns that were built for the first question.
  for (const _ of [1, 2]) expect(await readKeys(WITH_TEXT)).toHaveLength(OBJECTS.length)
  await commit(OBJECTS.map(([key]) => [`new ${key}`, `another text of ${key}`]))
  await expect
    .poll(async () => {
      expect(await readKeys(WITH_TEXT)).toHaveLength(2 * OBJECTS.length)
      return columns.status().types[0]?.objects
    })
    .toBe(2 * OBJECTS.length)
  expect(columns.status().usedBytes).toBeLessThan(64 * OBJECTS.length)
})
