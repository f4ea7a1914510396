import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { groupsOf } from '../../../../test/support/groups-of.ts'
import { openFixture, pageRequest, retention } from '../../../../test/support/store-fixture.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { INDEXED_PROPERTIES_MAX } from '../../../contract/limits.ts'
import { planChange } from '../../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { objectId } from '../../../ontology/definition/rid.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { objectReader } from '../../../ontology/values/read-object.ts'
import { EVERYTHING } from '../../../query/query.ts'
import type { ObjectStore } from '../../object-store.ts'
import { openSqliteStore } from '../open.ts'

/** An ontology of identical types. */
function definition(types: number, properties: number): OntologyDefinition {
  const names = Array.from({ length: properties }, (_, index) => `p${index}`)
  return {
    apiName: 'wide',
    objectTypes: Array.from({ length: types }, (_, index) => ({
      apiName: `t${index}`,
      primaryKey: 'p0',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    })),
  }
}

async function apply(store: ObjectStore, changed: OntologyDefinition): Promise<ObjectType[]> {
  const change = planChange(changed.apiName, changed, await store.readCatalogue(), randomUUID)
  await store.saveOntology(change)
  return [...change.ontology.objectTypes.values()]
}

async function put(
  store: ObjectStore,
  objectType: ObjectType,
  keys: readonly string[],
  replacement?: string,
) {
  const read = objectReader(objectType)
  const changes = keys.map((key) => ({ put: read({ p0: key }) }))
  const { generation } = await store.readCatalogue()
  return store.commit({ objectType, changes, basedOn: generation, replacement })
}

function first(types: readonly ObjectType[]): ObjectType {
  const [type] = types
  if (type === undefined) throw new Error('no type')
  return type
}

/** Counts the object tables and their indexes. */
function countSchema(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const row = db
      .prepare(`SELECT count(*) AS count FROM sqlite_schema WHERE name GLOB 'oqs_object_[0-9]*'`)
      .get()
    return Number(row?.['count'])
  } finally {
    db.close()
  }
}

function timeIndexes(path: string): string[] {
  using db = new DatabaseSync(path, { readOnly: true })
  const rows = db.prepare(
    `SELECT name FROM sqlite_schema WHERE name GLOB 'oqs_object_*_time' ORDER BY name`,
  )
  return rows.all().map(({ name }) => String(name))
}

/** Counts the rows in each index of object ids. */
function idIndexes(path: string, table: number): Record<string, number> {
  using db = new DatabaseSync(path, { readOnly: true })
  const indexes = db
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name GLOB ?`)
    .all(`oqs_object_${table}_*object_id`)
  const counts = indexes.map(({ name, sql }): [string, number] => {
    const [, rows = 'TRUE'] = / WHERE (.*)$/.exec(String(sql)) ?? []
    const from = `oqs_object_${table} INDEXED BY ${name} WHERE ${rows}`
    return [String(name), Number(db.prepare(`SELECT count(*) AS n FROM ${from}`).get()?.['n'])]
  })
  return Object.fromEntries(counts)
}

const tooManyProperties = expect.objectContaining({
  errorName: 'InvalidOntologyDefinition',
  parameters: {
    mistakes: [expect.objectContaining({ reason: expect.stringMatching(/at most 10000/) })],
  },
})

describe('the tables of object types', () => {
  it('are created when a type is first written to, not when it is defined', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path)
    const types = await apply(store, definition(300, 100))
    expect(countSchema(path)).toBe(0)

    await put(store, first(types), [])
    const { generation: basedOn } = await store.readCatalogue()
    const changes = [{ delete: 'nothing' }]
    const nothing = { version: 0, put: 0, deleted: 0, kept: 0 }
    const objectType = first(types)
    expect(await store.commit({ objectType, changes, basedOn })).toEqual(nothing)
    expect(countSchema(path)).toBe(0)

    await put(store, first(types), ['a', 'b'])
    // The table, an index per property but the key, and those of current rows, versions, added
    // rows, closed rows, and two of ids.
    expect(countSchema(path)).toBe(1 + 99 + 6)
    expect(await store.readPage(pageRequest(first(types)))).toMatchObject({
      count: 2,
      totalCount: 2,
    })
  })

  it('that are not created yet are empty for every kind of query', async () => {
    using folder = tempFolder()
    await using store = openSqliteStore(join(folder.path, 'oqs.db'))
    const type = first(await apply(store, definition(1, 3)))
    const field = { property: 'p1', structField: undefined }
    const queries = [
      EVERYTHING,
      { kind: 'compare', field, operator: 'eq', value: 'x' },
      { kind: 'text', field: undefined, match: 'anyTerm', terms: ['x'], fuzzy: true },
      { kind: 'not', of: { kind: 'isNull', property: 'p2' } },
    ] as const
    const order = { property: 'p1', direction: 'asc', nulls: 'last' } as const
    for (const query of queries) {
      for (const version of [undefined, 0]) {
        for (const orders of [[], [order]]) {
          const page = await store.readPage(pageRequest(type, { query, version, order: orders }))
          expect(page).toMatchObject({ count: 0, more: false, version: 0, totalCount: 0 })
        }
      }
      const metrics = [
        { kind: 'count', name: 'count' },
        { kind: 'distinct', name: 'distinct', property: 'p2', type: 'string' },
      ] as const
      const grouping = { kind: 'exact', property: 'p1', type: 'string', maxGroups: 5 } as const
      const read = { sources: [{ objectType: type, query }], maxGroups: 10 }
      const whole = await store.aggregate({ ...read, aggregation: { metrics, groupings: [] } })
      expect(groupsOf(whole)).toEqual([{ keys: [], metrics: [0, 0] }])
      const grouped = { metrics, groupings: [grouping] }
      const groups = await store.aggregate({ ...read, aggregation: grouped })
      expect(groupsOf(groups)).toEqual([])
      expect(groups).toMatchObject({ excludedItems: 0, versions: [0] })
    }
    // A snapshot of the empty type stays readable after objects were added.
    await put(store, type, ['a'])
    expect(await store.readPage(pageRequest(type, { version: 0 }))).toMatchObject({ count: 0 })
    expect(await store.readPage(pageRequest(type))).toMatchObject({ count: 1, version: 1 })
  })

  it('that were never created are replaced, changed, abandoned and reclaimed', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path)
    const [one, two] = await apply(store, definition(2, 3))
    if (one === undefined || two === undefined) throw new Error('no types')
    const replacement = await store.startReplacement(one)
    await store.publishReplacement(one, replacement)
    expect(await store.readPage(pageRequest(one, { version: 0 }))).toMatchObject({ count: 0 })

    // An empty type may lose a property, and may be dropped.
    const types = await apply(store, definition(1, 2))
    await put(store, first(types), ['a'])
    expect(await store.reclaim(retention(1))).toBe(0)
    expect(await store.readPage(pageRequest(first(types)))).toMatchObject({ count: 1 })
    // One table with an index for one property besides the key, and six others.
    expect(countSchema(path)).toBe(1 + 1 + 6)
  })

  it('are limited by their number of properties; types without objects do not count', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path)
    const full = INDEXED_PROPERTIES_MAX / 1000
    const types = await apply(store, definition(full + 1, 1000))
    for (const type of types.slice(0, full)) await put(store, type, ['a'])
    const last = types[full]
    if (last === undefined) throw new Error('no type')
    const before = countSchema(path)
    await expect(put(store, last, ['a'])).rejects.toEqual(tooManyProperties)
    const replacement = await store.startReplacement(last)
    await expect(put(store, last, ['a'], replacement)).rejects.toEqual(tooManyProperties)
    expect(countSchema(path)).toBe(before)
    expect(await store.readPage(pageRequest(last))).toMatchObject({ count: 0, version: 0 })
    // So are those of a type whose objects are written again.
    const wide = definition(full + 1, 1000)
    const objectTypes = wide.objectTypes.map((type, index) => ({
      ...type,
      ...(index === 0 && {
        properties: {
          ...type.properties,
          p1: { type: 'date' as const },
          more: { type: 'date' as const },
        },
      }),
    }))
    await expect(apply(store, { ...wide, objectTypes })).rejects.toEqual(tooManyProperties)
    // A second table of a type adds no properties.
    const another = await store.startReplacement(first(types))
    expect(await put(store, first(types), ['b'], another)).toMatchObject({ put: 1 })
  })

  it('index timestamps as integers, also those of properties that are added later', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path)
    const typeOf = (names: readonly string[]): OntologyDefinition => ({
      apiName: 'events',
      objectTypes: [
        {
          apiName: 'event',
          primaryKey: 'p0',
          properties: {
            p0: { type: 'string' },
            ...Object.fromEntries(names.map((name) => [name, { type: 'timestamp' as const }])),
            times: { type: 'array', items: { type: 'timestamp' } },
            place: { type: 'struct', fields: { seen: { type: 'timestamp' } } },
          },
        },
      ],
    })
    await put(store, first(await apply(store, typeOf(['at']))), ['a'])
    expect(timeIndexes(path)).toEqual(['oqs_object_1_p2_time', 'oqs_object_1_p5_time'])
    await put(store, first(await apply(store, typeOf(['at', 'later']))), ['b'])
    const all = ['oqs_object_1_p2_time', 'oqs_object_1_p5_time', 'oqs_object_1_p6_time']
    expect(timeIndexes(path)).toEqual(all)

    // A replacement has a new table.
    const type = first(await apply(store, typeOf(['at', 'later'])))
    const replacement = await store.startReplacement(type)
    await put(store, type, ['c'], replacement)
    await store.publishReplacement(type, replacement)
    expect(timeIndexes(path)).toEqual([
      ...all,
      'oqs_object_2_p2_time',
      'oqs_object_2_p5_time',
      'oqs_object_2_p6_time',
    ])
  })

  it('index the ids of later versions apart from those of a load', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path)
    const type = first(await apply(store, definition(1, 2)))
    const things = await openFixture(store, 'wide')
    const keysById = (keys: readonly string[], version?: number) => {
      const ids = keys.map((key) => objectId(type.rid, key))
      return things.readKeys({ query: { kind: 'objectIds', ids }, version })
    }
    const many = (count: number, prefix: string) =>
      Array.from({ length: count }, (_, n) => `${prefix}${n}`)

    await put(store, type, ['a', 'b'])
    const { version } = await put(store, type, ['b', 'c'])
    expect(idIndexes(path, 1)).toEqual({
      oqs_object_1_object_id: 2,
      oqs_object_1_later_object_id: 2,
    })
    await put(store, type, ['a', 'd'])
    expect(await keysById(['a', 'b', 'c', 'd', 'x'])).toEqual(['a', 'b', 'c', 'd'])
    expect(await keysById(['a', 'b', 'c', 'd', 'x'], version)).toEqual(['a', 'b', 'c'])

    const replacement = await store.startReplacement(type)
    await put(store, type, many(10, 'r'), replacement)
    await put(store, type, many(20, 'r'), replacement)
    await store.publishReplacement(type, replacement)
    await put(store, type, ['r5', 's'])
    expect(idIndexes(path, 2)).toEqual({
      oqs_object_2_object_id: 20,
      oqs_object_2_later_object_id: 2,
    })
    expect(await keysById(['a', 'r4', 'r5', 's'])).toEqual(['r4', 'r5', 's'])
  })

  it('of replacements are created with their first object, or never', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path)
    const type = first(await apply(store, definition(1, 3)))
    await put(store, type, ['a', 'b'])
    const before = countSchema(path)
    const order = [{ property: 'p1', direction: 'asc', nulls: 'last' }] as const
    const page = await store.readPage(pageRequest(type, { order, maxObjects: 1 }))
    if (page === 'reclaimed') throw new Error('reclaimed')

    const loaded = await store.startReplacement(type)
    const empty = await store.startReplacement(type)
    expect(countSchema(path)).toBe(before)
    await put(store, type, ['c'], loaded)
    // The table and the index of current rows; the others are built before it is published.
    expect(countSchema(path)).toBe(before + 2)
    expect(await store.publishReplacement(type, empty)).toMatchObject({ put: 0, deleted: 2 })
    expect(countSchema(path)).toBe(before + 2)
    expect(await store.readPage(pageRequest(type))).toMatchObject({ count: 0, totalCount: 0 })
    // A walk that started before the publication ends here.
    const rest = await store.readPage(pageRequest(type, { order, after: page.last }))
    expect(rest).toMatchObject({ count: 0, more: false })
    expect(await store.publishReplacement(type, loaded)).toMatchObject({ put: 1, deleted: 0 })
    expect(await store.readPage(pageRequest(type))).toMatchObject({ count: 1 })
  })
})
