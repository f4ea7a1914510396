import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { microsecondsOf, microsecondsSql, timestampSql } from './property-sql.ts'

const first = Date.parse('0000-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

/** Column values of timestamps, with microseconds. */
const timestamps = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: first, max: last }),
      fc.integer({ min: -2000, max: 2000 }),
      fc.constantFrom(first, last, Date.parse('2024-02-29T23:59:59.999Z')),
    ),
    fc.oneof(fc.constantFrom(0, 999), fc.integer({ min: 0, max: 999 })),
  )
  .map(([milliseconds, microseconds]) => {
    const text = new Date(milliseconds).toISOString().slice(0, -1)
    return `${text}${String(microseconds).padStart(3, '0')}Z`
  })

it('turns timestamps into integers with the same order and back, in JavaScript as in SQLite', () => {
  using db = new DatabaseSync(':memory:')
  const convert = db.prepare(`SELECT ${microsecondsSql('t')} AS us FROM (SELECT ? AS t)`)
  convert.setReadBigInts(true)
  const convertBack = db.prepare(`SELECT ${timestampSql('us')} AS t FROM (SELECT ? AS us)`)
  fc.assert(
    fc.property(timestamps, timestamps, (a, b) => {
      const [x, y] = [BigInt(microsecondsOf(a)), BigInt(microsecondsOf(b))]
      expect(x < y).toBe(a < b)
      expect(x === y).toBe(a === b)
      expect(convert.get(a)?.['us']).toBe(x)
      expect(convertBack.get(x)?.['t']).toBe(a)
    }),
    fcOptions(500, 2000),
  )
})
