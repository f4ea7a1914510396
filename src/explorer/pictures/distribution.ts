/** How the values of a property are distributed over all objects of a view. */
import { queryOptions } from '@tanstack/react-query'
import type { Send } from '../api/call.ts'
import type { ScalarType } from '../api/ontology.ts'
import { aggregate, FACET_VALUES, type FacetOf, type Group } from '../facets/facet-query.ts'
import type { Filter } from '../view/view-state.ts'
import { type Json, scalarOf } from '../view/where.ts'
import { calendarUnit, numberBins } from './bins.ts'

export interface Bar {
  readonly label: string
  readonly count: number
  /** The filters that select the objects of this bar. */
  readonly filters: readonly Filter[]
}

export interface Distribution {
  readonly kind: 'numbers' | 'times' | 'values'
  readonly bars: readonly Bar[]
  /** Objects without a value. */
  readonly missing: number
}

const NUMBERS: readonly ScalarType[] = [
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'decimal',
]
const COUNT: Json = { type: 'count', name: 'count' }

/** True if a picture of the property can be drawn. */
export function hasPicture(type: ScalarType | undefined): boolean {
  return (
    type !== undefined &&
    (NUMBERS.includes(type) || ['date', 'timestamp', 'string', 'boolean'].includes(type))
  )
}

export function distributionQuery(send: Send, of: FacetOf, property: string) {
  const { filters, text, box } = of.view
  return queryOptions({
    queryKey: ['distribution', of.objectType.rid, property, filters, text, box],
    queryFn: async ({ signal }): Promise<Distribution> => {
      const type = scalarOf(of.objectType, property)
      const read = (groupBy: readonly Json[], aggregation: readonly Json[] = [COUNT]) =>
        aggregate(send, of, { aggregation, groupBy }, signal)
      const missing = countMissing(send, of, property, signal)
      if (type !== undefined && NUMBERS.includes(type)) {
        return { kind: 'numbers', bars: await numberBars(read, property), missing: await missing }
      }
      if (type === 'date' || type === 'timestamp') {
        const bars = await timeBars(read, property, type === 'date')
        return { kind: 'times', bars, missing: await missing }
      }
      return { kind: 'values', bars: await valueBars(read, property), missing: await missing }
    },
  })
}

type Read = (
  groupBy: readonly Json[],
  aggregation?: readonly Json[],
) => Promise<{ readonly data: readonly Group[]; readonly excludedItems?: number }>

async function countMissing(send: Send, of: FacetOf, property: string, signal: AbortSignal) {
  const filter: Filter = { field: property, operator: 'empty', value: '' }
  const view = { ...of.view, filters: [...of.view.filters, filter] }
  const { data } = await aggregate(
    send,
    { ...of, view },
    { aggregation: [COUNT], groupBy: [] },
    signal,
  )
  return countOf(data[0])
}

async function extent(read: Read, field: string) {
  const { data } = await read(
    [],
    [
      { type: 'min', name: 'min', field },
      { type: 'max', name: 'max', field },
    ],
  )
  const metric = (name: string) => data[0]?.metrics.find((each) => each.name === name)?.value
  return [metric('min'), metric('max')] as const
}

async function numberBars(read: Read, field: string): Promise<readonly Bar[]> {
  const [min, max] = await extent(read, field)
  if (min === undefined || max === undefined) return []
  const bins = numberBins(Number(min), Number(max))
  const ranges = bins.map(({ from, to }) => ({ startValue: from, endValue: to }))
  const { data } = await read([{ type: 'ranges', field, ranges }])
  const counts = new Map(
    data.map((group) => {
      const { startValue } = (group.group[field] ?? {}) as { readonly startValue?: number | string }
      return [Number(startValue), countOf(group)]
    }),
  )
  return bins.map(({ from, to }) => ({
    label: `${from.toLocaleString('en')} – ${to.toLocaleString('en')}`,
    count: counts.get(from) ?? 0,
    filters: [
      { field, operator: 'gte', value: String(from) },
      { field, operator: 'lt', value: String(to) },
    ],
  }))
}

async function timeBars(read: Read, field: string, isDate: boolean): Promise<readonly Bar[]> {
  const [min, max] = await extent(read, field)
  if (min === undefined || max === undefined) return []
  const unit = calendarUnit(Date.parse(String(min)), Date.parse(String(max)), isDate)
  const { data } = await read([{ type: 'duration', field, value: 1, unit }])
  const starts = data
    .map((group) => ({ start: String(group.group[field]), count: countOf(group) }))
    .toSorted((a, b) => a.start.localeCompare(b.start))
  return starts.map(({ start, count }, index) => {
    const end = starts[index + 1]?.start
    return {
      label: start,
      count,
      filters: [
        { field, operator: 'gte', value: start },
        ...(end === undefined ? [] : [{ field, operator: 'lt' as const, value: end }]),
      ],
    }
  })
}

async function valueBars(read: Read, field: string): Promise<readonly Bar[]> {
  const { data } = await read(
    [{ type: 'exact', field, maxGroupCount: FACET_VALUES }],
    [{ type: 'count', name: 'count', direction: 'DESC' }],
  )
  return data
    .map((group) => {
      const value = String(group.group[field])
      const filter: Filter = { field, operator: 'eq', value }
      return { label: value, count: countOf(group), filters: [filter] }
    })
    .toSorted((a, b) => b.count - a.count)
}

function countOf(group: Group | undefined): number {
  return Number(group?.metrics.find(({ name }) => name === 'count')?.value ?? 0)
}
