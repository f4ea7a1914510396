import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { groupsOf } from '../../../../test/support/groups-of.ts'
import { pageRead, retention } from '../../../../test/support/store-fixture.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { INDEXED_PROPERTIES_MAX, OPEN_REPLACEMENTS_MAX } from '../../../contract/limits.ts'
import { planChange } from '../../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { objectReader } from '../../../ontology/values/read-object.ts'
import { EVERYTHING } from '../../../query/query.ts'
import type { ObjectStore } from '../../object-store.ts'
import { openSqliteStore } from '../open.ts'

/** An ontology of types that all look the same. */
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

/** How many tables and indexes of objects the database has. */
function countSchema(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const row = db
      .prepare(`SELECT count(*) AS count FROM sqlite_schema WHERE name GLOB 'object_[0-9]*'`)
      .get()
    return Number(row?.['count'])
  } finally {
    db.close()
  }
}

const tooManyProperties = expect.objectContaining({
  errorName: 'InvalidOntologyDefinition',
  parameters: {
    mistakes: [expect.objectContaining({ reason: expect.stringMatching(/at most 10000/) })],
  },
})

describe('the tables of object types', () => {
  it('are made when a type is first written to, not when it is defined', async () => {
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
    // The table, an index for each property, and those of the current rows, versions and closed rows.
    expect(countSchema(path)).toBe(1 + 100 + 3)
    expect(await store.readPage(pageRead(first(types)))).toMatchObject({ count: 2, totalCount: 2 })
  })

  it('that are not made yet are empty in every way of reading', async () => {
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
          const page = await store.readPage(pageRead(type, { query, version, order: orders }))
          expect(page).toMatchObject({ count: 0, more: false, version: 0, totalCount: 0 })
        }
      }
      const metrics = [
        { kind: 'count', name: 'count' },
        { kind: 'approximateDistinct', name: 'distinct', property: 'p2', type: 'string' },
      ] as const
      const grouping = { kind: 'exact', property: 'p1', type: 'string', maxGroups: 5 } as const
      const read = { objectType: type, query, maxGroups: 10 }
      const whole = await store.aggregate({ ...read, aggregation: { metrics, groupings: [] } })
      expect(groupsOf(whole)).toEqual([{ keys: [], metrics: [0, 0] }])
      const grouped = { metrics, groupings: [grouping] }
      const cut = await store.aggregate({ ...read, aggregation: grouped })
      expect(groupsOf(cut)).toEqual([])
      expect(cut.excludedItems).toBe(0)
    }
    // A snapshot of the empty type stays readable when objects come.
    await put(store, type, ['a'])
    expect(await store.readPage(pageRead(type, { version: 0 }))).toMatchObject({ count: 0 })
    expect(await store.readPage(pageRead(type))).toMatchObject({ count: 1, version: 1 })
  })

  it('that were never made are replaced, changed, given up and reclaimed', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path)
    const [one, two] = await apply(store, definition(2, 3))
    if (one === undefined || two === undefined) throw new Error('no types')
    const replacement = await store.startReplacement(one)
    await store.publishReplacement(one, replacement)
    expect(await store.readPage(pageRead(one, { version: 0 }))).toMatchObject({ count: 0 })

    // An empty type may lose a property, and a type may go.
    const types = await apply(store, definition(1, 2))
    await put(store, first(types), ['a'])
    expect(await store.reclaim(retention(1))).toBe(0)
    expect(await store.readPage(pageRead(first(types)))).toMatchObject({ count: 1 })
    // One table, with an index for each of two properties and three others.
    expect(countSchema(path)).toBe(1 + 2 + 3)
  })

  it('have a limit, which types that hold no objects do not count for', async () => {
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
    expect(await store.readPage(pageRead(last))).toMatchObject({ count: 0, version: 0 })
    // A second table of a type that is counted already is no other property.
    const another = await store.startReplacement(first(types))
    expect(await put(store, first(types), ['b'], another)).toMatchObject({ put: 1 })
  })

  it('stay in use in a store of an earlier release that has more of them', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path)
    const before = await apply(store, definition(2, 3))
    await put(store, first(before), ['a'])
    {
      using db = new DatabaseSync(path)
      db.exec(`
        PRAGMA foreign_keys = OFF;
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 12000)
        INSERT INTO object_field (object_type_id, property)
        SELECT -1, 'p' || n FROM number;
        INSERT INTO object_table (object_type_id, state, first_version, loaded_as, is_made)
        VALUES (-1, 'published', 0, 0, 1);
      `)
    }
    const replacement = await store.startReplacement(first(before))
    expect(await put(store, first(before), ['a'], replacement)).toMatchObject({ put: 1 })
    const types = await apply(store, definition(2, 4))
    expect(await put(store, types[1] ?? first(types), ['a'])).toMatchObject({ put: 1 })
  })

  it('of replacements are made with their first object, or never', async () => {
    using folder = tempFolder()
    const path = join(folder.path, 'oqs.db')
    await using store = openSqliteStore(path)
    const type = first(await apply(store, definition(1, 3)))
    await put(store, type, ['a', 'b'])
    const before = countSchema(path)
    const order = [{ property: 'p1', direction: 'asc', nulls: 'last' }] as const
    const page = await store.readPage(pageRead(type, { order, maxObjects: 1 }))
    if (page === 'reclaimed') throw new Error('reclaimed')

    const loaded = await store.startReplacement(type)
    const empty = await store.startReplacement(type)
    expect(countSchema(path)).toBe(before)
    await put(store, type, ['c'], loaded)
    // The table and the index of the current rows; the others come when it is published.
    expect(countSchema(path)).toBe(before + 2)
    expect(await store.publishReplacement(type, empty)).toMatchObject({ put: 0, deleted: 2 })
    expect(countSchema(path)).toBe(before + 2)
    expect(await store.readPage(pageRead(type))).toMatchObject({ count: 0, totalCount: 0 })
    // A walk that began before that ends here.
    const rest = await store.readPage(pageRead(type, { order, after: page.last }))
    expect(rest).toMatchObject({ count: 0, more: false })
    expect(await store.publishReplacement(type, loaded)).toMatchObject({ put: 1, deleted: 0 })
    expect(await store.readPage(pageRead(type))).toMatchObject({ count: 1 })
  })

  it('of replacements are limited', async () => {
    using folder = tempFolder()
    await using store = openSqliteStore(join(folder.path, 'oqs.db'))
    const [one, other] = await apply(store, definition(2, 3))
    if (one === undefined || other === undefined) throw new Error('no types')
    const open: string[] = []
    for (let n = 0; n < OPEN_REPLACEMENTS_MAX; n += 1) open.push(await store.startReplacement(one))
    await expect(store.startReplacement(one)).rejects.toMatchObject({
      errorName: 'ReplacementsExceededLimit',
      parameters: { objectType: one.apiName, replacementsLimit: OPEN_REPLACEMENTS_MAX },
    })
    await store.startReplacement(other)
    await store.publishReplacement(one, open[0] ?? '')
    await store.startReplacement(one)
    await store.abandonReplacement(one, open[1] ?? '')
    await store.startReplacement(one)
  })
})
