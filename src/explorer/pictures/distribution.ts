/** The distribution of the values of a property over all objects of a view. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { bisectRight } from 'd3-array'
import {
  isNumber,
  isWholeNumber,
  type ObjectTypeDefinition,
  type ScalarType,
} from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { aggregate, COUNT, countedKey, type Group, staleTimeOf } from '../queries/aggregate.ts'
import { extentsQuery } from '../queries/use-number-styles.ts'
import { numberStyle, propertiesStyledByValues } from '../ui/format-value.ts'
import { fieldOf } from '../view/paths.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
import type { Filter, ViewState } from '../view/view-state.ts'
import {
  type Bar,
  type Bars,
  edgesOf,
  metricOf,
  numberBars,
  type Read,
  rangeFilters,
} from './bars.ts'
import { calendarUnit, type Shape, timeBins } from './number-bins.ts'
import { edgeTicks, momentFormat } from './ticks.ts'

export interface Distribution extends Bars {
  /** Objects with a value. */
  readonly present: number
  /** Objects without a value. */
  readonly missing: number
}

const VALUES_SHOWN = 12
const TIME_TICKS = 4

/** True if a picture of the property can be drawn. */
export function hasPicture(type: ScalarType | undefined): boolean {
  return (
    type !== undefined &&
    (isNumber(type) || ['date', 'timestamp', 'string', 'boolean'].includes(type))
  )
}

/**
 * Reads the distribution of a property. It takes two requests at most, which all pictures of a screen
 * share: one for what the values are like, and one for the bars that suit them.
 */
export function distributionQuery(service: Service, of: TypeView, property: string) {
  return queryOptions({
    queryKey: ['distribution', property, ...countedKey(of)],
    queryFn: async ({ client, signal }): Promise<Distribution> => {
      const { properties } = of.objectType
      const kind = kindOf(of.objectType, property)
      const readView =
        (view: ViewState): Read =>
        (groupBy, aggregation = [COUNT]) =>
          aggregate(service, { ...of, view }, { aggregation, groupBy }, signal)
      const read = readView(of.view)
      const isMissing: Filter = { field: property, operator: 'empty', value: '' }
      const without = readView({ ...of.view, filters: [...of.view.filters, isMissing] })
      const operator = properties[property]?.type === 'array' ? 'contains' : 'eq'
      const [all, missed, style, values] = await Promise.all([
        read([], [COUNT, ...summaryOf(kind, fieldOf(property))]),
        without([]),
        readStyle(client, service, of, property),
        kind === 'values' || kind === 'texts' ? valueBars(read, property, operator) : undefined,
      ])
      const summary = all.data[0]
      const missing = metricOf(missed.data[0], 'count')
      const present = metricOf(summary, 'count') - missing
      const counts = { present, missing }
      if (present === 0) return { kind: 'values', bars: [], ticks: [], others: 0, ...counts }
      if (values !== undefined) {
        const areDifferent = kind === 'texts' && metricOf(summary, 'distinct') === present
        if (!areDifferent || present <= VALUES_SHOWN) return { ...values, ...counts }
        return { kind: 'distinct', bars: [], ticks: [], others: present, ...counts }
      }
      const type = scalarOf(of.objectType, property)
      if (kind === 'times') {
        return { ...(await timeBars(read, property, summary, type === 'date')), ...counts }
      }
      const shape = shapeOf(summary, present)
      const options = { shape, isWhole: isWholeNumber(type), style }
      return { ...(await numberBars(read, property, options)), ...counts }
    },
    staleTime: staleTimeOf(of),
  })
}

type Kind = 'texts' | 'values' | 'times' | 'numbers'

function kindOf(objectType: ObjectTypeDefinition, property: string): Kind {
  if (objectType.properties[property]?.type === 'array') return 'values'
  const type = scalarOf(objectType, property)
  if (type === 'date' || type === 'timestamp') return 'times'
  return isNumber(type) ? 'numbers' : type === 'string' ? 'texts' : 'values'
}

const PERCENTILES = { low: 5, median: 50, high: 95 } as const

/** Returns the metrics that say which bars suit the values. */
function summaryOf(kind: Kind, field: string): readonly object[] {
  if (kind === 'values') return []
  if (kind === 'texts') return [{ type: 'exactDistinct', name: 'distinct', field }]
  const extremes = ['min', 'max'].map((type) => ({ type, name: type, field }))
  if (kind === 'times') return extremes
  const percentiles = Object.entries(PERCENTILES).map(([name, approximatePercentile]) => ({
    type: 'approximatePercentile',
    name,
    field,
    approximatePercentile,
  }))
  return [...extremes, ...percentiles]
}

/** Returns a metric as it came; undefined if there are no values. */
function metricValue(summary: Group | undefined, name: string): string | number | undefined {
  return summary?.metrics.find((each) => each.name === name)?.value
}

function shapeOf(summary: Group | undefined, count: number): Shape {
  const of = (name: keyof Shape) => Number(metricValue(summary, name) ?? Number.NaN)
  return {
    min: of('min'),
    max: of('max'),
    low: of('low'),
    median: of('median'),
    high: of('high'),
    count,
  }
}

/** Axes and tables show the numbers of a property alike, so all its values decide, not those of a view. */
async function readStyle(client: QueryClient, service: Service, of: TypeView, property: string) {
  if (!propertiesStyledByValues(of).includes(property)) return numberStyle(of, property)
  const extents = await client.ensureQueryData(extentsQuery(service, of)).catch(() => undefined)
  return numberStyle(of, property, extents?.get(property))
}

async function timeBars(
  read: Read,
  field: string,
  summary: Group | undefined,
  isDate: boolean,
): Promise<Bars> {
  const [min, max] = [
    Date.parse(String(metricValue(summary, 'min'))),
    Date.parse(String(metricValue(summary, 'max'))),
  ]
  if (Number.isNaN(min + max)) return { kind: 'times', bars: [], ticks: [], others: 0 }
  const unit = calendarUnit(min, max, isDate)
  const bins = timeBins(min, max, unit)
  const { data } = await read([{ type: 'duration', field: fieldOf(field), value: 1, unit }])
  // A bin may hold several years.
  const starts = bins.map(({ from }) => from)
  const counts = starts.map(() => 0)
  for (const group of data) {
    const bin = bisectRight(starts, Date.parse(String(group.group[fieldOf(field)]))) - 1
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
    [{ type: 'exact', field: fieldOf(field), maxGroupCount: VALUES_SHOWN }],
    [{ ...COUNT, direction: 'DESC' }],
  )
  const bars = data
    .map((group): Bar => {
      const value = String(group.group[fieldOf(field)])
      return {
        label: value,
        count: metricOf(group, 'count'),
        filters: [{ field, operator, value }],
      }
    })
    .toSorted((a, b) => b.count - a.count)
  return { kind: 'values', bars, ticks: [], others: excludedItems }
}

/** Writes a moment; undefined outside of the years that have four digits, where nothing is stored. */
function momentText(ms: number, isDate: boolean): string | undefined {
  const year = new Date(ms).getUTCFullYear()
  if (year < 1 || year > 9999) return undefined
  return new Date(ms).toISOString().slice(0, isDate ? 10 : undefined)
}
