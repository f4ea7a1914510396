import type { ColumnValue } from '../ontology/values/column-value.ts'
import type { Bound, Range } from './aggregation.ts'
import { toColumnValue } from './fields.ts'

/**
 * Ranges, which may overlap, cut into segments, which do not: a store finds the one segment of a
 * value, and with it every range that holds the value, in few steps.
 */
export interface CutRanges {
  /** Where segments end and begin, in order. Segment n is what lies behind n cuts. */
  readonly cuts: readonly Cut[]
  /** For each segment, which ranges hold it. */
  readonly segments: readonly (readonly number[])[]
}

export interface Cut {
  readonly value: ColumnValue
  /** Whether the value itself lies before the cut. */
  readonly after: boolean
}

export function cutRanges(ranges: readonly Range[]): CutRanges {
  const { cuts, spans } = findCuts(ranges)
  const segments: number[][] = Array.from({ length: cuts.length + 1 }, () => [])
  spans.forEach(({ first, last }, range) => {
    for (let segment = first; segment <= last; segment += 1) segments[segment]?.push(range)
  })
  return { cuts, segments }
}

/** The most ranges that hold one value; much cheaper to know than which ones. */
export function deepestOverlap(ranges: readonly Range[]): number {
  const { cuts, spans } = findCuts(ranges)
  const changes = Array.from({ length: cuts.length + 2 }, () => 0)
  for (const { first, last } of spans) {
    if (first > last) continue
    changes[first] = (changes[first] ?? 0) + 1
    changes[last + 1] = (changes[last + 1] ?? 0) - 1
  }
  let [depth, deepest] = [0, 0]
  for (const change of changes) {
    depth += change
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** The segments of a range; none where the first is behind the last. */
interface Span {
  readonly first: number
  readonly last: number
}

function findCuts(ranges: readonly Range[]): { cuts: readonly Cut[]; spans: readonly Span[] } {
  const ends = ranges.map(({ low, high }) => ({ from: lowCut(low), to: highCut(high) }))
  const sorted = ends.flatMap(({ from, to }) => [from, to]).sort(compareCuts)
  const cuts = sorted.filter((cut, index) => {
    const before = sorted[index - 1]
    return before === undefined || compareCuts(before, cut) !== 0
  })
  const numbers = new Map(cuts.map((cut, index) => [keyOf(cut), index]))
  const numberOf = (cut: Cut) => numbers.get(keyOf(cut)) ?? 0
  const spans = ends.map(({ from, to }) => ({ first: numberOf(from) + 1, last: numberOf(to) }))
  return { cuts, spans }
}

function lowCut({ value, inclusive }: Bound): Cut {
  return { value: toColumnValue(value), after: !inclusive }
}

function highCut({ value, inclusive }: Bound): Cut {
  return { value: toColumnValue(value), after: inclusive }
}

/** Values of one property are all of one kind. */
function compareCuts(a: Cut, b: Cut): number {
  if (a.value !== b.value) return a.value < b.value ? -1 : 1
  return Number(a.after) - Number(b.after)
}

function keyOf({ value, after }: Cut): string {
  return `${value}${after ? ' after' : ''}`
}
