/** The files of columns: one that is not what the catalogue says is never believed. */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { sqlitePath } from '../../src/store/store-name.ts'
import { openColumnStore } from '../support/column-store.ts'
import { createFixture, openFixture } from '../support/store-fixture.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { createTestStore } from '../support/test-store.ts'

const WITH_TEXT = {
  query: { kind: 'not', of: { kind: 'isNull', property: 'text' } },
} as const

/** A store with columns in a folder. */
async function fill(name: string, folder: string, texts: readonly string[]): Promise<void> {
  await using columns = await openColumnStore(name, { folder })
  const { commit, readPairs } = await createFixture(columns.store)
  await commit(texts.map((text, index) => [`k${index}`, text]))
  expect(await readPairs(WITH_TEXT)).toHaveLength(texts.length)
}

async function readAgain(name: string, folder: string): Promise<readonly string[]> {
  await using columns = await openColumnStore(name, { folder })
  const { readPairs } = await openFixture(columns.store)
  const pairs = await readPairs(WITH_TEXT)
  // The first question after a start waits for the columns, whether they are read or built.
  expect(columns.outcomes.get('answered')).toBe(1)
  return pairs
}

function fileIn(folder: string): string {
  const [name = '', ...others] = readdirSync(folder)
  expect(others).toEqual([])
  return join(folder, name)
}

const SEARCH = {
  query: {
    kind: 'text',
    field: { property: 'text', structField: undefined },
    match: 'allTerms',
    terms: ['two'],
    fuzzy: false,
  },
} as const

const TEXTS = ['one', 'two', 'three']
const PAIRS = TEXTS.map((text, index) => `k${index}=${text}`)

it('a file is read again after a restart', async () => {
  await using place = await createTestStore()
  using folder = tempFolder()
  await fill(place.name, folder.path, TEXTS)
  const path = fileIn(folder.path)
  expect(await readAgain(place.name, folder.path)).toEqual(PAIRS)
  expect(fileIn(folder.path)).toBe(path)
})

it('a file keeps the bounds of columns that hold infinities', async () => {
  await using place = await createTestStore()
  using folder = tempFolder()
  const definition: OntologyDefinition = {
    apiName: 'measures',
    objectTypes: [
      {
        apiName: 'measure',
        primaryKey: 'id',
        properties: { id: { type: 'integer' }, size: { type: 'double' } },
      },
    ],
  }
  const sizes = ['-Infinity', -1.5, 0.5, 3, 3e147, 'Infinity']
  const groups: unknown[] = []
  for (const isFirst of [true, false]) {
    await using columns = await openColumnStore(place.name, { folder: folder.path })
    const fixture = isFirst
      ? await createFixture(columns.store, definition)
      : await openFixture(columns.store, definition.apiName)
    if (isFirst) await fixture.put(sizes.map((size, id) => ({ id, size })))
    const { type: objectType } = fixture
    const result = await columns.store.aggregate({
      sources: [{ objectType, query: { kind: 'everything' }, version: undefined }],
      aggregation: {
        groupings: [{ kind: 'fixedWidth', property: 'size', type: 'double', width: 1 }],
        metrics: [{ kind: 'count', name: 'count' }],
      },
      maxGroups: 10,
    })
    expect(columns.outcomes.get('answered')).toBe(1)
    if (result !== 'reclaimed') groups.push(JSON.parse(`[${Buffer.concat(result.records)}]`))
  }
  const group = (size: number) => ({ group: { size }, metrics: [{ name: 'count', value: 1 }] })
  const expected = [-2, 0, 3, 3e147].map(group)
  expect(groups).toEqual([expected, expected])
})

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  truncated: (path) => truncateSync(path, readFileSync(path).length - 8),
  'without an image': (path) => truncateSync(path, 40),
  empty: (path) => truncateSync(path, 0),
  longer: (path) => writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(8)])),
  'of another form': (path) => {
    const bytes = readFileSync(path)
    bytes.write('oqs columns 0\n')
    writeFileSync(path, bytes)
  },
}

it.each(Object.entries(DAMAGES))('a file that is %s is built again', async (_, damage) => {
  await using place = await createTestStore()
  using folder = tempFolder()
  await fill(place.name, folder.path, TEXTS)
  const path = fileIn(folder.path)
  damage(path)
  expect(await readAgain(place.name, folder.path)).toEqual(PAIRS)
  expect(await readAgain(place.name, folder.path)).toEqual(PAIRS)
})

it('a file with any changed byte is built again', async () => {
  await using place = await createTestStore()
  using folder = tempFolder()
  await fill(place.name, folder.path, TEXTS)
  for (const share of [0.1, 0.4, 0.9]) {
    const [name = ''] = readdirSync(folder.path).slice(-1)
    const path = join(folder.path, name)
    const bytes = readFileSync(path)
    const at = Math.floor(share * bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ 0x10
    writeFileSync(path, bytes)
    expect(await readAgain(place.name, folder.path)).toEqual(PAIRS)
  }
})

/** Where the images of a file end, and its description begins. */
function imagesEnd(bytes: Buffer): number {
  return bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
}

function changeByte(path: string, share: number): void {
  const bytes = readFileSync(path)
  const start = bytes.indexOf('\n') + 1
  const at = start + Math.floor(share * (imagesEnd(bytes) - start))
  bytes[at] = (bytes[at] ?? 0) ^ 0x10
  writeFileSync(path, bytes)
}

const WHILE_OPEN: Readonly<Record<string, (path: string) => void>> = {
  deleted: rmSync,
  truncated: (path) => truncateSync(path, 20),
  'replaced by a shorter one': (path) => writeFileSync(path, 'oqs columns 5\n'),
  'replaced by zeros': (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)),
  ...Object.fromEntries(
    [0, 0.2, 0.4, 0.6, 0.8, 0.99].map((share) => [
      `changed after ${share} of its images`,
      (path: string) => changeByte(path, share),
    ]),
  ),
}

it('a file that is damaged after it was opened is built again when its columns are read', async () => {
  await using place = await createTestStore()
  using folder = tempFolder()
  await fill(place.name, folder.path, TEXTS)
  const reasons: string[] = []
  const onFailure = (reason: unknown) => reasons.push(String(reason))
  for (const [name, damage] of Object.entries(WHILE_OPEN)) {
    await using columns = await openColumnStore(place.name, { folder: folder.path, onFailure })
    const { readPairs } = await openFixture(columns.store)
    expect(columns.status().types).toMatchObject([{ state: 'ready', bytes: 0 }])
    const [file = ''] = readdirSync(folder.path)
    damage(join(folder.path, file))
    expect(await readPairs(WITH_TEXT), name).toEqual(PAIRS)
    // What nobody reads is not missed.
    expect(await readPairs(SEARCH), name).toEqual(PAIRS.slice(1, 2))
    expect(columns.outcomes, name).toEqual(new Map([['answered', 2]]))
  }
  expect(reasons.length).toBeGreaterThan(Object.keys(WHILE_OPEN).length / 2)
  for (const reason of reasons)
    expect(reason).toMatch(/^the file of the columns of .* is damaged: /)
})

it('a file of another store is not believed, even under the name of a recorded one', async () => {
  await using place = await createTestStore()
  await using other = await createTestStore()
  using folder = tempFolder()
  using otherFolder = tempFolder()
  await fill(place.name, folder.path, TEXTS)
  await fill(other.name, otherFolder.path, ['four', 'five', 'six', 'seven'])
  // Without its record, a file is removed.
  copyFileSync(fileIn(otherFolder.path), join(folder.path, 'foreign.segment'))
  expect(await readAgain(place.name, folder.path)).toEqual(PAIRS)
  const path = fileIn(folder.path)
  copyFileSync(fileIn(otherFolder.path), path)
  expect(await readAgain(place.name, folder.path)).toEqual(PAIRS)
  expect(readdirSync(folder.path).map((name) => join(folder.path, name))).not.toEqual([path])
})

// Only a SQLite file lies beside the files of its columns.
if (inject('store') === 'sqlite') {
  it('a restored backup never meets newer columns', async () => {
    await using place = await createTestStore()
    using folder = tempFolder()
    const path = sqlitePath(place.name) ?? ''
    const backup = join(folder.path, 'backup.db')
    const columnsFolder = join(folder.path, 'columns')
    const commitTo = async (keys: readonly string[]) => {
      await using columns = await openColumnStore(place.name, { folder: columnsFolder })
      const { commit, readPairs } = await openFixture(columns.store)
      await commit(keys.map((key) => [key, `text of ${key}`]))
      return await readPairs(WITH_TEXT)
    }
    await fill(place.name, columnsFolder, TEXTS)
    copyFileSync(path, backup)
    // From here on, two histories have the same versions.
    await commitTo(['lost', 'lost too'])
    rmSync(columnsFolder, { recursive: true })
    expect(await readAgain(place.name, columnsFolder)).toHaveLength(TEXTS.length + 2)
    const newer = fileIn(columnsFolder)
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
    copyFileSync(backup, path)
    expect(await readAgain(place.name, columnsFolder)).toEqual(PAIRS)
    expect(existsSync(newer)).toBe(false)
    expect(await commitTo(['other'])).toEqual([...PAIRS, 'other=text of other'])
    expect(await readAgain(place.name, columnsFolder)).toEqual([...PAIRS, 'other=text of other'])
  })
}

it('a folder that cannot be written leaves columns in memory', async () => {
  await using place = await createTestStore()
  using folder = tempFolder()
  // A file is where the folder should be: root may write to a read-only folder.
  const path = join(folder.path, 'columns')
  writeFileSync(path, '')
  await fill(place.name, path, TEXTS)
  expect(await readAgain(place.name, path)).toEqual(PAIRS)
})
