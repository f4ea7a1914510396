/** The bars of a picture, and the aggregations that count them. */
import type { Group } from '../queries/aggregate.ts'
import { axisFormat, formatNumber, type NumberStyle } from '../ui/format-value.ts'
import { fieldOf } from '../view/paths.ts'
import type { Filter } from '../view/view-state.ts'
import { type Bin, type NumberBins, numberBins, type Shape } from './number-bins.ts'
import { edgeTicks, type Tick } from './ticks.ts'

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
function rangeOf(startValue: string | undefined, endValue: string | undefined): object {
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

const TICKS = 5

export interface NumberBarsOptions {
  readonly shape: Shape
  readonly isWhole: boolean
  readonly style: NumberStyle
}

export async function numberBars(
  read: Read,
  field: string,
  { shape, isWhole, style }: NumberBarsOptions,
): Promise<Bars> {
  const binned = numberBins(shape, isWhole)
  const { bins } = binned
  const common = { kind: 'numbers', others: 0 } as const
  if (bins.length === 0) return { ...common, bars: [], ticks: [] }
  const show = (value: number) => formatNumber(value, style)
  if (bins.length === 1) {
    const label = oneLabel(shape, bins[0], isWhole, show)
    const bar = { label, count: shape.count, filters: [] }
    return { ...common, bars: [bar], ticks: [{ index: 0, label }] }
  }
  const last = bins.length - 1
  // Edges are rounded outwards, so the outer ones may be outside the type: they are left open.
  const startOf = (index: number) => (index === 0 ? undefined : String(bins[index]?.from))
  const endOf = (index: number) => (index === last ? undefined : String(bins[index]?.to))
  const ranges = bins.map((_, index) => rangeOf(startOf(index), endOf(index)))
  const { data } = await read([{ type: 'ranges', field: fieldOf(field), ranges }])
  const counts = new Map(
    data.map((group) => {
      const { startValue = '' } = (group.group[fieldOf(field)] ?? {}) as {
        readonly startValue?: string
      }
      return [startValue, metricOf(group, 'count')]
    }),
  )
  const labelOf = (index: number) => {
    const { from = 0, to = 0 } = bins[index] ?? {}
    if (index === 0 && binned.isOpenBelow) return `< ${show(to)}`
    if (index === last && binned.isOpenAbove) return `≥ ${show(from)}`
    return isWhole && to - from === 1 ? show(from) : `${show(from)} – ${show(to)}`
  }
  const bars = bins.map(
    (_, index): Bar => ({
      label: labelOf(index),
      count: counts.get(startOf(index) ?? '') ?? 0,
      filters: rangeFilters(field, startOf(index), endOf(index)),
    }),
  )
  const edges = edgesOf(bins)
  const ticks = edgeTicks(edges, axisFormat(edges, style), TICKS).filter(
    // The outer edge of an open bar is no edge.
    ({ index }) =>
      !(index === 0 && binned.isOpenBelow) && !(index === edges.length - 1 && binned.isOpenAbove),
  )
  const isLogarithmic = binned.scale === 'logarithmic'
  return { ...common, bars, ticks, isLogarithmic, note: noteOf(binned, shape, show) }
}

/** The service computes in doubles, so it may have rounded a large value. */
function oneLabel(
  { min, max }: Shape,
  bin: Bin | undefined,
  isWhole: boolean,
  show: (value: number) => string,
): string {
  if (min !== max && bin !== undefined) return `${show(bin.from)} – ${show(bin.to)}`
  return isWhole && !Number.isSafeInteger(min) ? `≈ ${show(min)}` : show(min)
}

function noteOf(
  { bins, scale, isOpenBelow, isOpenAbove }: NumberBins,
  { min, max }: Shape,
  show: (value: number) => string,
): string | undefined {
  if (scale === 'logarithmic') return 'Logarithmic scale'
  const below = `The first bar holds all values from ${show(min)} to ${show(bins[0]?.to ?? max)}`
  const above = `The last bar holds all values from ${show(bins.at(-1)?.from ?? min)} to ${show(max)}`
  const notes = [...(isOpenBelow ? [below] : []), ...(isOpenAbove ? [above] : [])]
  return notes.length === 0 ? undefined : notes.join('. ')
}
