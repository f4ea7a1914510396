import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../test/support/fc-options.ts'
import { type ColumnValue, columnValue } from '../ontology/values/column-value.ts'
import { scalarReader } from '../ontology/values/read-value.ts'
import { ratioToDouble } from './exact-number.ts'
import { columnJson, columnNumber } from './from-column.ts'

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), minLength: 1, maxLength })
const decimals = fc
  .tuple(fc.constantFrom('', '-'), digits(40), fc.option(digits(40), { nil: undefined }))
  .map(([sign, whole, fraction]) => sign + whole + (fraction === undefined ? '' : `.${fraction}`))

const column = (type: Parameters<typeof columnValue>[0], json: string): ColumnValue => {
  const value = columnValue(type, json)
  if (value === undefined) throw new Error('no column value')
  return value
}

describe('values from columns', () => {
  it('are what went in, decimals without needless zeros', () => {
    const values = fc.oneof(
      fc.record({ type: fc.constant('string' as const), value: fc.string() }),
      fc.record({ type: fc.constant('boolean' as const), value: fc.boolean() }),
      fc.record({ type: fc.constant('integer' as const), value: fc.integer() }),
      fc.record({
        type: fc.constant('long' as const),
        value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      }),
      fc.record({
        type: fc.constant('double' as const),
        value: fc.double().map((double) => (Number.isFinite(double) ? double : String(double))),
      }),
      fc.record({
        type: fc.constant('timestamp' as const),
        value: fc
          .tuple(fc.integer({ min: -6e10, max: 2e11 }), fc.integer({ min: 0, max: 999_999 }))
          .map(([seconds, micros]) => {
            const text = new Date(seconds * 1000).toISOString().slice(0, 19)
            return `${text}.${String(micros).padStart(6, '0')}Z`
          }),
      }),
    )
    fc.assert(
      fc.property(values, ({ type, value }) => {
        fc.pre(value !== '\0' && !String(value).includes('\0'))
        const json = scalarReader(type)(value)
        expect(columnJson(type, column(type, json))).toBe(json)
      }),
      fcOptions(500),
    )
    fc.assert(
      fc.property(decimals, (text) => {
        const json = scalarReader('decimal')(text)
        const shown = columnJson('decimal', column('decimal', json))
        const shortest = json.includes('.') ? json.replace(/\.?0*"$/, '"') : json
        expect(shown).toBe(shortest)
      }),
      fcOptions(500),
    )
  })

  it('are the nearest doubles', () => {
    fc.assert(
      fc.property(decimals, (text) => {
        const json = scalarReader('decimal')(text)
        expect(columnNumber('decimal', column('decimal', json))).toBe(Number(text) + 0)
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

  it('of small numbers are what the machine divides', () => {
    const safe = fc.maxSafeInteger()
    fc.assert(
      fc.property(safe, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (a, b) => {
        expect(ratioToDouble(BigInt(a), BigInt(b))).toBe(a / b + 0)
      }),
      fcOptions(1000),
    )
  })
})
