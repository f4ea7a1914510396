import { expect, it } from 'vitest'
import { RefusalDelay } from './refusal-delay.ts'

it('delays the refusals of a caller that does not wait, each a little longer, and of no other caller', () => {
  let nowMs = 0
  const delay = new RefusalDelay(() => nowMs)
  const delays = Array.from({ length: 22 }, () => delay.next('a'))
  expect(delays).toEqual([...Array(20).fill(0), 255, 260])
  expect(delay.next('b')).toBe(0)
  nowMs += 100
  expect([delay.next('a'), delay.next('a')]).toEqual([0, 265])
  nowMs += 60_000
  expect(Array.from({ length: 21 }, () => delay.next('a')).filter((ms) => ms > 0)).toHaveLength(1)
})
