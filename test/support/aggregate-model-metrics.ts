/** Metrics of the aggregation model, and the order of groups by them. */
import {
  compare,
  type ModelMetric,
  type ModelObject,
  model,
  SCALE,
  type Sortable,
} from './aggregate-model-types.ts'

function valuesOf({ property }: ModelMetric, members: readonly ModelObject[]): never[] {
  return members.flatMap((object) => {
    const value = object[property]
    return value === undefined || value === null ? [] : [value as never]
  })
}

/** The value that a minimum, maximum or percentile returns. */
function pickedValue(
  { type, property, percentile = 0 }: ModelMetric,
  values: readonly never[],
): never {
  const { sort } = model(property)
  const sorted = values.toSorted((a, b) => compare(sort(a), sort(b)))
  // Tenths of a percent, so that the rank is computed in integers.
  const rank = Math.max(1, Math.ceil((Math.round(percentile * 10) * sorted.length) / 1000))
  return sorted.at(type === 'min' ? 0 : type === 'max' ? -1 : rank - 1) as never
}

function isDistinct(type: string): boolean {
  return type === 'approximateDistinct' || type === 'exactDistinct'
}

/** What a sum or a mean is if one of the values is not finite; otherwise undefined. */
function specialSum({ property }: ModelMetric, values: readonly never[]): unknown {
  const { units } = model(property)
  const special = new Set(values.filter((value) => units?.(value) === undefined) as unknown[])
  return special.has('NaN') || special.size > 1 ? 'NaN' : [...special][0]
}

function unitsSum({ property }: ModelMetric, values: readonly never[]): bigint {
  const { units } = model(property)
  return values.reduce((total, value) => total + (units?.(value) ?? 0n), 0n)
}

export function metricOf(
  metric: ModelMetric,
  members: readonly ModelObject[],
  times: 'milliseconds' | 'text',
): unknown {
  const { type, property } = metric
  if (type === 'count') return members.length
  const values = valuesOf(metric, members)
  const { sort, milliseconds } = model(property)
  if (isDistinct(type)) return new Set(values.map(sort)).size
  if (values.length === 0) return undefined
  if (type !== 'sum' && type !== 'avg') {
    const value = pickedValue(metric, values)
    if (property === 'string' || (milliseconds !== undefined && times === 'text')) return value
    return milliseconds === undefined ? shownNumber(Number(value)) : milliseconds(value)
  }
  const special = specialSum(metric, values)
  if (special !== undefined) return special
  const sum = unitsSum(metric, values)
  // By way of decimal text, which is read exactly; with more digits than doubles can tell apart.
  const digits = type === 'sum' ? sum * 10n ** 60n : (sum * 10n ** 60n) / BigInt(values.length)
  return shownNumber(Number(`${digits}e-${SCALE + 60}`))
}

function shownNumber(value: number): number | string {
  return Number.isFinite(value) ? value + 0 : String(value)
}

/** Compares two groups by a metric; groups without a value come last. */
export function compareByMetric(
  metric: ModelMetric,
  a: readonly ModelObject[],
  b: readonly ModelObject[],
): number {
  const [left, right] = [orderOf(metric, a), orderOf(metric, b)]
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined)
  }
  return compare(left, right) * (metric.direction === 'DESC' ? -1 : 1)
}

/** Sums and means as integers, with more digits than can differ. */
function orderOf(metric: ModelMetric, members: readonly ModelObject[]): Sortable | undefined {
  const { type, property } = metric
  if (type === 'count') return members.length
  const values = valuesOf(metric, members)
  const { sort } = model(property)
  if (isDistinct(type)) return new Set(values.map(sort)).size
  if (values.length === 0) return undefined
  if (type !== 'sum' && type !== 'avg') return sort(pickedValue(metric, values))
  const special = specialSum(metric, values)
  if (special !== undefined) return special === 'NaN' ? special : Number(special)
  const sum = unitsSum(metric, values)
  return type === 'sum' ? sum : (sum * 10n ** 30n) / BigInt(values.length)
}
