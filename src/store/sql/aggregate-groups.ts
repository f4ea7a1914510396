/** Compiles an aggregation, and collects its groups. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { AGGREGATE_MAX_BYTES } from '../../contract/limits.ts'
import type { Aggregation, Metric } from '../../query/aggregation/aggregation.ts'
import type { AggregateResult } from '../aggregate-request.ts'
import { type GroupingDialect, groupingSql } from './aggregate-grouping.ts'
import { type Cell, type MetricDialect, metricSql } from './aggregate-metric.ts'
import { type AggregateParts, isCut } from './aggregate-sql.ts'
import { columnOf, type FieldNumbers } from './field-numbers.ts'
import { type AggregatedGroup, groupWriter, JoinedTexts } from './group-json.ts'

/** An aggregation, compiled to columns and to functions that read them. */
export interface CompiledAggregation extends Pick<AggregateParts, 'groupings' | 'columns'> {
  /** Converts a row of the statement. */
  readonly toGroup: (cells: readonly Cell[]) => AggregatedGroup
  readonly writeGroup: (group: AggregatedGroup) => string
  /** The approximate bytes of one group's metrics in the response. */
  readonly metricBytes: number
}

export function compileAggregation(
  aggregation: Aggregation,
  numbers: FieldNumbers,
  dialect: { readonly groupings: GroupingDialect; readonly metrics: MetricDialect },
): CompiledAggregation {
  const column = (property: string) =>
    `o.${columnOf(numbers.of({ property, structField: undefined }))}`
  const groupings = aggregation.groupings.map((grouping, index) =>
    groupingSql(grouping, column(grouping.property), index, dialect.groupings),
  )
  const metrics = aggregation.metrics.map((metric) =>
    metricSql(metric, metric.kind === 'count' ? '' : column(metric.property), dialect.metrics),
  )
  return {
    groupings,
    columns: metrics.flatMap(({ columns }) => columns),
    toGroup: (cells) => {
      let at = groupings.length
      return {
        keys: groupings.map((grouping, index) => grouping.read(cells[index] ?? '')),
        metrics: metrics.map(({ columns, read }) => {
          at += columns.length
          return read(cells.slice(at - columns.length, at))
        }),
      }
    },
    writeGroup: groupWriter(aggregation),
    metricBytes: bytesOfMetrics(aggregation.metrics),
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
    this.#bytes += this.#compiled.metricBytes + group.keys.reduce((sum, key) => sum + key.length, 0)
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

  finish(): AggregateResult {
    return {
      records: this.#records.finish(),
      excludedItems: this.#isCut ? this.#allObjects - this.#keptObjects : undefined,
    }
  }
}

export function tooManyGroups(groupsCount: number, groupsLimit: number): ObjectQueryError {
  return new ObjectQueryError('AggregationGroupCountExceededLimit', { groupsCount, groupsLimit })
}

/** The approximate bytes of a metric in the response, besides its name. */
const METRIC_BYTES = 50

function bytesOfMetrics(metrics: readonly Metric[]): number {
  return metrics.reduce((bytes, { name }) => bytes + name.length + METRIC_BYTES, 0)
}
