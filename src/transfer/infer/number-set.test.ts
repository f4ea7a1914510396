import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { NumberSet } from './key-candidates.ts'

it('recognises a number among any number of others', () => {
  const number = fc.oneof(
    fc.nat(300),
    fc.maxSafeNat().map((large) => large - (large % 64)),
  )
  fc.assert(
    fc.property(fc.array(number, { maxLength: 500 }), (numbers) => {
      const model = new Set<number>()
      const set = new NumberSet()
      for (const entry of numbers) {
        if (entry === Number.MAX_SAFE_INTEGER) continue
        expect(set.add(entry)).toBe(!model.has(entry))
        model.add(entry)
      }
      set.clear()
      if (numbers[0] !== undefined) expect(set.add(numbers[0])).toBe(true)
    }),
    fcOptions(50),
  )
})
