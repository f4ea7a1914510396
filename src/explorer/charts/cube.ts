/** The numbers of a chart: a value for each pair of groups, with the totals. */
import { queryOptions } from '@tanstack/react-query'
import type { ServiceRequest } from '../../client/connection.ts'
import {
  aggregateBatchRequest,
  type ObjectAggregation,
  objectAggregateRequest,
} from '../../client/endpoints/object-sets.ts'
import type { Service } from '../api/service.ts'
import { aggregateWhere, countedKey, type Group, staleTimeOf } from '../queries/aggregate.ts'
import { readStyle } from '../queries/use-number-styles.ts'
import { type ChartState, writeChart } from '../view/chart-state.ts'
import { whereOf } from '../view/compile-filters.ts'
import { type TypeView, typePathOf } from '../view/type-view.ts'
import { ALL, type Ask, type Axis, type Slice, WHOLE } from './axis.ts'
import { buildAxis } from './build-axis.ts'
import { comparedAxis, periodOf } from './compare.ts'
import { isZeroIfEmpty, METRIC, metricOf, type Value } from './measures.ts'

export interface Cube {
  /** None, one or two. */
  readonly axes: readonly Axis[]
  /** The value of a row and a column; `ALL` stands for all of them together. */
  readonly valueAt: (row: number, column?: number) => Value
  /** The aggregations that the values come from. */
  readonly aggregations: readonly ObjectAggregation[]
}

/**
 * Reads a chart in two requests: one finds the groups, the other computes their values. `series` is
 * how many values of the second dimension are shown one by one.
 */
export function cubeQuery(service: Service, of: TypeView, chart: ChartState, series: number) {
  return queryOptions({
    queryKey: ['chart', writeChart({ ...chart, form: undefined }), series, ...countedKey(of)],
    queryFn: async ({ client, signal }): Promise<Cube> => {
      const ask: Ask = (body, within) =>
        aggregateWhere(service, of, { where: whereOf(of, within), ...body }, signal)
      const period = chart.against && periodOf(of)
      const second = chart.against && comparedAxis(of, chart.against)
      const shown = second === undefined ? chart.by : chart.by.slice(0, 1)
      const found = await Promise.all(
        shown.map((dimension, index) => {
          const isPeriod = period !== undefined && period.field === dimension.path
          return buildAxis(dimension, {
            of,
            chart: index === 0 ? chart : { ...chart, sort: 'highest' },
            ask,
            style: readStyle(client, service, of, dimension.path),
            top: index === 0 ? chart.top : series,
            period: isPeriod ? [period.fromMs, period.toMs - 1] : undefined,
          })
        }),
      )
      const axes = second === undefined ? found : [...found, second]
      return readCells(service, of, chart, axes, signal)
    },
    staleTime: staleTimeOf(of),
  })
}

async function readCells(
  service: Service,
  of: TypeView,
  chart: ChartState,
  axes: readonly Axis[],
  signal: AbortSignal,
): Promise<Cube> {
  const [rows = [WHOLE], columns = [WHOLE]] = axes.map(({ slices }) => slices)
  const pairs = rows.flatMap((row) => columns.map((column) => [row, column] as const))
  const aggregations = pairs.map((pair) => aggregationOf(of, chart, pair))
  const answers = await Promise.all(
    aggregations.map((body) => aggregateWhere(service, of, body, signal)),
  )
  const cells = new Map<string, Value>()
  for (const [index, [row, column]] of pairs.entries()) {
    const moved = column.moved ?? ((ms: number) => ms)
    for (const group of answers[index]?.data ?? []) {
      const place = `${row.placeOf(group.group, moved)} ${column.placeOf(group.group, moved)}`
      cells.set(place, valueIn(group))
    }
  }
  const empty = isZeroIfEmpty(chart.measure) ? 0 : undefined
  const valueAt = (row: number, column = ALL) => cells.get(`${row} ${column}`) ?? empty
  return { axes, valueAt, aggregations }
}

function aggregationOf(
  of: TypeView,
  { measure }: ChartState,
  pair: readonly [Slice, Slice],
): ObjectAggregation {
  const [{ view = of.view }, within] = [
    pair.find((slice) => slice.view !== undefined) ?? {},
    pair.flatMap((slice) => slice.within),
  ]
  return {
    where: whereOf({ ...of, view }, within),
    aggregation: [metricOf(measure)],
    groupBy: pair.flatMap(({ groupBy }) => groupBy ?? []),
  }
}

function valueIn({ metrics }: Group): Value {
  const value = metrics.find(({ name }) => name === METRIC)?.value
  // Numbers that JSON cannot represent are texts.
  const number = typeof value === 'string' ? NOT_FINITE[value] : undefined
  return number ?? value
}

const NOT_FINITE: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}

/** Returns the request that computes the numbers of a chart. */
export function chartRequest(of: TypeView, { aggregations }: Cube): ServiceRequest {
  // The newest version is the default, and a copied request should go on asking for it.
  const version = of.view.isSnapshot ? of.version : undefined
  const [first, ...others] = aggregations
  return first !== undefined && others.length === 0
    ? objectAggregateRequest(typePathOf(of), { ...first, version })
    : aggregateBatchRequest(typePathOf(of), { aggregations, version })
}
