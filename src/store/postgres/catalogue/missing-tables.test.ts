import { afterEach, describe, expect, inject, it } from 'vitest'
import { runSql } from '../../../../test/support/postgres.ts'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import type { Query } from '../../../query/query.ts'
import { openPostgresStore } from '../postgres-store.ts'

let place: TestStore | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

describe('a store', () => {
  it('answers 503 while its tables are missing, for example during a restore', async () => {
    place = await createTestStore()
    await using store = await openPostgresStore(place.name)
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    const gone = { errorName: 'ServiceUnavailable', cause: { code: '42P01' } }
    await runSql(place.name, 'ALTER TABLE oqs_object_1 RENAME TO elsewhere')
    await expect(things.readPairs()).rejects.toMatchObject(gone)
    await runSql(place.name, 'ALTER TABLE elsewhere RENAME TO oqs_object_1')
    expect(await things.readPairs()).toEqual(['a=1'])
    await runSql(place.name, 'ALTER TABLE oqs_object_type RENAME TO elsewhere')
    await expect(things.readPairs()).rejects.toMatchObject(gone)
    await expect(things.commit([['a', '2']])).rejects.toMatchObject(gone)
    await runSql(place.name, 'ALTER TABLE elsewhere RENAME TO oqs_object_type')
    expect(await things.readPairs()).toEqual(['a=1'])
  })

  describe.each(['read', 'written', 'read as of a version'] as const)('%s first', (first) => {
    it('never reads a leftover table with the name of one that is not created yet', async () => {
      place = await createTestStore()
      await using store = await openPostgresStore(place.name)
      const others = await createFixture(store)
      await others.commit([
        ['a', 'of another'],
        ['b', 'of another'],
      ])
      // The catalogue is restored to a state from before the table was created; the table remains.
      const things = await createFixture(store, OTHER_THINGS)
      await runSql(place.name, [
        'CREATE TABLE oqs_object_2 (LIKE oqs_object_1 INCLUDING ALL)',
        'ALTER TABLE oqs_object_2 RENAME COLUMN p2 TO p4',
        'INSERT INTO oqs_object_2 SELECT * FROM oqs_object_1',
      ])
      if (first === 'read') expect(await things.readPairs()).toEqual([])
      if (first === 'read as of a version')
        expect(await things.readPairs({ version: 0 })).toEqual([])
      await things.commit([['a', 'mine']])
      for (const version of [undefined, 1])
        expect(await things.readPairs({ version })).toEqual(['a=mine'])
      expect(await things.readPairs({ version: 0 })).toEqual([])
      expect(await others.readPairs()).toEqual(['a=of another', 'b=of another'])
    })
  })

  it('does not read a leftover table that it has read before an older state was restored', async () => {
    place = await createTestStore()
    await using store = await openPostgresStore(place.name, { pageCacheBytes: 0 })
    const things = await createFixture(store)
    await things.commit([['a', '1']])
    expect(await things.readPairs()).toEqual(['a=1'])
    await runSql(place.name, [
      'UPDATE oqs_object_type SET published = 0, last_version = 0',
      'UPDATE oqs_object_table SET is_created = FALSE, live_count = 0',
      'DELETE FROM oqs_commit_log',
    ])
    expect(await things.readPairs()).toEqual([])
    await things.commit([['b', '2']])
    expect(await things.readPairs()).toEqual(['b=2'])
  })

  if (inject('store') === 'citus') {
    it('creates functions on workers that existed before Citus was installed', async () => {
      place = await createTestStore()
      const withoutCitus = new URL(place.name)
      const options = `${withoutCitus.searchParams.get('options')} -c citus.enable_ddl_propagation=off`
      withoutCitus.searchParams.set('options', options)
      await (await openPostgresStore(withoutCitus.href))[Symbol.asyncDispose]()
      await using store = await openPostgresStore(place.name)
      const things = await createFixture(store, PLACES)
      const points = [5, 50].map((n) => ({
        k: `k${n}`,
        at: { type: 'Point', coordinates: [n, n] },
      }))
      await things.put(points)
      const ring = [
        [0, 0],
        [9, 0],
        [9, 9],
        [0, 9],
        [0, 0],
      ] as const
      const query: Query = {
        kind: 'geo',
        field: { property: 'at', structField: undefined },
        relation: 'within',
        area: { kind: 'shape', members: [{ isPolygon: true, paths: [ring] }] },
      }
      expect(await things.readKeys({ query })).toEqual(['k5'])
    })
  }
})

const OTHER_THINGS = {
  apiName: 'others',
  objectTypes: [
    {
      apiName: 'other',
      primaryKey: 'k',
      properties: { k: { type: 'string' as const }, text: { type: 'string' as const } },
    },
  ],
}

const PLACES = {
  apiName: 'places',
  objectTypes: [
    {
      apiName: 'place',
      primaryKey: 'k',
      properties: { k: { type: 'string' as const }, at: { type: 'geopoint' as const } },
    },
  ],
}
