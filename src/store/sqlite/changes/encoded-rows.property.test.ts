import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type PutMessage, TERMS } from './change-message.ts'
import { decodeRows, type EncodedChange, encodeRows } from './encoded-rows.ts'

const COLUMNS = 3

const text = fc.string({ unit: 'grapheme', maxLength: 30 })
const value = fc.oneof(text, fc.double({ noNaN: true }), fc.bigInt({ min: 0n, max: 2n ** 62n }))
const fieldOf = <T>(values: fc.Arbitrary<T>) =>
  fc.tuple(text, fc.option(text, { nil: undefined }), fc.array(values, { maxLength: 3 }))

const put = fc.tuple(
  text,
  text,
  text,
  fc.option(text),
  text,
  fc.array(fc.option(value), { minLength: COLUMNS, maxLength: COLUMNS }),
  fc.array(fieldOf(value), { maxLength: 2 }),
  // The texts of encoded puts are cut into terms already.
  fc.constant([]),
  fc.array(fc.double({ noNaN: true }), { maxLength: 4 }),
  fc.uint8Array({ maxLength: 20 }),
  fc.integer(),
)
const deleted = fc.tuple(text)

it('returns the changes that were encoded', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(put, deleted), { maxLength: 20 }), (changes) => {
      const terms = changes.flatMap((change) => (change.length === 1 ? [] : [...change[9]]))
      const encoded = encodeRows(changes.map(withTermBytes), COLUMNS)
      const decoded = decodeRows({ ...encoded, terms: Uint8Array.from(terms) })
      const read = (change: EncodedChange) => (change.isPut ? change.readPut() : [change.pk])
      expect(decoded.map(read)).toEqual(changes)
      // In any order, and more than once.
      expect(decoded.toReversed().map(read)).toEqual(changes.toReversed())
    }),
  )
})

/** Replaces the terms of a put by the number of their bytes. */
function withTermBytes(change: PutMessage<Uint8Array> | readonly [string]) {
  if (change.length === 1) return change
  return change.with(TERMS, change[TERMS].length) as unknown as PutMessage<number>
}
