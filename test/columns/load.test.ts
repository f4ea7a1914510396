/** Columns that are built while objects are loaded. */
import { readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { objectReader } from '../../src/ontology/values/read-object.ts'
import { createColumnLoad } from '../../src/store/columns/load/load-columns.ts'
import { SegmentBuilder } from '../../src/store/columns/segment/build-segment.ts'
import { columnSpecs } from '../../src/store/columns/segment/column-specs.ts'
import { RepeatedKey } from '../../src/store/columns/segment/unordered-keys.ts'
import type { LoadedColumns } from '../../src/store/object-store.ts'
import { openColumnFeed } from '../../src/store/open-column-feed.ts'
import { openColumnStore } from '../support/column-store.ts'
import { createFixture, type StoreFixture } from '../support/store-fixture.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { createTestStore } from '../support/test-store.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'places',
  objectTypes: [
    {
      apiName: 'place',
      primaryKey: 'k',
      titleProperty: 'text',
      properties: {
        k: { type: 'string' },
        text: { type: 'string' },
        notes: { type: 'string', language: 'english' },
        count: { type: 'integer' },
        id: { type: 'long' },
        price: { type: 'decimal' },
        weight: { type: 'double' },
        at: { type: 'timestamp' },
        day: { type: 'date' },
        open: { type: 'boolean' },
        point: { type: 'geopoint' },
        area: { type: 'geoshape' },
        tags: { type: 'array', items: { type: 'string' } },
        counts: { type: 'array', items: { type: 'integer' } },
        address: { type: 'struct', fields: { city: { type: 'string' }, zip: { type: 'long' } } },
        visits: {
          type: 'array',
          items: { type: 'struct', fields: { by: { type: 'string' }, on: { type: 'date' } } },
        },
      },
    },
  ],
}

/** Objects in no order of their keys, each without some of its properties. */
function places(count: number): readonly object[] {
  return Array.from({ length: count }, (_, n) => {
    const number = (n * 37) % count
    const all = {
      text: `Place ${number % 7}`,
      notes: `runners ran ${number} times by the é-mail \u{1f600}`,
      count: number - 50,
      id: String(9_007_199_254_740_000n + BigInt(number) * 100n),
      price: `${number}.${number % 10}0`,
      weight: number % 5 === 0 ? 'NaN' : number / 3,
      at: new Date(Date.UTC(1960 + (number % 90), 1, 1, 0, 0, 0, number)).toISOString(),
      day: `20${String(10 + (number % 80))}-02-03`,
      open: number % 2 === 0,
      point: { type: 'Point', coordinates: [number % 180, -(number % 90)] },
      area: { type: 'Point', coordinates: [1, 2] },
      tags: Array.from({ length: number % 4 }, (_, at) => `tag ${at + (number % 3)}`),
      counts: Array.from({ length: number % 3 }, (_, at) => at),
      address: number % 4 === 0 ? {} : { city: `City ${number % 9}`, zip: String(number) },
      visits: Array.from({ length: number % 3 }, (_, at) => ({ by: `v${at}`, on: '2020-01-02' })),
    }
    const members = Object.entries(all).filter((_, at) => (number + at) % 6 !== 0)
    const key = `${number % 3 === 0 ? '\u{1f600}' : '\uffee'}${number}`
    return { k: key, ...Object.fromEntries(members) }
  })
}

function load(
  { type }: StoreFixture,
  objects: readonly object[],
  options: { readonly folder: string; readonly segmentRows?: number },
): LoadedColumns | undefined {
  using columns = createColumnLoad(type, options)
  const read = objectReader(type)
  for (const object of objects) columns.add(read(object))
  return columns.finish()
}

async function openPlaces(onFailure?: (reason: unknown) => void) {
  await using parts = new AsyncDisposableStack()
  const place = parts.use(await createTestStore())
  const folder = parts.use(tempFolder()).path
  const columns = parts.use(
    await openColumnStore(place.name, { folder, ...(onFailure && { onFailure }) }),
  )
  const fixture = await createFixture(columns.store, DEFINITION)
  const opened = parts.move()
  return {
    ...{ place, folder, columns, fixture },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

type Opened = Awaited<ReturnType<typeof openPlaces>>

async function publish({ columns: { store }, fixture }: Opened, objects: readonly object[]) {
  const { type, put } = fixture
  const replacement = await store.startReplacement(type)
  await put(objects, { replacement })
  const { version } = await store.publishReplacement(type, replacement)
  return { typeRid: type.rid, replacement, version }
}

it('are those that are built from the table', async () => {
  await using opened = await openPlaces()
  const { fixture, folder, place, columns } = opened
  const objects = places(200)
  const loaded = load(fixture, objects, { folder })
  const published = await publish(opened, objects)
  await using feed = await openColumnFeed(place.name)
  const [head] = await feed.readHeads([fixture.type.rid])
  if (head === undefined || loaded === undefined) throw new Error('nothing was loaded')
  const source = { ...head, specs: columnSpecs(fixture.type) }
  const builder = new SegmentBuilder(source.specs, { kind: 'rows', rows: head.liveCount })
  for await (const rows of feed.readObjects(source, head.published)) {
    for (const row of rows) builder.add(row)
  }
  const built = builder.finish()
  expect(await columns.adopt({ ...loaded, ...published })).toBe(true)
  const { written } = loaded.content as { written: { segments: readonly { place: object }[] } }
  const { added, ...places200 } = built.place
  expect(added).toEqual({ first: head.loadedAs, last: head.loadedAs, distances: undefined })
  expect(written.segments).toMatchObject([{ place: places200, bytes: built.buffer.byteLength }])
  // The images come first in a file, after its first line.
  const file = readFileSync(join(folder, `${loaded.name}.segment`))
  const start = file.indexOf('\n') + 1
  const image = file.subarray(start, start + built.buffer.byteLength)
  expect(image.equals(Buffer.from(built.buffer))).toBe(true)
  expect(columns.status().types).toMatchObject([{ state: 'ready', objects: 200 }])
})

it('of many segments answer, also after changes and a restart', async () => {
  await using opened = await openPlaces()
  const { fixture, folder, columns, place } = opened
  const objects = places(100)
  const loaded = load(fixture, objects, { folder, segmentRows: 13 })
  const published = await publish(opened, objects)
  expect(loaded && (await columns.adopt({ ...loaded, ...published }))).toBe(true)
  const keys = objects.map((object) => Reflect.get(object, 'k') as string)
  await fixture.commit([
    [keys[0] ?? '', null],
    [keys[50] ?? '', 'Changed'],
    ['new', 'Changed'],
  ])
  const request = { query: { kind: 'not', of: { kind: 'isNull', property: 'k' } } } as const
  const expected = [...keys.slice(1), 'new'].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )
  expect((await fixture.walk({ ...request, maxObjects: 9 })).keys).toEqual(expected)
  await columns[Symbol.asyncDispose]()
  await using again = await openColumnStore(place.name, { folder })
  expect(again.status().types).toMatchObject([{ state: 'ready', objects: 100 }])
})

it.each([13, 1000])('are not kept if an object is repeated, in segments of %i', async (rows) => {
  await using opened = await openPlaces()
  const { fixture, folder } = opened
  const objects = places(60)
  const repeated = () => load(fixture, [...objects, ...objects], { folder, segmentRows: rows })
  expect(repeated).toThrow(RepeatedKey)
  expect(readdirSync(folder)).toEqual([])
})

it('are built from the table if they are not those of its objects', async () => {
  await using opened = await openPlaces()
  const { fixture, folder, columns } = opened
  const objects = places(40)
  const [fewer, later, whole, damaged] = [39, 40, 40, 40].map((count) =>
    load(fixture, objects.slice(0, count), { folder }),
  )
  const published = await publish(opened, objects)
  const adopt = (loaded: LoadedColumns | undefined, other = {}) =>
    loaded && columns.adopt({ ...loaded, ...published, ...other })
  expect(await adopt(fewer)).toBe(false)
  expect(await adopt(later, { version: published.version + 1 })).toBe(false)
  expect(await adopt(whole, { replacement: '999' })).toBe(false)
  truncateSync(join(folder, `${damaged?.name}.segment.new`), 100)
  expect(await adopt(damaged)).toBe(false)
  const request = { query: { kind: 'not', of: { kind: 'isNull', property: 'k' } } } as const
  expect((await fixture.readPage(request)).count).toBe(40)
  expect(columns.outcomes.get('answered')).toBe(1)
})
