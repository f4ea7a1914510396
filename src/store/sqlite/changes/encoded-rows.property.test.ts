import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeRows, type EncodedChange, encodeRows } from './encoded-rows.ts'

const COLUMNS = 3

const text = fc.string({ unit: 'grapheme', maxLength: 30 })
const value = fc.oneof(text, fc.double({ noNaN: true }), fc.bigInt({ min: 0n, max: 2n ** 62n }))

const put = fc.tuple(
  text,
  text,
  text,
  fc.option(text),
  text,
  fc.array(fc.option(value), { minLength: COLUMNS, maxLength: COLUMNS }),
  fc.integer(),
)
const deleted = fc.tuple(text)
/** Its column values are parts of the body, of any length and at any place. */
const repeating = fc
  .tuple(text, fc.nat(300_000), fc.string({ unit: 'grapheme', maxLength: 10_000 }))
  .map(([pk, before, repeated]) => {
    const body = `${'.'.repeat(before)}${repeated}.`
    const values = [repeated, body.slice(0, 20), repeated.slice(5, 60)]
    return [pk, 'id', 'key', null, body, values, 1] as const
  })

it('returns the changes that were encoded', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(put, deleted, repeating), { maxLength: 20 }), (changes) => {
      const decoded = decodeRows(encodeRows(changes, COLUMNS))
      const read = (change: EncodedChange) => (change.isPut ? change.readPut() : [change.pk])
      expect(decoded.map(read)).toEqual(changes)
      // In any order, and more than once.
      expect(decoded.toReversed().map(read)).toEqual(changes.toReversed())
    }),
  )
})
