import { expect, it } from 'vitest'
import { axisFormat } from '../ui/format-value.ts'
import { edgeTicks, fewTicks, fittingTicks, momentFormat } from './ticks.ts'

it('labels as many edges as can be read', () => {
  const edges = Array.from({ length: 25 }, (_, index) => index * 500)
  expect(fewTicks(edgeTicks(edges, axisFormat(edges)), 5).map(({ label }) => label)).toEqual([
    '0',
    '3K',
    '6K',
    '9K',
    '12K',
  ])
  expect(fewTicks(edgeTicks([1, 2], String), 5)).toHaveLength(2)
})

it('writes moments in UTC', () => {
  const ms = Date.parse('2001-03-31T23:30:00Z')
  expect(momentFormat('DAYS')(ms)).toBe('31 Mar 2001')
  expect(momentFormat('MONTHS')(ms)).toBe('Mar 2001')
  expect(momentFormat('HOURS')(ms)).toBe('31 Mar 2001, 23:30')
})

it('leaves out labels that would touch each other or leave the chart', () => {
  const bars = 70
  const ticks = [0, 24, 48, 70].map((index) => ({ index, label: '30 Dec 2019' }))
  const shown = (width: number, some = ticks) =>
    fittingTicks(some, { slot: width / bars, bars, rest: 16 }).map(({ index }) => index)
  expect(shown(904)).toEqual([0, 24, 48, 70])
  expect(shown(304)).toEqual([0, 48])
  expect(shown(100)).toEqual([0])
  expect(shown(904, [...ticks.slice(0, 3), { index: 69, label: '30 Dec 2019' }])).toEqual([
    0, 24, 48,
  ])
  expect(shown(304, [])).toEqual([])
})
