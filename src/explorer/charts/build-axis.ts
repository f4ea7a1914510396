/** Finds the groups of a dimension: the values that stand out, or the ranges that suit the values. */
import { bisectRight } from 'd3-array'
import { isNumber, isWholeNumber } from '../api/ontology.ts'
import { rangeFilters } from '../pictures/bars.ts'
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
} from '../pictures/number-bins.ts'
import { edgeTicks, momentFormat } from '../pictures/ticks.ts'
import { COUNT, type Group } from '../queries/aggregate.ts'
import { facetOperator } from '../queries/facet-query.ts'
import { axisFormat, formatNumber, formatValue } from '../ui/format-value.ts'
import type { Dimension, TimeStep } from '../view/chart-state.ts'
import { writeList } from '../view/filters.ts'
import { fieldOf } from '../view/paths.ts'
import { type Json, type JsonConditions, scalarOf, type TypeView } from '../view/type-view.ts'
import type { Filter } from '../view/view-state.ts'
import {
  type Ask,
  type Axis,
  type AxisOptions,
  type Bucket,
  type Shown,
  type Slice,
  singleSlice,
  TooManyGroups,
  WHOLE,
} from './axis.ts'
import { isArray, isPlace, isTime, metricOf } from './measures.ts'
import { placeAxis } from './place-axis.ts'

const MOST_RANGES = 200
const MOST_STEPS = 1000
const TICKS = 9

export function kindOf({ objectType }: TypeView, { path, step }: Dimension): Axis['kind'] {
  const type = scalarOf(objectType, path)
  if (isPlace(objectType, path)) return 'places'
  if (step === 'value' || isArray(objectType, path)) return 'values'
  if (isTime(type)) return 'times'
  return isNumber(type) ? 'numbers' : 'values'
}

export async function buildAxis(dimension: Dimension, options: AxisOptions): Promise<Axis> {
  const { of, ask } = options
  const condition = { [dimension.path.replace('/', ':')]: { isNull: true } } as JsonConditions
  const [shown, missing] = await Promise.all([
    BUILDERS[kindOf(of, dimension)](dimension, options),
    ask({ aggregation: [COUNT], groupBy: [] }, [condition]),
  ])
  const count = Number(missing.data[0]?.metrics[0]?.value ?? 0)
  const slices = [...shown.slices, WHOLE]
  if (count === 0) return { ...shown, slices, path: dimension.path }
  const filters: readonly Filter[] = [{ field: dimension.path, operator: 'empty', value: '' }]
  const bucket: Bucket = { label: '(missing)', kind: 'missing', filters }
  return {
    ...shown,
    path: dimension.path,
    buckets: [...shown.buckets, bucket],
    slices: [...slices, singleSlice(shown.buckets.length, [condition])],
  }
}

type Builder = (dimension: Dimension, options: AxisOptions) => Promise<Shown>

const BUILDERS: Readonly<Record<Axis['kind'], Builder>> = {
  values: valueAxis,
  numbers: numberAxis,
  times: timeAxis,
  places: placeAxis,
  compared: valueAxis,
}

const DIRECTIONS = { highest: 'DESC', lowest: 'ASC', name: undefined } as const

async function valueAxis({ path }: Dimension, options: AxisOptions): Promise<Shown> {
  const { of, chart, ask, style, top } = options
  const field = fieldOf(path)
  const type = scalarOf(of.objectType, path) ?? 'string'
  const direction = DIRECTIONS[chart.sort]
  const metric = { ...metricOf(chart.measure), direction: direction ?? 'DESC' }
  // By name, those with the most objects are shown.
  const aggregation = direction === undefined ? [{ ...COUNT, direction: 'DESC' }] : [metric, COUNT]
  const groupBy = [{ type: 'exact', field, maxGroupCount: top }]
  const { data, excludedItems = 0 } = await ask({ aggregation, groupBy })
  const values = data.map(({ group }) => group[field] as Json)
  const sorted = direction === undefined ? values.toSorted(compareValues) : values
  const operator = facetOperator(of.objectType, path)
  const buckets = sorted.map((value): Bucket => {
    const text = String(value)
    const label = text === '' ? '(empty text)' : (formatValue(value, { type }, style) ?? text)
    return { label, kind: 'value', filters: [{ field: path, operator, value: text }] }
  })
  const places = new Map(sorted.map((value, index) => [String(value), index]))
  const name = path.replace('/', ':')
  const chosen: JsonConditions = isArray(of.objectType, path)
    ? { $or: sorted.map((value) => ({ [name]: { contains: value } })) }
    : { [name]: { in: sorted } }
  const shown: Slice = {
    within: [chosen],
    groupBy: { type: 'exact', field },
    placeOf: (group) => places.get(String(group[field])) ?? Number.NaN,
  }
  const common = { kind: 'values', ticks: [], note: undefined } as const
  if (sorted.length === 0) return { ...common, buckets: [], slices: [] }
  if (excludedItems === 0) return { ...common, buckets, slices: [shown] }
  const others = [{ $not: chosen }, { [name]: { isNull: false } }] as unknown as JsonConditions[]
  return {
    ...common,
    buckets: [...buckets, { label: 'others', kind: 'rest', filters: othersThan(path, sorted) }],
    slices: [shown, singleSlice(buckets.length, others)],
  }
}

/** Filters for objects that have a value, but none of these. */
function othersThan(field: string, values: readonly Json[]): readonly Filter[] {
  return [
    { field, operator: 'notIn', value: writeList(values.map(String)) },
    { field, operator: 'filled', value: '' },
  ]
}

function compareValues(a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b), 'en', { numeric: true })
}

const PERCENTILES = { low: 5, median: 50, high: 95 } as const

async function numberAxis({ path, step }: Dimension, options: AxisOptions): Promise<Shown> {
  const { of, ask, style } = options
  const field = fieldOf(path)
  const aggregation = [
    COUNT,
    ...['min', 'max'].map((type) => ({ type, name: type, field })),
    ...Object.entries(PERCENTILES).map(([name, approximatePercentile]) => ({
      type: 'approximatePercentile',
      name,
      field,
      approximatePercentile,
    })),
  ]
  const shape = shapeOf((await ask({ aggregation, groupBy: [] })).data[0])
  const isWhole = isWholeNumber(scalarOf(of.objectType, path))
  const binned = typeof step === 'number' ? fixedBins(shape, step) : numberBins(shape, isWhole)
  const { bins } = binned
  const show = (value: number) => formatNumber(value, style)
  const last = bins.length - 1
  const labelOf = ({ from, to }: Bin, index: number) => {
    if (index === 0 && binned.isOpenBelow) return `< ${show(to)}`
    if (index === last && binned.isOpenAbove) return `≥ ${show(from)}`
    if (shape.min === shape.max) return show(shape.min)
    return isWhole && to - from === 1 ? show(from) : `${show(from)} – ${show(to)}`
  }
  const edges = edgesOf(bins)
  const ticks = edgeTicks(edges, axisFormat(edges, style), TICKS).filter(
    ({ index }) => !(index === 0 && binned.isOpenBelow) && !(index > last && binned.isOpenAbove),
  )
  const note = binned.scale === 'logarithmic' ? 'Logarithmic scale' : undefined
  return rangeAxis({ path, kind: 'numbers', bins, labelOf, ticks, note }, String)
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

async function timeAxis({ path, step }: Dimension, options: AxisOptions): Promise<Shown> {
  const { of, ask, period } = options
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
  const ticks = edgeTicks(edgesOf(bins), format, TICKS)
  const write = (ms: number) => momentText(ms, isDate)
  const axis = rangeAxis({ path, kind: 'times', bins, labelOf, ticks, note: undefined }, write)
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

async function readExtent(ask: Ask, field: string): Promise<readonly [number, number]> {
  const aggregation = ['min', 'max'].map((type) => ({ type, name: type, field }))
  const { data } = await ask({ aggregation, groupBy: [] })
  const [min, max] = data[0]?.metrics.map(({ value }) => Date.parse(String(value))) ?? []
  return [min ?? Number.NaN, max ?? Number.NaN]
}

interface RangeParts extends Pick<Shown, 'kind' | 'ticks' | 'note'> {
  readonly path: string
  readonly bins: readonly Bin[]
  readonly labelOf: (bin: Bin, index: number) => string
}

/** Edges are rounded outwards, so the outer ones may be outside the type: they are left open. */
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
    const { start, end } = edges[index] ?? {}
    const isAll = start === undefined && end === undefined
    const filters: readonly Filter[] = isAll
      ? [{ field: path, operator: 'filled', value: '' }]
      : rangeFilters(path, start, end)
    return { label: labelOf(bin, index), kind: 'value', filters }
  })
  const common = { kind, ticks, note, buckets }
  if (bins.length === 1) {
    const present = { [path.replace('/', ':')]: { isNull: false } } as JsonConditions
    return { ...common, slices: [singleSlice(0, [present])] }
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

function edgesOf(bins: readonly Bin[]): readonly number[] {
  return [...bins.map(({ from }) => from), ...bins.slice(-1).map(({ to }) => to)]
}

/** Writes a moment; undefined outside of the years that have four digits, where nothing is stored. */
export function momentText(ms: number, isDate: boolean): string | undefined {
  const year = new Date(ms).getUTCFullYear()
  if (year < 1 || year > 9999) return undefined
  return new Date(ms).toISOString().slice(0, isDate ? 10 : undefined)
}
