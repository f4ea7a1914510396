/** Compiles an aggregation to columns, and to functions that read them. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import type {
  Aggregated,
  Aggregation,
  Grouping,
  Metric,
} from '../../../query/aggregation/aggregation.ts'
import { isLacking, readField } from '../../../query/aggregation/read-field.ts'
import type { AggregateSource } from '../../port/pages.ts'
import type { FieldNumbers } from '../../sql/compile/field-numbers.ts'
import { columnType } from '../catalogue/column-codec.ts'
import {
  type AggregateParts,
  type GroupedField,
  isDirect,
  nestedShare,
  nestedValue,
  type SourceSql,
} from './grouped-sql.ts'
import { groupingSql } from './grouping-sql.ts'
import { type Cell, metricSql } from './metric-sql.ts'

export interface CompiledAggregation extends AggregateParts {
  /** Return the JSON of the keys and the metrics in a row of the statement. */
  readonly readKeys: (cells: readonly Cell[]) => readonly string[]
  readonly readMetrics: (cells: readonly Cell[]) => readonly (string | undefined)[]
  /** The names of the columns with texts of any length. */
  readonly textColumns: readonly string[]
}

/** The rows of a source, before the columns of the aggregation are known. */
export interface SourceRows extends Pick<SourceSql, 'table' | 'visible' | 'matching'> {
  readonly source: AggregateSource
  readonly version: number
  readonly numbers: FieldNumbers
}

export function compileAggregation(
  aggregation: Aggregation,
  rows: readonly SourceRows[],
): CompiledAggregation {
  const aggregated = metricFields(aggregation.metrics)
  const keys = aggregated.map(keyOf)
  const sources = rows.map((source) => sourceSql(source, aggregation, aggregated))
  const groupings = sources[0]?.groupings ?? []
  const shares = aggregation.metrics.flatMap((metric) =>
    metric.kind === 'percentile' ? [keys.indexOf(keyOf(metric))] : [],
  )
  const parts = { sources, groupings, shares: [...new Set(shares)] }
  let columnCount = 0
  const metrics = aggregation.metrics.map((metric) => {
    const number = metric.kind === 'count' ? -1 : keys.indexOf(keyOf(metric))
    const value = isDirect(parts) ? (sources[0]?.values[number] ?? '') : nestedValue(number)
    const compiled = metricSql(metric, { value, share: nestedShare(number) })
    const first = columnCount
    columnCount += compiled.columns.length
    const names = compiled.columns.map((_, index) => `m${first + index}`)
    return { ...compiled, metric, first, names }
  })
  return {
    ...parts,
    columns: metrics.flatMap(({ columns }) => columns),
    columnValues: metrics.flatMap(({ values }) => values),
    order: metrics.flatMap(({ order, names, metric: { direction } }) =>
      direction === undefined ? [] : [{ sql: order(names), direction }],
    ),
    readKeys: (cells) =>
      groupings.map(({ read }, index) => {
        const key = cells[index] ?? null
        return key === null ? 'null' : read(key)
      }),
    readMetrics: (cells) =>
      metrics.map(({ columns, first, read }) => {
        const from = groupings.length + first
        return read(cells.slice(from, from + columns.length))
      }),
    textColumns: [
      ...aggregation.groupings.flatMap(({ kind, type }, index) =>
        kind === 'exact' && isLongText(type) ? [`k${index}`] : [],
      ),
      ...metrics.flatMap(({ metric, names }) =>
        (metric.kind === 'min' || metric.kind === 'max') && isLongText(metric.type) ? names : [],
      ),
    ],
  }
}

type TypedField = Grouping | Exclude<Metric, { kind: 'count' }>

function isLongText(type: ScalarType): boolean {
  return type === 'string' || type === 'marking'
}

/** Tells the field `b` of `a` from a property `a.b`: responses show the same name. */
function keyOf({ property, field }: Aggregated): string {
  return fieldKey(field ?? { property, structField: undefined })
}

/** Returns what metrics read, each field once. */
function metricFields(metrics: readonly Metric[]): TypedField[] {
  const fields = metrics.flatMap((metric): [string, TypedField][] =>
    metric.kind === 'count' ? [] : [[keyOf(metric), metric]],
  )
  return [...new Map(fields).values()]
}

function sourceSql(
  { source, numbers, table, visible, matching }: SourceRows,
  { groupings }: Aggregation,
  aggregated: readonly TypedField[],
): SourceSql {
  const fieldOf = (one: TypedField): GroupedField => {
    const field = readField(one, source.names)
    const { property, structField } = field
    if (isLacking(field)) {
      const type = columnType(one.type)
      const column = type === 'text' ? `NULL::text COLLATE "C"` : `NULL::${type}`
      return { property, number: undefined, column }
    }
    const number = numbers.of(field)
    return { property, number, column: numbers.propertySql(property, structField).value }
  }
  return {
    table,
    visible,
    matching,
    groupings: groupings.map((grouping, index) => groupingSql(grouping, fieldOf(grouping), index)),
    values: aggregated.map((one) => fieldOf(one).column),
  }
}
