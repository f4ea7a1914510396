import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { isWithinRing } from '../../../query/matching/within-ring.ts'
import { migrate } from '../catalogue/migrate.ts'
import { Database } from '../driver/database.ts'

let place: TestStore
let database: Database
beforeAll(async () => {
  place = await createTestStore()
  database = new Database(place.name)
  await migrate(database)
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

/** Coarse numbers, so that points meet corners and edges; and tiny ones, whose products underflow. */
const coordinate = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -6, max: 6 }) },
  { weight: 2, arbitrary: fc.double({ min: -90, max: 90, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(5e-324, -5e-324, 1e-320, -1e-200, 1e-162, 3e-150, -0) },
)
const positions = fc.array(coordinate, { minLength: 2, maxLength: 8 })
const ring = fc
  .array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 8 })
  .map((corners) => [...corners, ...corners.slice(0, 1)].flat())

it('returns the same result as the service computes', async () => {
  const cases = fc.array(fc.record({ positions, ring }), { minLength: 30, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(cases, async (samples) => {
      const rows = await database.query(
        `SELECT oqs_within_any(c.positions::double precision[], c.ring::double precision[])
         FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS c (positions, ring, n) ORDER BY n`,
        [samples.map((one) => `{${one.positions}}`), samples.map((one) => `{${one.ring}}`)],
      )
      const expected = samples.map((one) => {
        const corners = Float64Array.from(one.ring)
        return one.positions.some(
          (longitude, at) =>
            at % 2 === 0 &&
            at + 1 < one.positions.length &&
            isWithinRing(longitude, one.positions[at + 1] ?? 0, corners),
        )
      })
      expect(rows.map(([within]) => within)).toEqual(expected)
    }),
    fcOptions(30),
  )
})

it('matches nothing without a position', async () => {
  const rows = await database.query(`SELECT oqs_within_any(NULL, '{0,0,1,0,1,1,0,0}')`)
  expect(rows).toEqual([[false]])
})
