import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { KeyHashes } from './key-hashes.ts'

it('recognises a text among any number of others', () => {
  const number = fc.oneof(
    fc.nat(300),
    fc.maxSafeNat().map((large) => large - (large % 64)),
  )
  fc.assert(
    fc.property(fc.array(number, { maxLength: 500 }), (numbers) => {
      const model = new Set<number>()
      const set = new KeyHashes()
      for (const entry of numbers) {
        expect(set.add(String(entry))).toBe(!model.has(entry))
        model.add(entry)
      }
    }),
    fcOptions(50),
  )
})
