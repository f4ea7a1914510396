import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeRelevanceCursor, encodeRelevanceCursor } from './relevance-cursor.ts'

it('decodes every cursor that it encodes', () => {
  const cursors = fc.record({
    tier: fc.nat({ max: 9 }),
    pk: fc.string({ unit: 'binary' }),
    objects: fc.nat(),
    ranked: fc.option(
      fc.record({
        score: fc.nat(),
        averageLength: fc.nat(),
        weights: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
      }),
      { nil: undefined },
    ),
  })
  fc.assert(
    fc.property(cursors, (cursor) => {
      expect(decodeRelevanceCursor(encodeRelevanceCursor(cursor))).toEqual(cursor)
    }),
  )
})

it('writes its numbers in base 36 before the key', () => {
  const ranked = { score: 36, averageLength: 37, weights: [1, 1295] }
  const cursor = { tier: 2, pk: 'a b\n,', objects: 35, ranked }
  const encoded = { pk: 'z 10 11 1,zz\na b\n,', version: 2 }
  expect(encodeRelevanceCursor(cursor)).toEqual(encoded)
  expect(decodeRelevanceCursor(encoded)).toEqual(cursor)
  const byKey = { ...cursor, ranked: undefined }
  expect(encodeRelevanceCursor(byKey)).toEqual({ pk: 'z\na b\n,', version: 2 })
  expect(decodeRelevanceCursor({ pk: 'z\na b\n,', version: 2 })).toEqual(byKey)
})
