/** The distribution of the values of a property over all objects of a view. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { bisectRight } from 'd3-array'
import { isNumber, isWholeNumber, type ScalarType } from '../api/ontology.ts'
import type { Service } from '../api/service.ts'
import { aggregate, COUNT } from '../queries/facet-query.ts'
import { extentsQuery } from '../queries/use-number-styles.ts'
import { numberStyle, propertiesStyledByValues } from '../ui/format-value.ts'
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
import { calendarUnit, timeBins } from './number-bins.ts'
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

export function distributionQuery(service: Service, of: TypeView, property: string) {
  const { filters, text, box } = of.view
  return queryOptions({
    queryKey: ['distribution', of.objectType.rid, property, filters, text, box, of.version],
    queryFn: async ({ client, signal }): Promise<Distribution> => {
      const type = scalarOf(of.objectType, property)
      const isArray = of.objectType.properties[property]?.type === 'array'
      const readView =
        (view: ViewState): Read =>
        (groupBy, aggregation = [COUNT]) =>
          aggregate(service, { ...of, view }, { aggregation, groupBy }, signal)
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
        const style = await readStyle(client, service, of, property)
        const options = { isWhole: isWholeNumber(type), style, present: counts.present }
        return { ...(await numberBars(read, property, options)), ...counts }
      }
      if (counts.distinct === counts.present && counts.present > VALUES_SHOWN) {
        return { kind: 'distinct', bars: [], ticks: [], others: counts.present, ...counts }
      }
      return { ...(await valueBars(read, property, 'eq')), ...counts }
    },
  })
}

/** Axes and tables show the numbers of a property alike, so all its values decide, not those of a view. */
async function readStyle(client: QueryClient, service: Service, of: TypeView, property: string) {
  if (!propertiesStyledByValues(of).includes(property)) return numberStyle(of, property)
  const extents = await client.ensureQueryData(extentsQuery(service, of)).catch(() => undefined)
  return numberStyle(of, property, extents?.get(property))
}

interface Counts extends Pick<Distribution, 'present' | 'missing'> {
  readonly distinct: number
}

/** Counts the objects with and without a value, and the different values of a field. */
async function countValues(
  read: Read,
  readMissing: Read,
  field: string | undefined,
): Promise<Counts> {
  const distinct: readonly object[] =
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
    [{ ...COUNT, direction: 'DESC' }],
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

/** Writes a moment; undefined outside of the years that have four digits, where nothing is stored. */
function momentText(ms: number, isDate: boolean): string | undefined {
  const year = new Date(ms).getUTCFullYear()
  if (year < 1 || year > 9999) return undefined
  return new Date(ms).toISOString().slice(0, isDate ? 10 : undefined)
}
