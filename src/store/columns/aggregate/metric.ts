/** The metrics of an aggregation. */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { columnJson } from '../../../ontology/values/scalar-codec.ts'
import type { Metric } from '../../../query/aggregation/aggregation.ts'
import { columnNumber } from '../../../query/aggregation/column-number.ts'
import { doubleJson } from '../../sql/group-writer.ts'
import type { Column } from '../segment/column.ts'
import type { Accumulator, AddRows } from './accumulator.ts'
import { DistinctCounts } from './distinct.ts'
import { DoubleSums } from './double-sums.ts'
import { NumberExtremes, TextExtremes } from './extremes.ts'
import { Percentiles } from './percentile.ts'
import { DecimalSums, WholeSums } from './sums.ts'

export function accumulator(metric: Exclude<Metric, { kind: 'count' }>): Accumulator {
  switch (metric.kind) {
    case 'distinct':
      return new DistinctCounts()
    case 'sum':
    case 'avg': {
      const isMean = metric.kind === 'avg'
      const isDouble = metric.type === 'double' || metric.type === 'float'
      return new ByForm(
        () => (isDouble ? new DoubleSums(isMean) : new WholeSums(isMean)),
        () => new DecimalSums(isMean),
      )
    }
    case 'min':
    case 'max': {
      const isMax = metric.kind === 'max'
      const json = valueJson(metric)
      return new ByForm(
        () => new NumberExtremes(metric.type, isMax, json),
        () => new TextExtremes(metric.type, isMax, json),
      )
    }
    case 'percentile':
      return new Percentiles(metric.type, metric.fraction, valueJson(metric))
  }
}

/** Writes one of the values as its metric does. */
function valueJson({ type, times }: Metric & { kind: 'min' | 'max' | 'percentile' }) {
  return (value: ColumnValue) => {
    if (type === 'string') return columnJson(type, value)
    const isText = times === 'text' && (type === 'date' || type === 'timestamp')
    return isText ? columnJson(type, value) : doubleJson(columnNumber(type, value))
  }
}

/** Values of one field are numbers or texts, as the first segment shows. */
class ByForm implements Accumulator {
  readonly #ofNumbers: () => Accumulator
  readonly #ofTexts: () => Accumulator
  #chosen: Accumulator | undefined

  constructor(ofNumbers: () => Accumulator, ofTexts: () => Accumulator) {
    this.#ofNumbers = ofNumbers
    this.#ofTexts = ofTexts
  }

  reserve(groups: number): void {
    this.#chosen?.reserve(groups)
  }

  columnAdder(column: Column): AddRows | undefined {
    this.#chosen ??= column.kind === 'codes' ? this.#ofTexts() : this.#ofNumbers()
    return this.#chosen.columnAdder(column)
  }

  endSegment(): void {
    this.#chosen?.endSegment?.()
  }

  finish(rows: Float64Array): void {
    this.#chosen?.finish?.(rows)
  }

  json(group: number): string | undefined {
    return this.#chosen?.json(group)
  }

  compare(a: number, b: number): number {
    return this.#chosen?.compare(a, b) ?? 0
  }
}
