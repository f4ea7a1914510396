/** Cuts overlapping ranges into disjoint segments, for one lookup per value. */

import type { ColumnValue } from '../../ontology/values/column-value.ts'
import { toColumnValue } from '../compared-value.ts'
import type { Bound, Range } from './aggregation.ts'

/** A store finds the segment of a value by binary search, and with it every range around it. */
export interface CutRanges {
  /** The boundaries between segments, in order. Segment n follows n cuts. */
  readonly cuts: readonly Cut[]
  /** For each segment, the ranges that contain it. */
  readonly segments: readonly (readonly number[])[]
}

export interface Cut {
  readonly value: ColumnValue
  /** True if the cut is after the value, so that the value itself lies before it. */
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

/** Returns the maximum number of ranges that contain one value, without building segments. */
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

/** The segments of a range; empty if the first comes after the last. */
interface Span {
  readonly first: number
  readonly last: number
}

function findCuts(ranges: readonly Range[]): { cuts: readonly Cut[]; spans: readonly Span[] } {
  const ends = ranges.map(({ low, high }) => ({ from: lowCut(low), to: highCut(high) }))
  const sorted = ends.flatMap(({ from, to }) => [from ?? [], to ?? []].flat()).sort(compareCuts)
  const cuts = sorted.filter((cut, index) => {
    const before = sorted[index - 1]
    return before === undefined || compareCuts(before, cut) !== 0
  })
  const numbers = new Map(cuts.map((cut, index) => [keyOf(cut), index]))
  const numberOf = (cut: Cut) => numbers.get(keyOf(cut)) ?? 0
  const spans = ends.map(({ from, to }) => ({
    first: from === undefined ? 0 : numberOf(from) + 1,
    last: to === undefined ? cuts.length : numberOf(to),
  }))
  return { cuts, spans }
}

function lowCut(bound: Bound | undefined): Cut | undefined {
  return bound && { value: toColumnValue(bound.value), after: !bound.inclusive }
}

function highCut(bound: Bound | undefined): Cut | undefined {
  return bound && { value: toColumnValue(bound.value), after: bound.inclusive }
}

/** All values belong to one property, so they have one JavaScript type. */
function compareCuts(a: Cut, b: Cut): number {
  if (a.value !== b.value) return a.value < b.value ? -1 : 1
  return Number(a.after) - Number(b.after)
}

function keyOf({ value, after }: Cut): string {
  return `${value}${after ? ' after' : ''}`
}
