import { expect, it } from 'vitest'
import type { Grouping } from '../../../query/aggregation/aggregation.ts'
import { bitsFor, fillBits } from '../arrays/bits.ts'
import { EVERYTHING } from '../filter/filter.ts'
import { SegmentBuilder } from '../segment/build-segment.ts'
import { Segment } from '../segment/segment.ts'
import { Aggregator } from './aggregator.ts'

const TIME = { property: 'time', structField: undefined, type: 'timestamp', isList: false } as const

/** Returns the keys of the groups of one row each. */
function keysOf(grouping: Grouping, times: readonly string[]): readonly string[] {
  const builder = new SegmentBuilder([TIME], { kind: 'rows', rows: times.length })
  times.forEach((time, n) => {
    builder.add({ key: String(n), validFrom: 1, values: [time] })
  })
  const { buffer, place } = builder.finish()
  const segment = new Segment(buffer, place)
  const visible = bitsFor(segment.size)
  fillBits(visible, segment.size)
  const aggregator = new Aggregator({ groupings: [grouping], metrics: [] })
  expect(aggregator.add({ segment, visible, filter: EVERYTHING }, () => {})).toBe(true)
  const { groups, keysOf: keys } = aggregator.finish()
  return groups.map((group) => keys(group).join())
}

it.each([
  [{ unit: 'seconds', count: 1 }, '"6751-05-31T04:30:41Z"'],
  [{ unit: 'milliseconds', count: 1 }, '"6751-05-31T04:30:41.999Z"'],
] as const)('a time that no double holds is in the step %o that has begun', (step, key) => {
  const grouping: Grouping = { kind: 'duration', property: 'time', type: 'timestamp', step }
  expect(keysOf(grouping, ['6751-05-31T04:30:41.999999Z'])).toEqual([key])
})
