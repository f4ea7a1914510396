/** Tables in which properties have no index, because a load has shown that they need none. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { rewriteAll } from '../../../../test/support/rewrite-all.ts'
import {
  createFixture,
  openFixture,
  type StoreFixture,
} from '../../../../test/support/store-fixture.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { planChange } from '../../../ontology/definition/change-definition.ts'
import type {
  OntologyDefinition,
  PropertyDefinition,
} from '../../../ontology/definition/definition-schema.ts'
import type { OrderTerm, Query } from '../../../query/query.ts'
import type { ObjectStore } from '../../object-store.ts'
import { openSqliteStore } from '../open.ts'

const PROPERTIES = {
  k: { type: 'string' },
  region: { type: 'string' },
  level: { type: 'integer' },
  code: { type: 'string' },
  notes: { type: 'string' },
} as const satisfies Record<string, PropertyDefinition>

function definitionOf(properties: Record<string, PropertyDefinition>): OntologyDefinition {
  return {
    apiName: 'things',
    objectTypes: [{ apiName: 'thing', primaryKey: 'k', titleProperty: 'code', properties }],
  }
}

const OBJECTS = 1200

/** Some objects have no region, and every hundredth another level. */
function objectOf(number: number, revision = 0) {
  const words = Array.from({ length: 12 }, (_, at) => `w${(number * 31 + at * 7) % 500}`)
  return {
    k: `k${String(number).padStart(5, '0')}`,
    region: number % 11 === 0 ? null : `region ${(number + revision) % 5}`,
    level: number % 100 === 0 ? 7 : number % 3,
    code: `c${number * 7}`,
    notes: [`"ü\\ ${number}`, ...words].join(' '),
  }
}

const objects = (revision = 0, count = OBJECTS) =>
  Array.from({ length: count }, (_, number) => objectOf(number, revision))

/** Returns the properties that an index of the newest table is named after, and those without a column. */
function columnsOf(path: string): { readonly indexed: string[]; readonly inBody: string[] } {
  using db = new DatabaseSync(path, { readOnly: true })
  const [table] = db.prepare('SELECT table_id AS id, id AS type FROM oqs_object_type').all()
  const name = `oqs_object_${table?.['id']}`
  const list = db.prepare(
    'SELECT fields FROM oqs_field_list WHERE object_type_id = ? AND table_id = 0',
  )
  const fields = JSON.parse(String(list.get(Number(table?.['type']))?.['fields'])) as {
    property: string
    number: number
  }[]
  const named = (names: readonly unknown[]) =>
    fields.flatMap(({ property, number }) =>
      names.some((one) => String(one).startsWith(`p${number}`)) ? [property] : [],
    )
  const indexes = db.prepare('SELECT substr(name, ?) AS name FROM pragma_index_list(?)')
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(name)
  return {
    indexed: named(indexes.all(name.length + 2, name).map(({ name }) => name)),
    inBody: fields.flatMap(({ property, number }) =>
      property === 'k' || columns.some(({ name }) => name === `p${number}`) ? [] : [property],
    ),
  }
}

const field = (property: string) => ({ property, structField: undefined })
const equal = (property: string, value: string | number): Query => ({
  kind: 'compare',
  field: field(property),
  operator: 'eq',
  value,
})
const above = (property: string, value: string | number): Query => ({
  kind: 'compare',
  field: field(property),
  operator: 'gt',
  value,
})
const by = (property: string, direction: 'asc' | 'desc' = 'asc'): OrderTerm => ({
  property,
  direction,
  nulls: 'last',
})
const { notes } = objectOf(17)

const QUERIES: readonly Query[] = [
  equal('region', 'region 2'),
  equal('region', 'none'),
  equal('level', 7),
  equal('notes', notes),
  above('region', 'region 3'),
  above('notes', notes),
  { kind: 'oneOf', field: field('region'), values: ['region 1', 'region 4'] },
  { kind: 'isNull', property: 'region' },
  { kind: 'text', field: field('notes'), match: 'allTerms', terms: ['w31'], fuzzy: false },
  { kind: 'text', field: field('notes'), match: 'phrase', terms: ['w31', 'w38'], fuzzy: false },
  { kind: 'not', of: equal('region', 'region 2') },
  { kind: 'and', of: [equal('region', 'region 2'), above('code', 'c5')] },
  { kind: 'and', of: [equal('region', 'region 2'), equal('level', 7)] },
  { kind: 'or', of: [equal('region', 'region 2'), equal('level', 7)] },
]

const ORDERS: readonly (readonly OrderTerm[])[] = [
  [],
  [by('region')],
  [by('notes', 'desc')],
  [by('level', 'desc'), by('region')],
]

/** Returns what every query finds in every order, in pages of 200. */
async function answers(things: StoreFixture, version?: number): Promise<unknown[]> {
  const found: unknown[] = []
  for (const query of QUERIES) {
    for (const order of ORDERS) {
      for (const includeTotalCount of [true, false]) {
        const request = { query, order, includeTotalCount, maxObjects: 200, version }
        const { keys, totalCounts } = await things.walk(request)
        found.push([keys, totalCounts])
      }
    }
  }
  return found
}

/** Loads objects as an import does. */
async function load(store: ObjectStore, things: StoreFixture, all: readonly object[]) {
  const replacement = await store.startReplacement(things.type)
  await things.put(all, { replacement })
  return store.publishReplacement(things.type, replacement, 'replace')
}

/** Opens a store with the same objects, all of which are indexed. */
async function openIndexed(path: string, properties: Record<string, PropertyDefinition>) {
  const store = openSqliteStore(path)
  const things = await createFixture(store, definitionOf(properties))
  await things.put([objectOf(0)])
  return { store, things }
}

it('answers the same without indexes: after a load, updates, a restart, and of a snapshot', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  const other = join(folder.path, 'indexed.db')
  const { store: plain, things: expected } = await openIndexed(other, PROPERTIES)
  await using _ = plain
  await expected.put(objects())
  const before = await answers(expected)
  const changed = [...objects(1, 300), { k: 'l', region: 'region 2', level: 7 }]
  await expected.put(changed)
  const after = await answers(expected)
  expect(columnsOf(other)).toEqual({ indexed: ['region', 'level', 'code', 'notes'], inBody: [] })

  let version = 0
  {
    await using store = openSqliteStore(path)
    const things = await createFixture(store, definitionOf(PROPERTIES))
    version = (await load(store, things, objects())).version
    expect(columnsOf(path)).toEqual({ indexed: ['code'], inBody: ['notes'] })
    expect(await answers(things)).toEqual(before)
    await things.put(changed)
    expect(await answers(things)).toEqual(after)
  }
  await using store = openSqliteStore(path)
  const things = await openFixture(store)
  expect(await answers(things)).toEqual(after)
  expect(await answers(things, version)).toEqual(before)
})

it('decides again for each load, and not for a type that grows', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  await using store = openSqliteStore(path)
  const things = await createFixture(store, definitionOf(PROPERTIES))
  await things.put(objects(0, 10))
  await things.put(objects())
  expect(columnsOf(path).indexed).toEqual(['region', 'level', 'code', 'notes'])
  await load(store, things, objects())
  expect(columnsOf(path).indexed).toEqual(['code'])
  const others = objects().map((object, number) => ({ ...object, region: `region ${number}` }))
  await load(store, things, others)
  expect(columnsOf(path)).toEqual({ indexed: ['region', 'code'], inBody: ['notes'] })
  await load(store, things, objects(0, 10))
  expect(columnsOf(path).indexed).toEqual(['region', 'level', 'code', 'notes'])
})

it('leaves properties without an index in a changed definition, unless they are other texts', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  await using store = openSqliteStore(path, { rewrittenAtOnceMax: 0 })
  const things = await createFixture(store, definitionOf(PROPERTIES))
  await load(store, things, objects())
  const change = async (properties: Record<string, PropertyDefinition>) => {
    const changed = definitionOf(properties)
    const catalogue = await store.readCatalogue()
    await store.saveOntology(planChange('things', changed, catalogue, randomUUID))
    await rewriteAll(store)
    return openFixture(store)
  }
  const before = await answers(things)
  const longs = await change({ ...PROPERTIES, level: { type: 'long' } })
  expect(columnsOf(path)).toEqual({ indexed: ['code'], inBody: ['notes'] })
  expect(await answers(longs)).toEqual(before)
  const items = { type: 'string' } as const
  const lists = await change({
    ...PROPERTIES,
    level: { type: 'long' },
    notes: { type: 'array', items },
    added: { type: 'string' },
  })
  expect(columnsOf(path)).toEqual({ indexed: ['code', 'notes', 'added'], inBody: [] })
  expect(await lists.readKeys({ query: equal('notes', notes) })).toEqual([objectOf(17).k])
})

it('leaves a property without an index that is added to many objects, until they are loaded', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  await using store = openSqliteStore(path, { rewrittenAtOnceMax: OBJECTS - 1 })
  const things = await createFixture(store, definitionOf(PROPERTIES))
  await things.put(objects())
  const before = columnsOf(path)
  const added = definitionOf({ ...PROPERTIES, added: { type: 'integer' } })
  const catalogue = await store.readCatalogue()
  await store.saveOntology(planChange('things', added, catalogue, randomUUID))
  expect(columnsOf(path)).toEqual(before)
  const changed = await openFixture(store)
  const numbered = objects().map((object, number) => ({ ...object, added: number }))
  await changed.put(numbered)
  expect(await changed.readKeys({ query: equal('added', 17) })).toEqual([objectOf(17).k])
  expect(columnsOf(path)).toEqual(before)
  await load(store, changed, numbered)
  expect(columnsOf(path).indexed).toContain('added')
})
