/** The groups of a chart along one dimension, and the conditions that select them. */

import type { Group } from '../queries/aggregate.ts'
import type { NumberStyle } from '../ui/format-value.ts'
import type { ChartState } from '../view/chart-state.ts'
import type { JsonConditions } from '../view/compile-filters.ts'
import type { TypeView } from '../view/type-view.ts'
import type { Box, Filter, ViewState } from '../view/view-state.ts'
import type { Tick } from './ticks.ts'

/** One group along a dimension. */
export interface Bucket {
  readonly label: string
  /** Objects with other values than those shown, or with none, have buckets of their own. */
  readonly kind: 'value' | 'rest' | 'missing'
  /** The filters that select its objects; undefined if no filter can. */
  readonly filters: readonly Filter[] | undefined
  /** The cell of a map that its objects are in. */
  readonly box?: Box
}

/** Objects whose groups are asked for in one aggregation. */
export interface Slice {
  readonly within: readonly JsonConditions[]
  readonly groupBy: object | undefined
  /** Other filters than those of the view. */
  readonly view?: ViewState
  /** Moves a moment of the compared period to that of the view. */
  readonly moved?: (ms: number) => number
  /** Returns the bucket of a group; `ALL` is the whole. */
  readonly placeOf: (group: Group['group'], moved: (ms: number) => number) => number
}

/** The place of the objects of all buckets together. */
export const ALL = -1

export interface Axis {
  readonly kind: 'values' | 'numbers' | 'times' | 'places' | 'compared'
  /** Undefined for a comparison. */
  readonly path: string | undefined
  readonly buckets: readonly Bucket[]
  readonly slices: readonly Slice[]
  /** Labels at all edges of ranges. */
  readonly ticks: readonly Tick[]
  /** The step of time, in words. */
  readonly step?: string
  /** What a reader must know of the axis. */
  readonly note: string | undefined
}

/** An axis without what all axes have in common. */
export type Shown = Omit<Axis, 'path'>

/** Aggregates the objects of a view that satisfy further conditions. */
export type Ask = (
  body: { readonly aggregation: readonly object[]; readonly groupBy: readonly object[] },
  within?: readonly JsonConditions[],
) => Promise<{ readonly data: readonly Group[]; readonly excludedItems?: number }>

export interface AxisOptions {
  readonly of: TypeView
  readonly chart: ChartState
  readonly ask: Ask
  /** How the numbers of the dimension are written; only labels wait for it. */
  readonly style: Promise<NumberStyle>
  /** Values that are shown one by one. */
  readonly top: number
  /** The period that an axis of time shows; that of the values by default. */
  readonly period?: readonly [fromMs: number, toMs: number] | undefined
}

export const WHOLE: Slice = { within: [], groupBy: undefined, placeOf: () => ALL }

/** Returns a slice of objects that are one bucket. */
export function singleSlice(place: number, within: readonly JsonConditions[]): Slice {
  return { within, groupBy: undefined, placeOf: () => place }
}

/** A dimension that would have more groups than can be shown. */
export class TooManyGroups extends Error {
  constructor(count: number, most: number, what: string) {
    const counts = [count, most].map((each) => each.toLocaleString('en'))
    super(
      `${counts[0]} ${what} are more than the ${counts[1]} that a chart shows. Choose longer ones, or filter for fewer.`,
    )
    this.name = 'TooManyGroups'
  }
}
