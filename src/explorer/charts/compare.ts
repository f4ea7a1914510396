/** The objects that a chart compares those of the view with. */
import type { Comparison } from '../view/chart-state.ts'
import { boundsOf, isOnlyOn, type Operator, readFilter } from '../view/filters.ts'
import { describeFilter } from '../view/operators.ts'
import { replaceFilters, scalarOf, type TypeView } from '../view/type-view.ts'
import { EMPTY_VIEW, type Filter, type ViewState } from '../view/view-state.ts'
import { type Axis, type Slice, WHOLE } from './axis.ts'
import { isTime } from './measures.ts'
import { momentText } from './range-axis.ts'

/** A time range that the view is filtered by. */
export interface Period {
  readonly field: string
  readonly isDate: boolean
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

const DAY_MS = 86_400_000

/** Returns the period that a view is filtered by; undefined if it has none, or an open one. */
export function periodOf({ view, objectType }: TypeView): Period | undefined {
  for (const { field } of view.filters) {
    const type = scalarOf(objectType, field)
    if (!isTime(type)) continue
    const isDate = type === 'date'
    const step = isDate ? DAY_MS : 1
    const bounds = view.filters
      .filter((each) => isOnlyOn(each, field))
      .flatMap((each) => (each.operator === 'between' ? boundsOf(each) : [each]))
    const edges = (operator: Operator, offset: number) =>
      bounds
        .filter((each) => each.operator === operator)
        .map(({ value }) => Date.parse(value) + offset)
    const days = isDate ? edges('eq', 0) : []
    const fromMs = Math.max(...edges('gte', 0), ...edges('gt', step), ...days)
    const toMs = Math.min(...edges('lt', 0), ...edges('lte', step), ...days.map((ms) => ms + step))
    if (fromMs < toMs && Number.isFinite(toMs - fromMs)) return { field, isDate, fromMs, toMs }
  }
  return undefined
}

/** Moves a moment by months, as calendars do. */
function addMonths(ms: number, months: number): number {
  const date = new Date(ms)
  return date.setUTCMonth(date.getUTCMonth() + months)
}

const isMonthStart = (ms: number) => /-01T00:00:00.000Z$/.test(new Date(ms).toISOString())

/** Returns what moves a moment to the period after (1) or before (-1), by months if it is of whole ones. */
function shiftOf({ fromMs, toMs: end }: Period, kind: 'before' | 'year') {
  // A bound at midnight is one that a range of moments includes.
  const toMs = isMonthStart(end - 1) ? end - 1 : end
  if (kind === 'year') return (ms: number, sign: 1 | -1) => addMonths(ms, 12 * sign)
  if (!isMonthStart(fromMs) || !isMonthStart(toMs)) {
    return (ms: number, sign: 1 | -1) => ms + sign * (toMs - fromMs)
  }
  const [from, to] = [new Date(fromMs), new Date(toMs)]
  const years = to.getUTCFullYear() - from.getUTCFullYear()
  const months = 12 * years + to.getUTCMonth() - from.getUTCMonth()
  return (ms: number, sign: 1 | -1) => addMonths(ms, months * sign)
}

/** Returns the objects that those of the view are compared with; undefined if it has no period. */
function comparedWith(
  of: TypeView,
  against: Comparison,
): (Pick<Slice, 'moved'> & { readonly view: ViewState; readonly label: string }) | undefined {
  const { view } = of
  if (against.kind === 'all') {
    return { view: { ...EMPTY_VIEW, isSnapshot: view.isSnapshot }, label: 'all objects' }
  }
  if (against.kind === 'filter') {
    const filter = readFilter(against.filter)
    // It is not written yet.
    if (filter === undefined || filter.value === '') return undefined
    const label = describeFilter(filter, of)
    return { view: replaceFilters(view, [filter]), label }
  }
  const period = periodOf(of)
  if (period === undefined) return undefined
  const { field, isDate, fromMs, toMs } = period
  const shift = shiftOf(period, against.kind)
  const [from, to] = [fromMs, toMs].map((ms) => momentText(shift(ms, -1), isDate))
  if (from === undefined || to === undefined) return undefined
  const filters: readonly Filter[] = [
    { field, operator: 'gte', value: from },
    { field, operator: 'lt', value: to },
  ]
  const label = against.kind === 'before' ? 'the period before' : 'a year before'
  return { view: replaceFilters(view, filters), label, moved: (ms) => shift(ms, 1) }
}

/** The axis of a comparison: the objects of the view, and those that they are compared with. */
export function comparedAxis(of: TypeView, against: Comparison): Axis | undefined {
  const compared = comparedWith(of, against)
  if (compared === undefined) return undefined
  const { label, ...other } = compared
  const at = (place: number) => ({ ...WHOLE, placeOf: () => place })
  return {
    kind: 'compared',
    path: undefined,
    buckets: [
      { label: 'this view', kind: 'value', filters: [] },
      { label, kind: 'value', filters: undefined },
    ],
    slices: [at(0), { ...at(1), ...other }],
    ticks: [],
    note: undefined,
  }
}
