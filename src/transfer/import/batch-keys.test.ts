import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { BatchKeys } from './batch.ts'

it('finds a common key of two batches in any order', () => {
  const keys = fc.array(fc.string({ maxLength: 2 }), { minLength: 1 })
  fc.assert(
    fc.property(keys, keys, (one, other) => {
      const [a, b] = [one, other].map((some) => new BatchKeys(some))
      const isDisjoint = new Set(one).isDisjointFrom(new Set(other))
      expect(a?.isDisjointFrom(b as BatchKeys)).toBe(isDisjoint)
      expect(b?.isDisjointFrom(a as BatchKeys)).toBe(isDisjoint)
    }),
    fcOptions(500),
  )
})
