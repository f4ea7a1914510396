import { expect, it } from 'vitest'
import { lengthsOf } from './profile-query.ts'

it('measures texts in characters, each as often as it occurs', () => {
  const texts = [
    { value: 'abcd', count: 1 },
    { value: '🛒', count: 1 },
    { value: 'ab', count: 3 },
  ]
  expect(lengthsOf(texts)).toEqual({ shortest: 1, median: 2, longest: 4 })
  expect(lengthsOf([{ value: '', count: 2 }])).toEqual({ shortest: 0, median: 0, longest: 0 })
  expect(lengthsOf([])).toBeUndefined()
})
