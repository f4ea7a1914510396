/** Finds the groups of a dimension, of which the values that stand out are one kind. */
import { isNumber } from '../api/ontology.ts'
import { COUNT } from '../queries/aggregate.ts'
import { facetOperator } from '../queries/facet-query.ts'
import { formatValue } from '../ui/format-value.ts'
import type { Dimension } from '../view/chart-state.ts'
import type { Json, JsonConditions } from '../view/compile-filters.ts'
import { writeList } from '../view/filters.ts'
import { fieldOf, isNull } from '../view/paths.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
import type { Filter } from '../view/view-state.ts'
import {
  type Axis,
  type AxisOptions,
  type Bucket,
  type Shown,
  type Slice,
  singleSlice,
  WHOLE,
} from './axis.ts'
import { isArray, isPlace, isTime, metricOf } from './measures.ts'
import { placeAxis } from './place-axis.ts'
import { numberAxis, timeAxis } from './range-axis.ts'

export function kindOf({ objectType }: TypeView, { path, step }: Dimension): Axis['kind'] {
  const type = scalarOf(objectType, path)
  if (isPlace(objectType, path)) return 'places'
  if (step === 'value' || isArray(objectType, path)) return 'values'
  if (isTime(type)) return 'times'
  return isNumber(type) ? 'numbers' : 'values'
}

export async function buildAxis(dimension: Dimension, options: AxisOptions): Promise<Axis> {
  const { of, ask } = options
  const condition = isNull(dimension.path)
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
  const { of, chart, ask, top } = options
  const field = fieldOf(path)
  const type = scalarOf(of.objectType, path) ?? 'string'
  const direction = DIRECTIONS[chart.sort]
  const metric = { ...metricOf(chart.measure), direction: direction ?? 'DESC' }
  // By name, those with the most objects are shown.
  const aggregation = direction === undefined ? [{ ...COUNT, direction: 'DESC' }] : [metric, COUNT]
  const groupBy = [{ type: 'exact', field, maxGroupCount: top }]
  const { data, excludedItems = 0 } = await ask({ aggregation, groupBy })
  const style = await options.style
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
  const others = [{ $not: chosen }, isNull(path, false)] as unknown as JsonConditions[]
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
