/** What a chart computes: the metric of a request, its name, and its values as text. */
import { isNumber, type ObjectTypeDefinition, type ScalarType } from '../api/ontology.ts'
import { formatNumber, formatValue, type NumberStyle } from '../ui/format-value.ts'
import { MEASURE_NAMES, type Measure, type MeasureKind } from '../view/chart-state.ts'
import { fieldOf, nameOfPath, pathsOf } from '../view/paths.ts'
import { scalarOf } from '../view/type-view.ts'

/** The value of a cell; undefined if there is nothing to compute it from. */
export type Value = number | string | undefined

const TYPES: Readonly<Record<MeasureKind, string>> = {
  count: 'count',
  sum: 'sum',
  avg: 'avg',
  min: 'min',
  max: 'max',
  median: 'approximatePercentile',
  percentile: 'approximatePercentile',
  distinct: 'exactDistinct',
}

/** The name of the metric in requests. */
export const METRIC = 'value'

export function metricOf({ kind, of, percent }: Measure): object {
  const rank = kind === 'median' ? 50 : percent
  return {
    type: TYPES[kind],
    name: METRIC,
    ...(of !== undefined && { field: fieldOf(of) }),
    ...(rank !== undefined && { approximatePercentile: rank }),
  }
}

/** True if the values of parts add up to that of the whole. */
export function isAdditive({ kind }: Measure): boolean {
  return kind === 'count' || kind === 'sum'
}

/** True if a group without objects has the value zero, and not none. */
export function isZeroIfEmpty({ kind }: Measure): boolean {
  return kind === 'count' || kind === 'sum' || kind === 'distinct'
}

const TIMES: readonly (ScalarType | undefined)[] = ['date', 'timestamp']
const NOT_COMPARABLE: readonly (ScalarType | undefined)[] = [
  'geopoint',
  'geoshape',
  'attachment',
  undefined,
]

export function isTime(type: ScalarType | undefined): boolean {
  return TIMES.includes(type)
}

/** True if values of a type can be counted one by one. */
export function isComparable(type: ScalarType | undefined): boolean {
  return !NOT_COMPARABLE.includes(type)
}

/** True if the objects can be grouped by a path. */
export function isDimension(type: ObjectTypeDefinition, path: string): boolean {
  return isPlace(type, path) || isComparable(scalarOf(type, path))
}

/** True if a path leads to positions, which have cells of a map. */
export function isPlace({ properties }: ObjectTypeDefinition, path: string): boolean {
  return properties[path]?.type === 'geopoint'
}

export function isArray({ properties }: ObjectTypeDefinition, path: string): boolean {
  return properties[path]?.type === 'array'
}

/** Returns the paths that a measure can be computed of. */
export function measurable(
  type: ObjectTypeDefinition,
  kind: Exclude<MeasureKind, 'count'>,
): readonly string[] {
  return pathsOf(type).filter((path) => {
    const scalar = scalarOf(type, path)
    if (isArray(type, path)) return false
    if (kind === 'distinct') return isComparable(scalar)
    return isNumber(scalar) || (isTime(scalar) && kind !== 'sum' && kind !== 'avg')
  })
}

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })

/** Returns the name of a percentile: `1st percentile`. */
export function percentileName(percent: number): string {
  return `${percent}${ENDINGS[ORDINALS.select(percent)] ?? 'th'} percentile`
}

/** Returns the name of a measure: `Average of Delay`. */
export function describeMeasure(type: ObjectTypeDefinition, measure: Measure): string {
  const { kind, of, percent } = measure
  if (of === undefined) return MEASURE_NAMES[kind]
  const name = kind === 'percentile' ? percentileName(percent ?? 50) : MEASURE_NAMES[kind]
  return `${name} of ${nameOfPath(type, of)}`
}

/** Amounts that were computed have as many digits as can be read. */
function roundedNumber(value: number): number {
  const size = Math.abs(value)
  if (Number.isInteger(value) || size >= 1e15) return value
  return size >= 1 ? Number(value.toFixed(2)) : Number(value.toPrecision(3))
}

/** Returns the format of the values of a measure. Numbers of a property look as in the table. */
export function measureFormat(
  type: ObjectTypeDefinition,
  { kind, of }: Measure,
  style: NumberStyle,
): (value: Value) => string {
  const scalar = of === undefined ? undefined : scalarOf(type, of)
  const isAmount = kind === 'count' || kind === 'sum' || kind === 'distinct'
  return (value) => {
    if (value === undefined) return '–'
    if (typeof value === 'string') {
      return (scalar && formatValue(value, { type: scalar }, style)) ?? value
    }
    return formatNumber(roundedNumber(value), isAmount ? 'grouped' : style)
  }
}
