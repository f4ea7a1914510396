import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeSetPosition, encodeSetPosition } from './set-cursor.ts'

it('decodes every position that it encodes', () => {
  const positions = fc.record({
    part: fc.nat({ max: 99 }),
    pk: fc.string({ unit: 'binary' }),
    versions: fc.option(fc.array(fc.maxSafeNat(), { minLength: 1, maxLength: 100 }), {
      nil: undefined,
    }),
  })
  fc.assert(
    fc.property(positions, (position) => {
      expect(decodeSetPosition(encodeSetPosition(position))).toEqual(position)
    }),
  )
})
