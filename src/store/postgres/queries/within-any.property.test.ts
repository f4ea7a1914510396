import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { type StorePlace, storePlace } from '../../../../test/support/store-place.ts'
import { isWithinRing } from '../../../query/matching/within-ring.ts'
import { migrate } from '../catalogue/migrate.ts'
import { Database } from '../driver/database.ts'

let place: StorePlace
let database: Database
beforeAll(async () => {
  place = await storePlace()
  database = new Database(place.name)
  await migrate(database)
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

/** Coarse numbers, so that points meet corners and edges; and the smallest ones, which multiply to nothing. */
const coordinate = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -6, max: 6 }) },
  { weight: 2, arbitrary: fc.double({ min: -90, max: 90, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(5e-324, -5e-324, 1e-320, -1e-200, 1e-162, 3e-150, -0) },
)
const places = fc.array(coordinate, { minLength: 2, maxLength: 8 })
const ring = fc
  .array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 8 })
  .map((corners) => [...corners, ...corners.slice(0, 1)].flat())

it('gives the same answer as the arithmetic of the service', async () => {
  const cases = fc.array(fc.record({ places, ring }), { minLength: 30, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(cases, async (some) => {
      const rows = await database.one(
        `SELECT oqs_within_any(c.places::double precision[], c.ring::double precision[])
         FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS c (places, ring, n) ORDER BY n`,
        [some.map((one) => `{${one.places}}`), some.map((one) => `{${one.ring}}`)],
      )
      const expected = some.map((one) => {
        const corners = Float64Array.from(one.ring)
        return one.places.some(
          (longitude, at) =>
            at % 2 === 0 &&
            at + 1 < one.places.length &&
            isWithinRing(longitude, one.places[at + 1] ?? 0, corners),
        )
      })
      expect(rows.map(([within]) => within)).toEqual(expected)
    }),
    fcOptions(30),
  )
})

it('finds nothing where there is no place', async () => {
  const rows = await database.one(`SELECT oqs_within_any(NULL, '{0,0,1,0,1,1,0,0}')`)
  expect(rows).toEqual([[false]])
})
