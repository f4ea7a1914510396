import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { sortableDecimal } from '../../ontology/values/column-value.ts'
import { columnNumber, ratioToDouble } from './column-number.ts'

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), minLength: 1, maxLength })
const decimals = fc
  .tuple(fc.constantFrom('', '-'), digits(40), fc.option(digits(40), { nil: undefined }))
  .map(([sign, whole, fraction]) => sign + whole + (fraction === undefined ? '' : `.${fraction}`))

describe('column values as numbers', () => {
  it('are the nearest doubles', () => {
    fc.assert(
      fc.property(decimals, (text) => {
        expect(columnNumber('decimal', sortableDecimal(text))).toBe(Number(text) + 0)
      }),
      fcOptions(500),
    )
    expect(columnNumber('long', 9007199254740993n)).toBe(9007199254740992)
    expect(columnNumber('date', '1970-01-02')).toBe(86_400_000)
    expect(columnNumber('date', '0000-01-01')).toBe(-62_167_219_200_000)
    expect(columnNumber('timestamp', '1970-01-01T00:00:01.000500Z')).toBe(1000.5)
    expect(columnNumber('timestamp', '1969-12-31T23:59:59.999999Z')).toBe(-0.001)
    expect(columnNumber('double', 'NaN')).toBeNaN()
  })
})

describe('ratios', () => {
  it('are rounded once, half to even', () => {
    const two53 = 2n ** 53n
    expect(ratioToDouble(two53 + 1n, 1n)).toBe(2 ** 53)
    expect(ratioToDouble((two53 + 1n) * 10n ** 60n + 1n, 10n ** 60n)).toBe(2 ** 53 + 2)
    expect(ratioToDouble(-(two53 + 3n), 1n)).toBe(-(2 ** 53 + 4))
    expect(ratioToDouble(0n, 7n)).toBe(0)
    expect(ratioToDouble(1n, 3n)).toBe(1 / 3)
    expect(ratioToDouble(10n ** 100n, 1n)).toBe(1e100)
    expect(ratioToDouble(1n, 10n ** 100n)).toBe(1e-100)
  })

  it('can be as small or as large as any double, and too large for one', () => {
    const smallest = 2n ** 1074n
    expect(ratioToDouble(1n, smallest)).toBe(5e-324)
    expect(ratioToDouble(1n, 2n * smallest)).toBe(0)
    expect(ratioToDouble(3n, 2n * smallest)).toBe(1e-323)
    expect(ratioToDouble(5n, 2n * smallest)).toBe(1e-323)
    expect(ratioToDouble(10n ** 40n + 1n, 2n * smallest * 10n ** 40n)).toBe(5e-324)
    expect(ratioToDouble(2n ** 1024n - 2n ** 971n, 1n)).toBe(Number.MAX_VALUE)
    expect(ratioToDouble(2n ** 1024n, 1n)).toBe(Infinity)
  })

  it('of small numbers equal the division of doubles', () => {
    const safe = fc.maxSafeInteger()
    fc.assert(
      fc.property(safe, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (a, b) => {
        expect(ratioToDouble(BigInt(a), BigInt(b))).toBe(a / b + 0)
      }),
      fcOptions(1000),
    )
  })
})
