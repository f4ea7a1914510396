/** What a chart shows: rows and columns with their labels, and the values as they are drawn. */
import type { ObjectTypeDefinition } from '../api/ontology.ts'
import { type ChartState, type Form, TIME_STEPS } from '../view/chart-state.ts'
import { nameOfPath } from '../view/paths.ts'
import { scalarOf, type TypeView } from '../view/type-view.ts'
import type { Box, Filter } from '../view/view-state.ts'
import { ALL, type Axis, type Bucket } from './axis.ts'
import { kindOf } from './build-axis.ts'
import type { Cube } from './cube.ts'
import { describeMeasure, isAdditive, type Value } from './measures.ts'

/** A row or a column. */
export interface Line extends Bucket {
  /** Its place in the cube. */
  readonly place: number
  /** The label without a title. */
  readonly short: string
}

export interface DrawnChart {
  readonly title: string
  readonly form: Form
  /** The first dimension; undefined if there is only one number. */
  readonly axis: Axis | undefined
  /** The name of the first dimension. */
  readonly axisName: string
  readonly rows: readonly Line[]
  /** The second dimension or the comparison; one column without a label if there is neither. */
  readonly columns: readonly Line[]
  readonly columnsName: string | undefined
  readonly columnsAxis: Axis | undefined
  readonly isCompared: boolean
  /** True if the bars of a row can stand on each other. */
  readonly isStacked: boolean
  readonly isShare: boolean
  /** True if all values are whole numbers by their nature. */
  readonly isWhole: boolean
  /** Returns a value as it is drawn. */
  readonly valueAt: (row: number, column: number) => Value
  readonly format: (value: Value) => string
  readonly note: string | undefined
}

/** The box is a cell of a map. */
export type OnFilter = (filters: readonly Filter[], box?: Box) => void

/** What every form of a chart takes. */
export interface FormProps {
  readonly drawn: DrawnChart
  /** Filters for the objects of what is pressed; undefined if nothing can be pressed. */
  readonly onFilter: OnFilter | undefined
  /** In pixels. */
  readonly width: number
  /** True for a picture among many. */
  readonly isSmall?: boolean
}

/** Columns that colours can tell apart, and that a table can hold. */
const SERIES = 6
const TABLE_COLUMNS = 12

export function seriesOf(form: Form): number {
  return form === 'bars' || form === 'line' ? SERIES : TABLE_COLUMNS
}

/** Returns the forms that suit the dimensions of a chart, the best one first. */
export function formsOf(of: TypeView, { by, measure, against }: ChartState): readonly Form[] {
  const [first, second] = by.map((dimension) => kindOf(of, dimension))
  if (first === undefined) return ['pivot']
  if (first === 'places') return ['map', 'pivot']
  if (against !== undefined || second === undefined) {
    return first === 'times'
      ? ['line', 'bars', 'pivot']
      : first === 'numbers'
        ? ['bars', 'line', 'pivot']
        : ['bars', 'pivot']
  }
  if (first === 'times') return ['line', 'bars', 'heat', 'pivot']
  if (first === 'numbers' && second === 'numbers') return ['scatter', 'heat', 'pivot']
  // Few columns can be told apart by their colours.
  const isSplit = scalarOf(of.objectType, by[1]?.path ?? '') === 'boolean'
  if (isSplit && isAdditive(measure)) return ['bars', 'heat', 'pivot']
  return ['heat', 'bars', 'pivot']
}

export function formOf(of: TypeView, chart: ChartState): Form {
  const forms = formsOf(of, chart)
  return forms.find((form) => form === chart.form) ?? forms[0] ?? 'pivot'
}

/** Returns the chart in words: `Average of Delay by Origin and Month`. */
export function describeChart(type: ObjectTypeDefinition, { measure, by }: ChartState): string {
  const names = by.map(({ path, step }) => {
    const isTime = TIME_STEPS.some((each) => each === step)
    return isTime ? `${nameOfPath(type, path)} (${step})` : nameOfPath(type, path)
  })
  const ending = names.length === 0 ? '' : ` by ${names.join(' and ')}`
  return describeMeasure(type, measure) + ending
}

export interface DrawnOptions {
  readonly of: TypeView
  readonly chart: ChartState
  readonly cube: Cube
  /** Returns the label of a group, with the title of the object that it is the key of. */
  readonly labelOf: (path: string | undefined, bucket: Bucket) => string
  readonly format: (value: Value) => string
}

export function drawnChart({ of, chart, cube, labelOf, format }: DrawnOptions): DrawnChart {
  const [axis, second] = cube.axes
  const linesOf = (each: Axis | undefined): readonly Line[] =>
    (each?.buckets ?? []).map((bucket, place) => {
      return { ...bucket, label: labelOf(each?.path, bucket), short: bucket.label, place }
    })
  const whole: Line = { label: '', short: '', kind: 'value', filters: [], place: ALL }
  const columns = second === undefined ? [whole] : linesOf(second)
  const rows = axis === undefined ? [{ ...whole, label: 'All objects' }] : linesOf(axis)
  const isCompared = second?.kind === 'compared'
  const isShare = chart.isShare && isAdditive(chart.measure)
  const amountAt = (row: number, column: number) => cube.valueAt(row, column)
  const wholeAt = (row: number, column: number) =>
    // The parts of a row add up to it; without columns, rows add up to all objects.
    second === undefined || isCompared ? amountAt(ALL, column) : amountAt(row, ALL)
  const values = rows.flatMap((row) => columns.map(({ place }) => amountAt(row.place, place)))
  const areNumbers = values.every((value) => typeof value !== 'string')
  return {
    title: describeChart(of.objectType, chart),
    form: areNumbers ? formOf(of, chart) : 'pivot',
    axis,
    axisName: axis?.path === undefined ? '' : nameOfPath(of.objectType, axis.path),
    rows,
    columns,
    columnsName: second?.path === undefined ? undefined : nameOfPath(of.objectType, second.path),
    columnsAxis: second,
    isCompared,
    isStacked:
      isAdditive(chart.measure) && !isCompared && values.every((value) => Number(value ?? 0) >= 0),
    isShare,
    isWhole: !isShare && (chart.measure.kind === 'count' || chart.measure.kind === 'distinct'),
    valueAt: (row, column) => {
      if (!isShare) return amountAt(row, column)
      const [part, all] = [Number(amountAt(row, column)), Number(wholeAt(row, column))]
      return all === 0 ? undefined : part / all
    },
    format: isShare ? formatShare : format,
    note: noteOf(chart, axis, isCompared),
  }
}

/** Returns what a reader must know of a chart. */
function noteOf(chart: ChartState, axis: Axis | undefined, isCompared: boolean) {
  const { against, by } = chart
  const needsPeriod = against?.kind === 'before' || against?.kind === 'year'
  if (needsPeriod && !isCompared) {
    return 'Compared with nothing, because no filter gives a period with a start and an end.'
  }
  if (axis?.note !== undefined || axis?.step === undefined || by[0]?.step !== undefined) {
    return axis?.note
  }
  return axis.step.charAt(0).toUpperCase() + axis.step.slice(1)
}

function formatShare(value: Value): string {
  if (value === undefined) return '–'
  const percent = 100 * Number(value)
  return `${percent.toFixed(percent !== 0 && Math.abs(percent) < 10 ? 1 : 0)} %`
}

/** Returns a value as a length; undefined if it has none. */
export function lengthOf(value: Value): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Returns the filters for the objects of a cell; undefined if no filter can select them. */
export function filtersOf(...lines: readonly (Line | undefined)[]): readonly Filter[] | undefined {
  const filters = lines.map((line) => (line === undefined ? [] : line.filters))
  return filters.includes(undefined) ? undefined : filters.flatMap((each) => each ?? [])
}
