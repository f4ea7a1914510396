/** Ranges of numbers and of times that suit the values of a property. */
import { bisectRight } from 'd3-array'
import { isWholeNumber } from '../api/ontology.ts'
import { COUNT, extremes, type Group, percentiles } from '../queries/aggregate.ts'
import { axisFormat, formatNumber } from '../ui/format-value.ts'
import type { Dimension, TimeStep } from '../view/chart-state.ts'
import { fieldOf, isNull } from '../view/paths.ts'
import { scalarOf } from '../view/type-view.ts'
import type { Filter } from '../view/view-state.ts'
import {
  type Ask,
  type AxisOptions,
  type Bucket,
  type Shown,
  type Slice,
  singleSlice,
  TooManyGroups,
} from './axis.ts'
import {
  type Bin,
  type CalendarUnit,
  calendarUnit,
  type NumberBins,
  numberBins,
  type Shape,
  stepBins,
  timeBins,
  unitMs,
} from './number-bins.ts'
import { edgeTicks, momentFormat } from './ticks.ts'

const MOST_RANGES = 200
const MOST_STEPS = 1000
const PERCENTILES = { low: 5, median: 50, high: 95 } as const

export async function numberAxis(
  { path, step }: Dimension,
  { of, ask, style: read }: AxisOptions,
): Promise<Shown> {
  const field = fieldOf(path)
  const aggregation = [COUNT, ...extremes(field), ...percentiles(field, PERCENTILES)]
  const [{ data }, style] = await Promise.all([ask({ aggregation, groupBy: [] }), read])
  const shape = shapeOf(data[0])
  const isWhole = isWholeNumber(scalarOf(of.objectType, path))
  const binned = typeof step === 'number' ? fixedBins(shape, step) : numberBins(shape, isWhole)
  const { bins } = binned
  const show = (value: number) => formatNumber(value, style)
  const last = bins.length - 1
  const labelOf = ({ from, to }: Bin, index: number) => {
    if (index === 0 && binned.isOpenBelow) return `< ${show(to)}`
    if (index === last && binned.isOpenAbove) return `≥ ${show(from)}`
    if (shape.min === shape.max) return oneLabel(shape.min, isWhole, show)
    return isWhole && to - from === 1 ? show(from) : `${show(from)} – ${show(to)}`
  }
  const edges = edgesOf(bins)
  const ticks = edgeTicks(edges, axisFormat(edges, style)).filter(
    // The outer edge of an open range is no edge.
    ({ index }) => !(index === 0 && binned.isOpenBelow) && !(index > last && binned.isOpenAbove),
  )
  const note = noteOf(binned, shape, show)
  return rangeAxis({ path, kind: 'numbers', bins, labelOf, ticks, note }, String)
}

/** The service computes in doubles, so it may have rounded a large value. */
function oneLabel(value: number, isWhole: boolean, show: (value: number) => string): string {
  return isWhole && !Number.isSafeInteger(value) ? `≈ ${show(value)}` : show(value)
}

export const LOGARITHMIC = 'Logarithmic scale'

function noteOf(
  { bins, scale, isOpenBelow, isOpenAbove }: NumberBins,
  { min, max }: Shape,
  show: (value: number) => string,
): string | undefined {
  if (scale === 'logarithmic') return LOGARITHMIC
  const below = `The first bar holds all values from ${show(min)} to ${show(bins[0]?.to ?? max)}`
  const above = `The last bar holds all values from ${show(bins.at(-1)?.from ?? min)} to ${show(max)}`
  const notes = [...(isOpenBelow ? [below] : []), ...(isOpenAbove ? [above] : [])]
  return notes.length === 0 ? undefined : notes.join('. ')
}

function shapeOf(summary: Group | undefined): Shape {
  const of = (name: keyof Shape) =>
    Number(summary?.metrics.find((each) => each.name === name)?.value ?? Number.NaN)
  const [min, max, low] = [of('min'), of('max'), of('low')]
  return { min, max, low, median: of('median'), high: of('high'), count: of('count') }
}

function fixedBins({ min, max }: Shape, width: number): NumberBins {
  const count = Math.floor(max / width) - Math.floor(min / width) + 1
  if (count > MOST_RANGES) throw new TooManyGroups(count, MOST_RANGES, 'ranges')
  const bins = Number.isNaN(count) ? [] : stepBins(min, max, width)
  return { bins, scale: 'linear', isOpenBelow: false, isOpenAbove: false }
}

const UNITS: Readonly<Record<TimeStep, CalendarUnit>> = {
  year: 'YEARS',
  quarter: 'QUARTERS',
  month: 'MONTHS',
  week: 'WEEKS',
  day: 'DAYS',
  hour: 'HOURS',
  minute: 'MINUTES',
}

export async function timeAxis(
  { path, step }: Dimension,
  { of, ask, period }: AxisOptions,
): Promise<Shown> {
  const field = fieldOf(path)
  const isDate = scalarOf(of.objectType, path) === 'date'
  const [min, max] = period ?? (await readExtent(ask, field))
  const common = { kind: 'times', ticks: [], note: undefined } as const
  if (Number.isNaN(min + max)) return { ...common, buckets: [], slices: [] }
  const unit =
    step === undefined || typeof step === 'number' || step === 'value'
      ? calendarUnit(min, max, isDate)
      : UNITS[step]
  const count = Math.ceil((max - min) / unitMs(unit))
  if (count > MOST_STEPS && unit !== 'YEARS') throw new TooManyGroups(count, MOST_STEPS, 'steps')
  const bins = timeBins(min, max, unit)
  const format = momentFormat(unit)
  const isSeveral =
    unit === 'YEARS' && format(bins[0]?.from ?? 0) !== format((bins[0]?.to ?? 1) - 1)
  const labelOf = ({ from, to }: Bin) =>
    isSeveral ? `${format(from)} – ${format(to - 1)}` : format(from)
  const ticks = edgeTicks(edgesOf(bins), format)
  const write = (ms: number) => momentText(ms, isDate)
  const parts = { path, kind: 'times', bins, labelOf, ticks, note: undefined } as const
  const axis = { ...rangeAxis(parts, write), step: stepName(unit, isSeveral ? bins[0] : undefined) }
  if (isSeveral) return axis
  const starts = bins.map(({ from }) => from)
  const end = bins.at(-1)?.to ?? 0
  const slice: Slice = {
    within: [],
    groupBy: { type: 'duration', field, value: 1, unit },
    placeOf: (group, moved) => {
      const ms = moved(Date.parse(String(group[field])))
      return ms < end ? bisectRight(starts, ms) - 1 : Number.NaN
    },
  }
  return { ...axis, slices: [slice] }
}

/** Returns the step of time in words; several years have a bin of that length. */
function stepName(unit: CalendarUnit, several: Bin | undefined): string {
  if (several === undefined) return `by ${unit.toLowerCase().slice(0, -1)}`
  const yearOf = (ms: number) => new Date(ms).getUTCFullYear()
  return `by ${yearOf(several.to) - yearOf(several.from)} years`
}

async function readExtent(ask: Ask, field: string): Promise<readonly [number, number]> {
  const { data } = await ask({ aggregation: extremes(field), groupBy: [] })
  const [min, max] = data[0]?.metrics.map(({ value }) => Date.parse(String(value))) ?? []
  return [min ?? Number.NaN, max ?? Number.NaN]
}

interface RangeParts extends Pick<Shown, 'kind' | 'ticks' | 'note'> {
  readonly path: string
  readonly bins: readonly Bin[]
  readonly labelOf: (bin: Bin, index: number) => string
}

/**
 * Edges are rounded outwards, so the outer ones may be outside the type: the request leaves them open.
 * A filter has both bounds of a time range, so that it can be compared with the one before.
 */
function rangeAxis(
  { path, kind, bins, labelOf, ticks, note }: RangeParts,
  write: (edge: number) => string | undefined,
): Shown {
  if (bins.length === 0) return { kind, ticks: [], note, buckets: [], slices: [] }
  const field = fieldOf(path)
  const edges = bins.map(({ from, to }, index) => ({
    start: index === 0 ? undefined : write(from),
    end: index === bins.length - 1 ? undefined : write(to),
  }))
  const places = new Map(edges.map(({ start = '' }, index) => [start, index]))
  const buckets = bins.map((bin, index): Bucket => {
    const isTime = kind === 'times'
    const { start, end } = isTime
      ? { start: write(bin.from), end: write(bin.to) }
      : (edges[index] ?? {})
    const isAll = start === undefined && end === undefined
    const filters: readonly Filter[] = isAll
      ? [{ field: path, operator: 'filled', value: '' }]
      : rangeFilters(path, start, end)
    return { label: labelOf(bin, index), kind: 'value', filters }
  })
  const common = { kind, ticks, note, buckets }
  if (bins.length === 1) {
    return { ...common, slices: [singleSlice(0, [isNull(path, false)])] }
  }
  const ranges = edges.map(({ start, end }) => ({
    ...(start !== undefined && { startValue: start }),
    ...(end !== undefined && { endValue: end }),
  }))
  const slice: Slice = {
    within: [],
    groupBy: { type: 'ranges', field, ranges },
    placeOf: (group) => {
      const { startValue = '' } = (group[field] ?? {}) as { readonly startValue?: string }
      return places.get(String(startValue)) ?? Number.NaN
    },
  }
  return { ...common, slices: [slice] }
}

/** Returns the filters of a range; an edge that is undefined is open. */
function rangeFilters(
  field: string,
  from: string | undefined,
  to: string | undefined,
): readonly Filter[] {
  return [
    ...(from === undefined ? [] : [{ field, operator: 'gte', value: from } as const]),
    ...(to === undefined ? [] : [{ field, operator: 'lt', value: to } as const]),
  ]
}

function edgesOf(bins: readonly Bin[]): readonly number[] {
  return [...bins.map(({ from }) => from), ...bins.slice(-1).map(({ to }) => to)]
}

/** Writes a moment; undefined outside of the years that have four digits, where nothing is stored. */
export function momentText(ms: number, isDate: boolean): string | undefined {
  const year = new Date(ms).getUTCFullYear()
  if (year < 1 || year > 9999) return undefined
  return new Date(ms).toISOString().slice(0, isDate ? 10 : undefined)
}
