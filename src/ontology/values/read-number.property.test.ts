import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { scalarReader } from './read-value.ts'

const readLong = scalarReader('long')
const readDecimal = scalarReader('decimal')

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength })

/** The value of a decimal as exact integers: unscaled digits and scale. */
function exactValue(decimal: string): { unscaled: bigint; scale: number } {
  const [whole = '', fraction = ''] = decimal.replace('+', '').split('.')
  return { unscaled: BigInt(`${whole}${fraction}`), scale: fraction.length }
}

describe('parsing numbers', () => {
  it('keeps the value of every integer, sent as a number or as text', () => {
    const read = scalarReader('integer')
    const integer = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
    fc.assert(
      fc.property(integer, (number) => {
        expect(JSON.parse(read(number))).toBe(number)
        expect(read(String(number))).toBe(read(number))
      }),
      fcOptions(1000),
    )
  })

  it('keeps the value of every long, and refuses every integer outside the range', () => {
    const whole = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n })
    fc.assert(
      fc.property(fc.oneof(whole, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (n) => {
        if (BigInt.asIntN(64, n) === n) {
          expect(readLong(String(n))).toBe(`"${n}"`)
        } else {
          expect(() => readLong(String(n))).toThrow(/^is outside long/)
        }
      }),
      fcOptions(1000),
    )
  })

  it('never changes a long that arrives as a JSON number', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        expect(readLong(number)).toBe(`"${BigInt(number)}"`)
      }),
      fcOptions(1000),
    )
  })

  it('keeps the value and the scale of every decimal', () => {
    const decimal = fc
      .tuple(fc.constantFrom('', '+', '-'), digits(100), fc.option(digits(100)))
      .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`)
    fc.assert(
      fc.property(decimal, (text) => {
        const stored: string = JSON.parse(readDecimal(text))
        expect(exactValue(stored)).toEqual(exactValue(text))
        expect(readDecimal(stored)).toBe(`"${stored}"`)
      }),
      fcOptions(1000),
    )
  })

  it('preserves every double, except minus zero, which becomes zero', () => {
    const read = scalarReader('double')
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(JSON.parse(read(number))).toBe(number === 0 ? 0 : number)
        expect(read(String(number))).toBe(read(number))
      }),
      fcOptions(2000),
    )
  })

  it('accepts every single-precision number as a float', () => {
    const read = scalarReader('float')
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(JSON.parse(read(number))).toBe(number === 0 ? 0 : number)
      }),
      fcOptions(2000),
    )
  })
})
