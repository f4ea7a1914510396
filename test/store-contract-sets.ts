/** The part of the store contract about object sets: lists of values and ids, and linked objects. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { planChange } from '../src/ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import { objectId } from '../src/ontology/definition/rid.ts'
import type { ObjectType } from '../src/ontology/ontology.ts'
import { objectReader, readObjectKey } from '../src/ontology/values/read-object.ts'
import { readComparedValue } from '../src/query/compared-value.ts'
import type { LinkedQuery, Query } from '../src/query/query.ts'
import type { ObjectStore, ReadPageRequest, StoredPage } from '../src/store/object-store.ts'
import type { StoreUnderTest } from './store-contract.ts'
import { groupsOf } from './support/groups-of.ts'
import { createFixture, pageRequest, retention } from './support/store-fixture.ts'

const COMPANY: OntologyDefinition = {
  apiName: 'company',
  objectTypes: [
    {
      apiName: 'person',
      primaryKey: 'id',
      properties: {
        id: { type: 'integer' },
        office: { type: 'string' },
        name: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
    {
      apiName: 'office',
      primaryKey: 'code',
      properties: { code: { type: 'string' }, city: { type: 'string' } },
    },
  ],
}

interface Company {
  readonly person: ObjectType
  readonly office: ObjectType
  put(type: ObjectType, objects: readonly object[]): Promise<number>
  delete(type: ObjectType, key: unknown): Promise<number>
  read(type: ObjectType, request: Partial<ReadPageRequest>): Promise<StoredPage | 'reclaimed'>
  keys(type: ObjectType, request: Partial<ReadPageRequest>): Promise<unknown[]>
}

async function openCompany(store: ObjectStore): Promise<Company> {
  const change = planChange('company', COMPANY, await store.readCatalogue(), randomUUID)
  await store.saveOntology(change)
  const catalogue = await store.readCatalogue()
  const { generation: basedOn } = catalogue
  const typeOf = (name: string) => {
    const type = catalogue.find('company')?.objectTypes.get(name)
    if (type === undefined) throw new Error(`no type ${name}`)
    return type
  }
  const read = (type: ObjectType, request: Partial<ReadPageRequest>) =>
    store.readPage(pageRequest(type, request))
  return {
    person: typeOf('person'),
    office: typeOf('office'),
    put: async (objectType, objects) => {
      const changes = objects.map((object) => ({ put: objectReader(objectType)(object) }))
      return (await store.commit({ objectType, changes, basedOn })).version
    },
    delete: async (objectType, key) => {
      const changes = [{ delete: readObjectKey(objectType, key).pk }]
      return (await store.commit({ objectType, changes, basedOn })).version
    },
    read,
    keys: async (type, request) => {
      const page = await read(type, request)
      if (page === 'reclaimed') throw new Error('reclaimed')
      const records = JSON.parse(`[${Buffer.from(page.records)}]`) as {
        properties: Record<string, unknown>
      }[]
      return records.map(({ properties }) => properties[type.primaryKey.apiName])
    },
  }
}

const equals = (property: string, value: string): Query => ({
  kind: 'compare',
  field: { property, structField: undefined },
  operator: 'eq',
  value,
})

/** The people of the offices that a query selects. */
const peopleOf = ({ office }: Company, of: Query): LinkedQuery => ({
  kind: 'linked',
  property: 'office',
  linkedType: office,
  linkedProperty: 'code',
  of,
})

/** The offices of the people that a query selects. */
const officesOf = ({ person }: Company, of: Query): LinkedQuery => ({
  kind: 'linked',
  property: 'code',
  linkedType: person,
  linkedProperty: 'office',
  of,
})

const PEOPLE = [
  { id: 1, office: 'A', name: 'Ada Lovelace', tags: ['x', 'y'] },
  { id: 2, office: 'B', name: 'Bob' },
  { id: 3, office: 'A', name: 'Cyd', tags: ['z'] },
  { id: 4, name: 'Dan' },
  { id: 5, office: 'gone', name: 'Eve' },
]
const OFFICES = [
  { code: 'A', city: 'Zürich' },
  { code: 'B', city: 'Geneva' },
  { code: 'C', city: 'Zürich' },
]

async function filledCompany(store: ObjectStore): Promise<Company> {
  const company = await openCompany(store)
  // Earlier row versions must match only as of their own version.
  await company.put(
    company.person,
    PEOPLE.map(({ id }) => ({ id, office: 'C', name: 'nobody' })),
  )
  await company.put(
    company.office,
    OFFICES.map(({ code }) => ({ code, city: 'nowhere' })),
  )
  await company.put(company.person, PEOPLE)
  await company.put(company.office, OFFICES)
  return company
}

export function objectSetContract({ name, open }: StoreUnderTest): void {
  describe(`the ${name} store: object sets`, () => {
    it('finds objects with one of several values, of every scalar type', async () => {
      await using store = await open()
      const samples = {
        string: ['a', '', 'quote " comma , brace } back \\ slash', 'ü\u{1f600}\n', 'NULL'],
        boolean: [true, false],
        integer: [-2147483648, 0, 2147483647],
        long: ['-9223372036854775808', '9007199254740993', '9223372036854775807'],
        double: ['-Infinity', -1.5, 0, 5e-324, 0.1, 'Infinity', 'NaN'],
        decimal: ['-10.5', '0', '9.25', '100'],
        date: ['0001-01-01', '2024-02-29'],
        timestamp: ['1999-12-31T23:59:59.999999Z', '2000-01-01T00:00:00Z'],
      } as const
      const types = Object.keys(samples) as (keyof typeof samples)[]
      const things = await createFixture(store, {
        apiName: 'samples',
        objectTypes: [
          {
            apiName: 'sample',
            primaryKey: 'k',
            properties: {
              k: { type: 'string' },
              ...Object.fromEntries(types.map((type) => [type, { type }])),
              ...Object.fromEntries(
                types.map((type) => [`${type}s`, { type: 'array', items: { type } }]),
              ),
            },
          },
        ],
      })
      const objects = types.flatMap((type) =>
        samples[type].map((value, n) => ({
          k: `${type}${n}`,
          [type]: value,
          [`${type}s`]: [value],
        })),
      )
      await things.put(objects)
      const oneOf = (type: keyof typeof samples, property: string, values: readonly unknown[]) =>
        things.readKeys({
          query: {
            kind: 'oneOf',
            field: { property, structField: undefined },
            values: values.map((value) => readComparedValue(type, value)),
          },
        })
      for (const type of types) {
        const all = samples[type].map((_, n) => `${type}${n}`)
        for (const property of [type, `${type}s`]) {
          expect(await oneOf(type, property, samples[type])).toEqual(all)
          expect(await oneOf(type, property, samples[type].slice(1))).toEqual(all.slice(1))
          expect(await oneOf(type, property, samples[type].slice(0, 1))).toEqual(all.slice(0, 1))
          expect(await oneOf(type, property, [])).toEqual([])
        }
      }
    })

    it('finds objects by id, in pages, and counts them', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const keys = Array.from({ length: 300 }, (_, n) => `k${String(n).padStart(3, '0')}`)
      await things.commit(keys.map((key) => [key, 'x']))
      await things.commit([['k004', null]])
      const ids = keys.filter((_, n) => n % 2 === 0).map((key) => objectId(things.type.rid, key))
      const unknown = Array.from({ length: 10_000 - ids.length }, (_, n) =>
        objectId('other', `${n}`),
      )
      const query: Query = { kind: 'objectIds', ids: [...ids, ...unknown] }
      const found = await things.walk({ query, maxObjects: 40 })
      expect(found.keys).toEqual(keys.filter((key, n) => n % 2 === 0 && key !== 'k004'))
      expect(found.totalCounts).toEqual([149])
      expect(await things.readKeys({ query, version: 1, maxObjects: 3 })).toEqual([
        'k000',
        'k002',
        'k004',
      ])
      expect(await things.readKeys({ query: { kind: 'not', of: query }, maxObjects: 3 })).toEqual([
        'k001',
        'k003',
        'k005',
      ])
    })

    it('combines many ids with other conditions', async () => {
      await using store = await open()
      const things = await createFixture(store)
      const keys = Array.from({ length: 600 }, (_, n) => `k${String(n).padStart(3, '0')}`)
      const textOf = (n: number) => (n % 5 === 0 ? 'rare' : 'common')
      await things.commit(keys.slice(0, 500).map((key, n) => [key, textOf(n)]))
      // Rows of later versions have an index of ids of their own on SQLite.
      const before = await things.commit(keys.slice(490).map((key, n) => [key, textOf(490 + n)]))
      await things.commit([
        ['k000', null],
        ['k004', null],
      ])
      const isListed = (n: number) => n % 2 === 0
      const isShort = (n: number) => n % 40 < 2
      const idsOf = (includes: (n: number) => boolean): Query => ({
        kind: 'objectIds',
        ids: keys.filter((_, n) => includes(n)).map((key) => objectId(things.type.rid, key)),
      })
      const ids = idsOf(isListed)
      const rare = equals('text', 'rare')
      const word: Query = {
        kind: 'text',
        field: undefined,
        match: 'allTerms',
        terms: ['common'],
        fuzzy: false,
      }
      const all = (...of: Query[]): Query => ({ kind: 'and', of })
      const no = (of: Query): Query => ({ kind: 'not', of })
      const cases: [Query, (n: number) => boolean][] = [
        [ids, isListed],
        [no(ids), (n) => !isListed(n)],
        [all(ids, rare), (n) => isListed(n) && n % 5 === 0],
        [all(rare, no(ids)), (n) => !isListed(n) && n % 5 === 0],
        [all(no(rare), no(ids)), (n) => !isListed(n) && n % 5 !== 0],
        [all(word, ids), (n) => isListed(n) && n % 5 !== 0],
        [all(ids, idsOf(isShort)), (n) => isListed(n) && isShort(n)],
        [all(idsOf(isShort), no(ids)), (n) => !isListed(n) && isShort(n)],
        [{ kind: 'or', of: [all(ids, rare), no(ids)] }, (n) => !isListed(n) || n % 5 === 0],
      ]
      const order = [{ property: 'text', direction: 'desc', nulls: 'last' }] as const
      for (const [query, matches] of cases) {
        const past = keys.filter((_, n) => matches(n))
        const current = past.filter((key) => key !== 'k000' && key !== 'k004')
        const walked = await things.walk({ query, maxObjects: 40 })
        expect(walked).toEqual({ keys: current, totalCounts: [current.length] })
        const uncounted = { query, maxObjects: 70, includeTotalCount: false }
        expect((await things.walk(uncounted)).keys).toEqual(current)
        expect((await things.walk({ ...uncounted, version: before.version })).keys).toEqual(past)
        const ordered = await things.walk({ ...uncounted, order })
        expect(ordered.keys.toSorted()).toEqual(current)
      }
    })

    it('follows links in both directions, and back', async () => {
      await using store = await open()
      const company = await filledCompany(store)
      const { person, office, keys } = company
      const zurich = peopleOf(company, equals('city', 'Zürich'))
      expect(await keys(person, { query: zurich })).toEqual([1, 3])
      expect(await keys(person, { query: { kind: 'not', of: zurich } })).toEqual([2, 4, 5])
      const everything: Query = { kind: 'everything' }
      expect(await keys(person, { query: peopleOf(company, everything) })).toEqual([1, 2, 3])
      const ada: Query = {
        kind: 'text',
        field: undefined,
        match: 'anyTerm',
        terms: ['lovelase'],
        fuzzy: true,
      }
      expect(await keys(office, { query: officesOf(company, ada) })).toEqual(['A'])
      const tagged: Query = {
        kind: 'oneOf',
        field: { property: 'tags', structField: undefined },
        values: ['z', 'q'],
      }
      expect(await keys(office, { query: officesOf(company, tagged) })).toEqual(['A'])
      const colleagues = peopleOf(company, officesOf(company, ada))
      expect(await keys(person, { query: colleagues })).toEqual([1, 3])
      const others: Query = { kind: 'and', of: [colleagues, { kind: 'not', of: ada }] }
      expect(await keys(person, { query: others })).toEqual([3])
      const lonely: Query = { kind: 'not', of: officesOf(company, everything) }
      expect(await keys(office, { query: lonely })).toEqual(['C'])
      for (const [type, query, count] of [
        [person, zurich, 2],
        [person, { kind: 'or', of: [zurich, equals('name', 'Dan')] }, 3],
        [office, lonely, 1],
      ] as const) {
        expect(await company.read(type, { query, maxObjects: 1 })).toMatchObject({
          totalCount: count,
        })
      }
    })

    it('reads linked types without objects, before and after their first commit', async () => {
      await using store = await open()
      const company = await openCompany(store)
      const { person, office } = company
      await company.put(person, PEOPLE)
      const everything: Query = { kind: 'everything' }
      const query = peopleOf(company, everything)
      expect(await company.read(person, { query })).toMatchObject({ count: 0, linkedVersions: [0] })
      expect(await company.keys(person, { query: { kind: 'not', of: query } })).toHaveLength(5)
      expect(await company.keys(office, { query: officesOf(company, everything) })).toEqual([])
      await company.put(office, OFFICES)
      expect(await company.keys(person, { query })).toEqual([1, 2, 3])
      // The version before the first commit has no offices.
      const first = { query, version: 1, linkedVersions: [0] }
      expect(await company.keys(person, first)).toEqual([])
    })

    it('reads every type as of its own version, and refuses versions that are reclaimed', async () => {
      await using store = await open()
      const company = await filledCompany(store)
      const { person, office } = company
      const query = peopleOf(company, equals('city', 'Zürich'))
      const start = await company.read(person, { query, maxObjects: 1 })
      expect(start).toMatchObject({ count: 1, more: true, version: 2, linkedVersions: [2] })
      if (start === 'reclaimed') throw new Error('reclaimed')
      const { version, linkedVersions } = start
      const rest = { query, version, linkedVersions, after: start.last }
      await company.put(office, [{ code: 'A', city: 'Basel' }])
      await company.delete(office, 'B')
      expect(await company.keys(person, rest)).toEqual([3])
      expect(await company.keys(person, { query })).toEqual([])
      const replacement = await store.startReplacement(office)
      const { generation: basedOn } = await store.readCatalogue()
      const changes = [{ put: objectReader(office)({ code: 'B', city: 'Zürich' }) }]
      await store.commit({ objectType: office, changes, basedOn, replacement })
      await store.publishReplacement(office, replacement)
      expect(await company.keys(person, { query })).toEqual([2])
      expect(await company.keys(person, rest)).toEqual([3])
      await store.reclaim(retention(0, 1000))
      expect(await company.keys(person, rest)).toEqual([3])
      await store.reclaim(retention(2000, 1000))
      expect(await company.read(person, rest)).toBe('reclaimed')
      // The version of the own type is still the latest.
      expect(await company.keys(person, { query, version })).toEqual([2])
    })

    it('aggregates linked objects', async () => {
      await using store = await open()
      const company = await filledCompany(store)
      const result = await store.aggregate({
        sources: [
          { objectType: company.person, query: peopleOf(company, equals('city', 'Zürich')) },
        ],
        aggregation: { metrics: [{ kind: 'count', name: 'count' }], groupings: [] },
        maxGroups: 10,
      })
      expect(groupsOf(result)[0]?.metrics).toEqual([2])
    })
  })
}
