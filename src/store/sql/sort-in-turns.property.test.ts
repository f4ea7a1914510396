import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fcOptions } from '../../../test/support/fc-options.ts'
import { sortInTurns } from './in-turns.ts'

it('sorts like the built-in sort, and keeps the order of equal items', async () => {
  const lists = fc.integer({ min: 0, max: 20_000 }).chain((length) =>
    fc.record({
      length: fc.constant(length),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
      keys: fc.integer({ min: 1, max: 30_000 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(lists, async ({ length, seed, keys }) => {
      const items = Array.from({ length }, (_, at) => ({ at, key: String((at * seed) % keys) }))
      const sorted = items.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      expect(await sortInTurns(items, ({ key }) => key)).toEqual(sorted)
    }),
    fcOptions(20),
  )
})
