import { afterEach, describe, expect, inject, it } from 'vitest'
import { runSql } from '../../../test/support/postgres.ts'
import { fixture } from '../../../test/support/store-fixture.ts'
import { type StorePlace, storePlace } from '../../../test/support/store-place.ts'
import { openPostgresStore } from './open.ts'

/** What somebody took away, or never brought. */

let place: StorePlace | undefined
afterEach(async () => {
  await place?.[Symbol.asyncDispose]()
  place = undefined
})

describe('a store', () => {
  it('cannot answer for now when its tables are gone, as while a backup is restored', async () => {
    place = await storePlace()
    await using store = await openPostgresStore(place.name)
    const things = await fixture(store)
    await things.commit([['a', '1']])
    const gone = { errorName: 'ServiceUnavailable', cause: { code: '42P01' } }
    await runSql(place.name, 'ALTER TABLE oqs_object_1 RENAME TO elsewhere')
    await expect(things.show()).rejects.toMatchObject(gone)
    await runSql(place.name, 'ALTER TABLE elsewhere RENAME TO oqs_object_1')
    expect(await things.show()).toEqual(['a=1'])
    await runSql(place.name, 'ALTER TABLE oqs_object_type RENAME TO elsewhere')
    await expect(things.show()).rejects.toMatchObject(gone)
    await expect(things.commit([['a', '2']])).rejects.toMatchObject(gone)
    await runSql(place.name, 'ALTER TABLE elsewhere RENAME TO oqs_object_type')
    expect(await things.show()).toEqual(['a=1'])
  })

  if (inject('store') === 'citus') {
    it('gives workers the functions that were made before Citus was there', async () => {
      place = await storePlace()
      const alone = new URL(place.name)
      const options = `${alone.searchParams.get('options')} -c citus.enable_ddl_propagation=off`
      alone.searchParams.set('options', options)
      await (await openPostgresStore(alone.href))[Symbol.asyncDispose]()
      await using store = await openPostgresStore(place.name)
      const things = await fixture(store, PLACES)
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
      expect(await things.keys({ query: { kind: 'withinPolygon', ring } })).toEqual(['k5'])
    })
  }
})

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
