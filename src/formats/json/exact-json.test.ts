import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { mayLoseDigits, parseExactly } from './exact-json.ts'

it('parses integers of any size exactly', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })), (numbers) => {
      const { value } = parseExactly(`[${numbers.join(',')}]`)
      expect((value as (number | bigint)[]).map(BigInt)).toEqual(numbers)
    }),
    fcOptions(200),
  )
})

it('parses everything else like JSON.parse', () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      const { value, hasBigIntegers } = parseExactly(text)
      if (!hasBigIntegers) expect(value).toEqual(JSON.parse(text))
    }),
    fcOptions(200),
  )
  const { value, hasBigIntegers } = parseExactly('{"a":"12345678901234567890","b":1e30,"c":0.1}')
  expect([value, hasBigIntegers]).toEqual([{ a: '12345678901234567890', b: 1e30, c: 0.1 }, false])
})

it('finds sixteen digits in a row anywhere', () => {
  const pieces = fc.oneof(
    fc.integer({ min: 1, max: 20 }).map((digits) => '9'.repeat(digits)),
    fc.string({ maxLength: 20 }),
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), (texts) => {
      const text = texts.join('')
      expect(mayLoseDigits(text)).toBe(/\d{16}/.test(text))
    }),
    fcOptions(1000),
  )
})
