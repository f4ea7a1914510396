/** Compiles an aggregation, and collects its groups. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import { AGGREGATE_MAX_BYTES } from '../../../contract/limits.ts'
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { Aggregated, Aggregation, Metric } from '../../../query/aggregation/aggregation.ts'
import type { AggregateResult, AggregateSource } from '../../port/pages.ts'
import type { FieldNumbers } from '../compile/field-numbers.ts'
import { type GroupedField, type GroupingDialect, groupingSql } from './aggregate-grouping.ts'
import { type Cell, type MetricDialect, type MetricSql, metricSql } from './aggregate-metric.ts'
import { isCut } from './aggregate-sql.ts'
import { type AggregatedGroup, groupWriter, JoinedTexts } from './group-json.ts'
import {
  type AggregateParts,
  isDirect,
  nestedShare,
  nestedValue,
  type SourceSql,
} from './grouped-sql.ts'

/** An aggregation, compiled to columns and to functions that read them. */
export interface CompiledAggregation extends AggregateParts {
  /** Converts a row of the statement. */
  readonly toGroup: (cells: readonly Cell[]) => AggregatedGroup
  readonly writeGroup: (group: AggregatedGroup) => string
  /** The approximate bytes of one group's metrics in the response, besides their values. */
  readonly metricBytes: number
  /** The names of the columns with texts of any length. */
  readonly textColumns: readonly string[]
}

/** The rows of a source, before the columns of the aggregation are known. */
export interface SourceRows extends Pick<SourceSql, 'table' | 'visible' | 'matching'> {
  readonly source: AggregateSource
  readonly version: number
  readonly numbers: FieldNumbers
}

/** How a database writes groupings and metrics. */
export interface AggregateDialect {
  readonly groupings: GroupingDialect
  readonly metrics: MetricDialect
}

export function compileAggregation(
  aggregation: Aggregation,
  rows: readonly SourceRows[],
  dialect: AggregateDialect,
): CompiledAggregation {
  const aggregated = metricFields(aggregation.metrics)
  const properties = aggregated.map(({ property }) => property)
  const sources = rows.map((source) =>
    sourceSql(source, aggregation, aggregated, dialect.groupings),
  )
  const groupings = sources[0]?.groupings ?? []
  const shares = aggregation.metrics.flatMap((metric) =>
    metric.kind === 'percentile' ? [properties.indexOf(metric.property)] : [],
  )
  const parts = { sources, groupings, shares: [...new Set(shares)] }
  const metrics = aggregation.metrics.map((metric) => {
    const number = metric.kind === 'count' ? -1 : properties.indexOf(metric.property)
    const value = isDirect(parts) ? (sources[0]?.values[number] ?? '') : nestedValue(number)
    return metricSql(metric, { value, share: nestedShare(number) }, dialect)
  })
  const names = columnNames(metrics)
  return {
    ...parts,
    columns: metrics.flatMap(({ columns }) => columns),
    columnValues: metrics.flatMap(({ values }) => values),
    order: metrics.flatMap(({ order }, index) => {
      const direction = aggregation.metrics[index]?.direction
      return direction === undefined ? [] : [{ sql: order(names[index] ?? []), direction }]
    }),
    toGroup: (cells) => {
      let at = groupings.length
      return {
        keys: groupings.map(({ read }, index) => {
          const key = cells[index] ?? null
          return key === null ? 'null' : read(key)
        }),
        metrics: metrics.map(({ columns, read }) => {
          at += columns.length
          return read(cells.slice(at - columns.length, at))
        }),
      }
    },
    writeGroup: groupWriter(aggregation),
    metricBytes: bytesOfMetrics(aggregation.metrics),
    textColumns: [
      ...aggregation.groupings.flatMap(({ kind, type }, index) =>
        kind === 'exact' && isLongText(type) ? [`k${index}`] : [],
      ),
      ...aggregation.metrics.flatMap((metric, index) =>
        metric.kind === 'min' || metric.kind === 'max'
          ? isLongText(metric.type)
            ? (names[index] ?? [])
            : []
          : [],
      ),
    ],
  }
}

function isLongText(type: ScalarType): boolean {
  return type === 'string' || type === 'marking'
}

/** Returns the names of the columns of each metric. */
function columnNames(metrics: readonly MetricSql[]): string[][] {
  let at = 0
  return metrics.map(({ columns }) =>
    columns.map(() => {
      at += 1
      return `m${at - 1}`
    }),
  )
}

/** Returns what metrics read, each property once. */
function metricFields(metrics: readonly Metric[]): Aggregated[] {
  const fields = metrics.flatMap((metric): [string, Aggregated][] =>
    metric.kind === 'count' ? [] : [[metric.property, metric]],
  )
  return [...new Map(fields).values()]
}

function sourceSql(
  { source, numbers, table, visible, matching }: SourceRows,
  { groupings }: Aggregation,
  aggregated: readonly Aggregated[],
  dialect: GroupingDialect,
): SourceSql {
  const fieldOf = ({ property: name, field }: Aggregated): GroupedField => {
    const { property: shown, structField } = field ?? { property: name, structField: undefined }
    const property = source.names?.get(shown) ?? shown
    const number = numbers.of({ property, structField })
    return { property, number, column: numbers.propertySql(property, structField).value }
  }
  return {
    table,
    visible,
    matching,
    groupings: groupings.map((grouping, index) =>
      groupingSql(grouping, fieldOf(grouping), index, dialect),
    ),
    values: aggregated.map((one) => fieldOf(one).column),
  }
}

/** Collects the rows of the statement into JSON, and refuses results that are too large. */
export class GroupCollector {
  readonly #records = new JoinedTexts()
  readonly #compiled: CompiledAggregation
  readonly #isCut: boolean
  #groups = 0
  #bytes = 0
  #allObjects = 0
  #keptObjects = 0

  constructor(compiled: CompiledAggregation) {
    this.#compiled = compiled
    this.#isCut = isCut(compiled)
  }

  add(cells: readonly Cell[]): void {
    const group = this.#compiled.toGroup(cells)
    this.#groups += 1
    this.#bytes += this.#compiled.metricBytes + lengthOf(group.keys) + lengthOf(group.metrics)
    if (this.#bytes > AGGREGATE_MAX_BYTES) {
      throw new ObjectQueryError('AggregationMemoryExceededLimit', {
        bytesLimit: AGGREGATE_MAX_BYTES,
      })
    }
    this.#records.add(this.#compiled.writeGroup(group))
    if (this.#isCut) {
      this.#keptObjects += Number(cells.at(-2))
      this.#allObjects = Number(cells.at(-1))
    }
  }

  /** True if there are more groups than allowed. */
  exceeds(maxGroups: number): boolean {
    return this.#compiled.groupings.length > 0 && this.#groups > maxGroups
  }

  finish(): Omit<AggregateResult, 'versions'> {
    return {
      records: this.#records.finish(),
      excludedItems: this.#isCut ? this.#allObjects - this.#keptObjects : undefined,
    }
  }
}

export function tooManyGroups(groupsCount: number, groupsLimit: number): ObjectQueryError {
  return new ObjectQueryError('AggregationGroupCountExceededLimit', { groupsCount, groupsLimit })
}

/** The approximate bytes of a metric in the response, besides its name and its value. */
const METRIC_BYTES = 25

function lengthOf(texts: readonly (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
}

function bytesOfMetrics(metrics: readonly Metric[]): number {
  return metrics.reduce((bytes, { name }) => bytes + name.length + METRIC_BYTES, 0)
}
