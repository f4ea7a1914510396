/** The distribution of the values of a property over all objects of a view. */
import { queryOptions } from '@tanstack/react-query'
import { bisectRight } from 'd3-array'
import type { Send } from '../api/call.ts'
import { isNumber, isWholeNumber } from '../api/number-types.ts'
import type { ScalarType } from '../api/ontology.ts'
import { aggregate, type FacetOf, type Group } from '../facets/facet-query.ts'
import type { Filter, ViewState } from '../view/view-state.ts'
import { type Json, scalarOf } from '../view/where.ts'
import { type Bin, calendarUnit, numberBins, timeBins } from './bins.ts'
import { compactNumber, edgeTicks, momentFormat, type Tick } from './ticks.ts'

export interface Bar {
  readonly label: string
  readonly count: number
  /** The filters that select the objects of this bar. */
  readonly filters: readonly Filter[]
}

export interface Distribution {
  readonly kind: 'numbers' | 'times' | 'values' | 'distinct'
  readonly bars: readonly Bar[]
  /** Labels of the axis. */
  readonly ticks: readonly Tick[]
  /** Objects with other values than those of the bars. */
  readonly others: number
  /** Objects with a value. */
  readonly present: number
  /** Objects without a value. */
  readonly missing: number
}

const COUNT: Json = { type: 'count', name: 'count' }
const VALUES_SHOWN = 12
const TICKS = 5
/** Dates are longer than numbers. */
const TIME_TICKS = 4

/** True if a picture of the property can be drawn. */
export function hasPicture(type: ScalarType | undefined): boolean {
  return (
    type !== undefined &&
    (isNumber(type) || ['date', 'timestamp', 'string', 'boolean'].includes(type))
  )
}

export function distributionQuery(send: Send, of: FacetOf, property: string) {
  const { filters, text, box } = of.view
  return queryOptions({
    queryKey: ['distribution', of.objectType.rid, property, filters, text, box, of.version],
    queryFn: async ({ signal }): Promise<Distribution> => {
      const type = scalarOf(of.objectType, property)
      const isArray = of.objectType.properties[property]?.type === 'array'
      const readView =
        (view: ViewState): Read =>
        (groupBy, aggregation = [COUNT]) =>
          aggregate(send, { ...of, view }, { aggregation, groupBy }, signal)
      const read = readView(of.view)
      const isMissing: Filter = { field: property, operator: 'empty', value: '' }
      const without = readView({ ...of.view, filters: [...filters, isMissing] })
      const counts = await countValues(read, without, isArray ? undefined : property)
      if (counts.present === 0) return { kind: 'values', bars: [], ticks: [], others: 0, ...counts }
      if (isArray) return { ...(await valueBars(read, property, 'contains')), ...counts }
      if (type === 'date' || type === 'timestamp') {
        return { ...(await timeBars(read, property, type === 'date')), ...counts }
      }
      if (isNumber(type)) {
        return { ...(await numberBars(read, property, isWholeNumber(type))), ...counts }
      }
      if (counts.distinct === counts.present && counts.present > VALUES_SHOWN) {
        return { kind: 'distinct', bars: [], ticks: [], others: counts.present, ...counts }
      }
      return { ...(await valueBars(read, property, 'eq')), ...counts }
    },
  })
}

type Read = (
  groupBy: readonly Json[],
  aggregation?: readonly Json[],
) => Promise<{ readonly data: readonly Group[]; readonly excludedItems?: number }>
type Bars = Pick<Distribution, 'kind' | 'bars' | 'ticks' | 'others'>

interface Counts extends Pick<Distribution, 'present' | 'missing'> {
  readonly distinct: number
}

/** Counts the objects with and without a value, and the different values of a field. */
async function countValues(
  read: Read,
  readMissing: Read,
  field: string | undefined,
): Promise<Counts> {
  const distinct: readonly Json[] =
    field === undefined ? [] : [{ type: 'exactDistinct', name: 'distinct', field }]
  const [all, without] = await Promise.all([read([], [COUNT, ...distinct]), readMissing([])])
  const missing = metricOf(without.data[0], 'count')
  return {
    present: metricOf(all.data[0], 'count') - missing,
    missing,
    distinct: metricOf(all.data[0], 'distinct'),
  }
}

async function readExtent(read: Read, field: string): Promise<readonly (string | number)[]> {
  const { data } = await read(
    [],
    [
      { type: 'min', name: 'min', field },
      { type: 'max', name: 'max', field },
    ],
  )
  const value = (name: string) => data[0]?.metrics.find((each) => each.name === name)?.value
  return [value('min') ?? Number.NaN, value('max') ?? Number.NaN]
}

async function numberBars(read: Read, field: string, isWhole: boolean): Promise<Bars> {
  const [min, max] = await readExtent(read, field)
  const bins = numberBins(Number(min), Number(max), { isWhole })
  const last = bins.length - 1
  // Edges are rounded outwards, so the outer ones may be outside the type: they are left open. A
  // range needs one bound, so a single bar starts at the smallest value.
  const startOf = (index: number) =>
    last === 0 ? String(min) : index === 0 ? undefined : String(bins[index]?.from)
  const endOf = (index: number) => (index === last ? undefined : String(bins[index]?.to))
  const ranges = bins.map((_, index) => rangeOf(startOf(index), endOf(index)))
  const { data } =
    bins.length === 0 ? { data: [] } : await read([{ type: 'ranges', field, ranges }])
  const counts = new Map(
    data.map((group) => {
      const { startValue = '' } = (group.group[field] ?? {}) as { readonly startValue?: string }
      return [startValue, metricOf(group, 'count')]
    }),
  )
  const bars = bins.map(({ from, to }, index): Bar => {
    const isOne = isWhole && to - from === 1
    return {
      label: isOne ? formatNumber(from) : `${formatNumber(from)} – ${formatNumber(to)}`,
      count: counts.get(startOf(index) ?? '') ?? 0,
      filters: rangeFilters(field, startOf(index), endOf(index)),
    }
  })
  return { kind: 'numbers', bars, ticks: edgeTicks(edgesOf(bins), compactNumber, TICKS), others: 0 }
}

async function timeBars(read: Read, field: string, isDate: boolean): Promise<Bars> {
  const [min, max] = (await readExtent(read, field)).map((value) => Date.parse(String(value)))
  if (min === undefined || max === undefined || Number.isNaN(min + max)) {
    return { kind: 'times', bars: [], ticks: [], others: 0 }
  }
  const unit = calendarUnit(min, max, isDate)
  const bins = timeBins(min, max, unit)
  const { data } = await read([{ type: 'duration', field, value: 1, unit }])
  // A bin may hold several years.
  const starts = bins.map(({ from }) => from)
  const counts = starts.map(() => 0)
  for (const group of data) {
    const bin = bisectRight(starts, Date.parse(String(group.group[field]))) - 1
    counts[bin] = (counts[bin] ?? 0) + metricOf(group, 'count')
  }
  const format = momentFormat(unit)
  const bars = bins.map(({ from, to }, index): Bar => {
    const [first, last] = [format(from), format(to - 1)]
    return {
      label: unit === 'YEARS' && first !== last ? `${first} – ${last}` : first,
      count: counts[index] ?? 0,
      filters: rangeFilters(field, momentText(from, isDate), momentText(to, isDate)),
    }
  })
  return { kind: 'times', bars, ticks: edgeTicks(edgesOf(bins), format, TIME_TICKS), others: 0 }
}

async function valueBars(read: Read, field: string, operator: 'eq' | 'contains'): Promise<Bars> {
  const { data, excludedItems = 0 } = await read(
    [{ type: 'exact', field, maxGroupCount: VALUES_SHOWN }],
    [{ type: 'count', name: 'count', direction: 'DESC' }],
  )
  const bars = data
    .map((group): Bar => {
      const value = String(group.group[field])
      return {
        label: value,
        count: metricOf(group, 'count'),
        filters: [{ field, operator, value }],
      }
    })
    .toSorted((a, b) => b.count - a.count)
  return { kind: 'values', bars, ticks: [], others: excludedItems }
}

function edgesOf(bins: readonly Bin[]): readonly number[] {
  return [...bins.map(({ from }) => from), ...bins.slice(-1).map(({ to }) => to)]
}

/** Writes a moment; undefined outside of the years that have four digits, where nothing is stored. */
function momentText(ms: number, isDate: boolean): string | undefined {
  const year = new Date(ms).getUTCFullYear()
  if (year < 1 || year > 9999) return undefined
  return new Date(ms).toISOString().slice(0, isDate ? 10 : undefined)
}

/** Returns a range of an aggregation. Its bounds are texts, so that no digit is lost. */
function rangeOf(startValue: string | undefined, endValue: string | undefined): Json {
  return {
    ...(startValue !== undefined && { startValue }),
    ...(endValue !== undefined && { endValue }),
  }
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

function formatNumber(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 6 })
}

function metricOf(group: Group | undefined, name: string): number {
  return Number(group?.metrics.find((each) => each.name === name)?.value ?? 0)
}
