import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import type { ScalarType } from '../definition/property-type.ts'
import type { ColumnValue } from './column-value.ts'
import { columnJson, scalarCodec } from './scalar-codec.ts'

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), minLength: 1, maxLength })
const decimals = fc
  .tuple(fc.constantFrom('', '-'), digits(40), fc.option(digits(40), { nil: undefined }))
  .map(([sign, whole, fraction]) => sign + whole + (fraction === undefined ? '' : `.${fraction}`))

/** Encodes a value: its JSON text, and its column value. */
function encode(type: ScalarType, value: unknown): { json: string; column: ColumnValue } {
  const { parse, toJson, column } = scalarCodec(type)
  if (column === undefined) throw new Error(`${type} has no column values`)
  const parsed = parse(value)
  return { json: toJson(parsed), column: column.encode(parsed) }
}

describe('decoded column values', () => {
  it('equal the encoded values, decimals without trailing zeros', () => {
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
        const { json, column } = encode(type, value)
        expect(columnJson(type, column)).toBe(json)
      }),
      fcOptions(500),
    )
    fc.assert(
      fc.property(decimals, (text) => {
        const { json, column } = encode('decimal', text)
        const shown = columnJson('decimal', column)
        const shortest = json.includes('.') ? json.replace(/\.?0*"$/, '"') : json
        expect(shown).toBe(shortest)
      }),
      fcOptions(500),
    )
  })
})
