import { ObjectQueryError } from '../../contract/errors.ts'
import { AGGREGATE_MAX_BYTES } from '../../contract/limits.ts'
import type { Aggregation, Metric } from '../../query/aggregation.ts'
import type { AggregateResult } from '../aggregate-request.ts'
import { type GroupingDialect, groupingSql } from './aggregate-grouping.ts'
import { type Cell, type MetricDialect, metricSql } from './aggregate-metric.ts'
import { type AggregateParts, isCut } from './aggregate-sql.ts'
import { columnOf, type FieldNumbers } from './field-numbers.ts'
import { type AggregatedGroup, groupWriter, JoinedTexts } from './group-json.ts'

/** An aggregation between its SQL and its answer: which columns it takes, and what they mean. */
export interface CompiledAggregation extends Pick<AggregateParts, 'groupings' | 'columns'> {
  /** The group that a row of the statement is. */
  readonly toGroup: (cells: readonly Cell[]) => AggregatedGroup
  readonly writeGroup: (group: AggregatedGroup) => string
  /** What the metrics of one group take in an answer. */
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

/** Takes the rows of the statement one after the other, as long as they do not grow too large. */
export class GroupCollector {
  readonly #records = new JoinedTexts()
  readonly #compiled: CompiledAggregation
  readonly #isCut: boolean
  #groups = 0
  #bytes = 0
  #all = 0
  #kept = 0

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
      this.#kept += Number(cells.at(-2))
      this.#all = Number(cells.at(-1))
    }
  }

  /** Whether there are more groups than may be given. */
  isOver(maxGroups: number): boolean {
    return this.#compiled.groupings.length > 0 && this.#groups > maxGroups
  }

  finish(): AggregateResult {
    return {
      records: this.#records.finish(),
      excludedItems: this.#isCut ? this.#all - this.#kept : undefined,
    }
  }
}

export function tooManyGroups(groupsCount: number, groupsLimit: number): ObjectQueryError {
  return new ObjectQueryError('AggregationGroupCountExceededLimit', { groupsCount, groupsLimit })
}

/** What one metric of a group takes in an answer: name, number and the signs between. */
const METRIC_BYTES = 50

function bytesOfMetrics(metrics: readonly Metric[]): number {
  return metrics.reduce((bytes, { name }) => bytes + name.length + METRIC_BYTES, 0)
}
