import { expect, it } from 'vitest'
import { axisFormat } from '../ui/format-number.ts'
import { countTicks, edgeTicks, momentFormat } from './ticks.ts'

it('labels as many edges as can be read', () => {
  const edges = Array.from({ length: 25 }, (_, index) => index * 500)
  expect(edgeTicks(edges, axisFormat(edges), 5).map(({ label }) => label)).toEqual([
    '0',
    '3K',
    '6K',
    '9K',
    '12K',
  ])
  expect(edgeTicks([1, 2], String, 5)).toHaveLength(2)
})

it('labels whole counts only', () => {
  expect(countTicks(2)).toEqual([0, 1, 2])
  expect(countTicks(135_233)).toEqual([0, 50_000, 100_000])
})

it('writes moments in UTC', () => {
  const ms = Date.parse('2001-03-31T23:30:00Z')
  expect(momentFormat('DAYS')(ms)).toBe('31 Mar 2001')
  expect(momentFormat('MONTHS')(ms)).toBe('Mar 2001')
  expect(momentFormat('HOURS')(ms)).toBe('31 Mar 2001, 23:30')
})
