/** The bars of a picture, and the aggregations that count them. */
import type { Group } from '../queries/facet-query.ts'
import type { Filter } from '../view/view-state.ts'
import type { Tick } from './ticks.ts'
import type { Bin } from './time-bins.ts'

export interface Bar {
  readonly label: string
  readonly count: number
  /** The filters that select the objects of this bar. */
  readonly filters: readonly Filter[]
}

export interface Bars {
  readonly kind: 'numbers' | 'times' | 'values' | 'distinct'
  readonly bars: readonly Bar[]
  /** Labels of the axis. */
  readonly ticks: readonly Tick[]
  readonly isLogarithmic?: boolean
  /** What a reader must know of the axis: that it is logarithmic, or which bars are open. */
  readonly note?: string | undefined
  /** Objects with other values than those of the bars. */
  readonly others: number
}

/** Aggregates the objects of a view. */
export type Read = (
  groupBy: readonly object[],
  aggregation?: readonly object[],
) => Promise<{ readonly data: readonly Group[]; readonly excludedItems?: number }>

/** Returns a range of an aggregation. Its bounds are texts, so that no digit is lost. */
export function rangeOf(startValue: string | undefined, endValue: string | undefined): object {
  return {
    ...(startValue !== undefined && { startValue }),
    ...(endValue !== undefined && { endValue }),
  }
}

/** Returns the filters of a range; an edge that is undefined is open. */
export function rangeFilters(
  field: string,
  from: string | undefined,
  to: string | undefined,
): readonly Filter[] {
  return [
    ...(from === undefined ? [] : [{ field, operator: 'gte', value: from } as const]),
    ...(to === undefined ? [] : [{ field, operator: 'lt', value: to } as const]),
  ]
}

export function metricOf(group: Group | undefined, name: string): number {
  return Number(group?.metrics.find((each) => each.name === name)?.value ?? 0)
}

export function edgesOf(bins: readonly Bin[]): readonly number[] {
  return [...bins.map(({ from }) => from), ...bins.slice(-1).map(({ to }) => to)]
}
