import { expect, it } from 'vitest'
import { doubleJson } from '../../sql/group-writer.ts'
import { bitsFor, setBit } from '../arrays/bits.ts'
import type { NumberColumn } from '../segment/column.ts'
import { DoubleSums } from './double-sums.ts'

const MAX = Number.MAX_VALUE

type Values = readonly (number | undefined)[]

function columnOf(values: Values): NumberColumn {
  const numbers = values.filter((value) => value !== undefined && !Number.isNaN(value)) as number[]
  const present = bitsFor(values.length)
  for (const [at, value] of values.entries()) if (value !== undefined) setBit(present, at)
  return {
    kind: 'numbers',
    type: 'double',
    values: Float64Array.from(values, (value) => value ?? 0),
    present: values.includes(undefined) ? present : undefined,
    range: { isWhole: false, min: Math.min(...numbers), max: Math.max(...numbers) },
  }
}

/** Aggregates segments as one group. */
function aggregate(segments: readonly Values[], isMean: boolean): string | undefined {
  const sums = new DoubleSums(isMean)
  for (const values of segments) {
    const { length: count } = values
    const [places, groups] = [Int32Array.from(values.keys()), new Int32Array(count)]
    const selection = { from: 0, to: count, places, count, gaps: new Int32Array(0) }
    sums.columnAdder(columnOf(values))?.({ ...selection, groups, groupsEnd: 1 })
  }
  sums.finish(Float64Array.of(segments.flat().length))
  return sums.json(0)
}

it.each([
  ['small numbers', [[1e16, 1], [-1e16]], 1, 1 / 3],
  ['absent values', [[1, undefined, 2], [undefined]], 3, 1.5],
  ['a sum that is too large in between', [[MAX, MAX], [-MAX]], MAX, MAX / 3],
  [
    'large numbers before and after small ones',
    [[1], [2 ** 1000], [1], [-(2 ** 1000)], [1]],
    3,
    0.6,
  ],
  ['a mean whose sum is too large', [[1], [MAX, MAX], [1]], Number.POSITIVE_INFINITY, MAX / 2],
  ['infinity', [[1, Number.POSITIVE_INFINITY], [2]], Number.POSITIVE_INFINITY, Infinity],
  ['NaN', [[1], [Number.NaN, 1], [2]], Number.NaN, Number.NaN],
  ['no values', [[undefined]], undefined, undefined],
] as const)('sums and means of %s', (_, segments, sum, mean) => {
  const json = (value: number | undefined) => (value === undefined ? undefined : doubleJson(value))
  expect(aggregate(segments, false)).toBe(json(sum))
  expect(aggregate(segments, true)).toBe(json(mean))
})
