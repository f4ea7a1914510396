/** Sums and means of doubles of any size, against integers that hold all of their bits. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { doubleUnits, nearestDouble } from '../../../../test/support/double-units.ts'
import { fcOptions } from '../../../../test/support/fc-options.ts'
import { doubleJson } from '../../sql/group-writer.ts'
import type { NumberColumn } from '../segment/column.ts'
import { DoubleSums } from './double-sums.ts'

const MAX = Number.MAX_VALUE
const FLOAT_MAX = 3.4028234663852886e38

/** Values of about the same size, or of all sizes; some cancel each other. */
const values = fc
  .tuple(
    fc.constantFrom(-1074, -1040, -300, -60, 0, 1, 20, 62, 127, 800, 890, 1010),
    fc.constantFrom(0, 4, 60, 1000, 2100),
  )
  .chain(([exponent, spread]) =>
    fc.array(
      fc.oneof(
        {
          weight: 6,
          arbitrary: fc
            .tuple(
              fc.double({ min: 1, max: 2, noNaN: true }),
              fc.nat(spread),
              fc.constantFrom(1, -1),
            )
            .map(([fraction, more, sign]) => {
              const wanted = Math.min(exponent + more, 1023)
              const half = Math.trunc(wanted / 2)
              return sign * fraction * 2 ** half * 2 ** (wanted - half) + 0
            }),
        },
        { weight: 1, arbitrary: fc.constantFrom(0, 0.1, 5e-324, -5e-324, 2 ** 53, 2 ** 900) },
        { weight: 1, arbitrary: fc.constantFrom(MAX, -MAX, FLOAT_MAX, -FLOAT_MAX) },
      ),
      { maxLength: 60 },
    ),
  )
  .chain((some) => fc.shuffledSubarray([...some, ...some.map((value) => -value)]))

const segments = fc.array(
  values.map((own) => own.map((value, at) => ({ value, group: (at * at) % 3 }))),
  { minLength: 1, maxLength: 3 },
)

function add(sums: DoubleSums, rows: readonly { value: number; group: number }[]): void {
  const count = rows.length
  const column: NumberColumn = {
    kind: 'numbers',
    type: 'double',
    values: Float64Array.from(rows, ({ value }) => value),
    present: undefined,
    range: { isWhole: false, min: 0, max: 0 },
  }
  const selection = { from: 0, to: count, places: Int32Array.from(rows.keys()), count }
  const groups = Int32Array.from(rows, ({ group }) => group)
  sums.columnAdder(column)?.({ ...selection, gaps: new Int32Array(0), groups, groupsEnd: 3 })
}

it('sums and means are the doubles nearest to the exact ones, and compare like these', () => {
  fc.assert(
    fc.property(segments, fc.boolean(), (parts, isMean) => {
      const sums = new DoubleSums(isMean)
      sums.reserve(3)
      for (const rows of parts) add(sums, rows)
      const all = parts.flat()
      const exact = [0, 1, 2].map((group) => {
        const own = all.filter((row) => row.group === group)
        const units = own.reduce((sum, { value }) => sum + doubleUnits(value), 0n)
        return { units, count: own.length, divisor: isMean ? own.length : 1 }
      })
      sums.finish(Float64Array.from(exact, ({ count }) => count))
      for (const [group, { units, count, divisor }] of exact.entries()) {
        const expected = count === 0 ? undefined : doubleJson(nearestDouble(units, divisor))
        expect(sums.json(group)).toBe(expected)
        for (const [other, its] of exact.entries()) {
          if (count === 0 || its.count === 0) continue
          const [left, right] = [units * BigInt(its.divisor), its.units * BigInt(divisor)]
          expect(sums.compare(group, other)).toBe(left < right ? -1 : Number(left > right))
        }
      }
    }),
    fcOptions(2000),
  )
})

it('sums of many values carry', () => {
  const rows = Array.from({ length: 15_000 }, (_, n) => ({
    value: (n % 7 === 0 ? -1 : 1) * (0.1 + (n % 1000) * 1e9 + n / 1e6),
    group: n % 2,
  }))
  const sums = new DoubleSums(false)
  sums.reserve(3)
  for (let n = 0; n < 200; n += 1) add(sums, rows)
  sums.finish(Float64Array.of(1, 1, 1))
  for (const group of [0, 1]) {
    const own = rows.filter((row) => row.group === group)
    const units = own.reduce((sum, { value }) => sum + doubleUnits(value), 0n)
    expect(sums.json(group)).toBe(doubleJson(nearestDouble(200n * units, 1)))
  }
})
