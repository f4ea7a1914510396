/** What a chart asks for that the type of its objects does not have. */
import { type ChartState, MEASURE_NAMES } from '../view/chart-state.ts'
import { fieldAt } from '../view/field-at.ts'
import { readFilter } from '../view/filters.ts'
import { type LostPart, NO_PROPERTY, renamedTo } from '../view/lost-parts.ts'
import { describeFilter } from '../view/operators.ts'
import { nameOfPath } from '../view/paths.ts'
import { isKnownFilter, type ShownType } from '../view/type-view.ts'
import { describeMeasure, isDimension, measurable } from './measures.ts'

type LostInChart = LostPart<ChartState>

/** Returns the parts of a chart that cannot be computed. A chart without them would show another thing. */
export function lostInChart(of: ShownType, chart: ChartState): readonly LostInChart[] {
  return [
    ...lostMeasure(of, chart),
    ...chart.by.flatMap((_, index) => lostDimension(of, chart, index)),
    ...lostComparison(of, chart),
    ...chart.unread.map((text, index): LostInChart => {
      const without = { ...chart, unread: chart.unread.toSpliced(index, 1) }
      return { ...LOST, name: text, reason: 'this is no part of a chart', without }
    }),
  ]
}

const LOST = { selects: true, without: undefined, renamed: undefined } as const

function lostMeasure(of: ShownType, chart: ChartState): readonly LostInChart[] {
  const { objectType } = of
  const { measure } = chart
  const { kind, of: path } = measure
  if (kind === 'count' || path === undefined) return []
  if (measurable(objectType, kind).includes(path)) return []
  const name = describeMeasure(objectType, measure)
  const type = objectType.properties[path.split('/')[0] ?? '']?.type
  if (fieldAt(of, path) !== undefined) {
    const what = MEASURE_NAMES[kind].toLowerCase()
    return [{ ...LOST, name, reason: `values of type ${type} have no ${what}` }]
  }
  const change = (now: string) => ({ ...chart, measure: { ...measure, of: now } })
  return [{ ...LOST, name, reason: NO_PROPERTY, renamed: renamedTo(of, path, change) }]
}

function lostDimension(of: ShownType, chart: ChartState, index: number): readonly LostInChart[] {
  const { objectType } = of
  const { by } = chart
  const dimension = by[index]
  if (dimension === undefined || isDimension(objectType, dimension.path)) return []
  const { path } = dimension
  const name = `By ${nameOfPath(objectType, path)}`
  const without = { ...chart, by: by.toSpliced(index, 1) }
  if (fieldAt(of, path) !== undefined) {
    return [{ ...LOST, name, reason: 'its values cannot be grouped', without }]
  }
  const change = (now: string) => ({ ...chart, by: by.with(index, { ...dimension, path: now }) })
  return [{ ...LOST, name, reason: NO_PROPERTY, without, renamed: renamedTo(of, path, change) }]
}

function lostComparison(of: ShownType, chart: ChartState): readonly LostInChart[] {
  const { against } = chart
  if (against?.kind !== 'filter') return []
  const filter = readFilter(against.filter)
  const without = { ...chart, against: undefined }
  if (filter === undefined) {
    return [{ ...LOST, name: 'Compared with', reason: 'this is no filter', without }]
  }
  if (isKnownFilter(of, filter)) return []
  const name = `Compared with ${describeFilter(filter, of)}`
  return [{ ...LOST, name, reason: NO_PROPERTY, without }]
}
