/** Parses the metrics of an aggregation; the parts that the versions of the API share. */

import { isComparable } from '../../ontology/values/scalar-codec.ts'
import type { UnionType } from '../parse/union-type.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import type { Direction } from '../query.ts'
import {
  type AggregatedProperty,
  aggregatedBy,
  type FindProperty,
  invalidPropertyType,
  type WrittenProperty,
} from './aggregated-property.ts'
import { isNumericType, isTimeType, type Metric, type WrittenTimes } from './aggregation.ts'
import { percentileFraction } from './percentile-fraction.ts'

export interface WrittenMetric extends WrittenProperty {
  readonly type: string
  readonly name?: string | null
  /** Only in v2. */
  readonly direction?: 'ASC' | 'DESC' | null
  /** Only in v2. */
  readonly approximatePercentile?: number | null
}

/** The parsing of one metric. */
export interface MetricParsing {
  readonly written: WrittenMetric
  readonly path: string
  readonly findProperty: FindProperty
}

export interface MetricParser extends UnionType {
  readonly parse: (parsing: MetricParsing) => Metric
}

export function readCount({ written }: MetricParsing): Metric {
  const { type, name, direction } = written
  return { kind: 'count', name: name ?? type, ...directionOf(direction) }
}

/** Returns a parser of `min` or `max`, which can also be restricted to numbers and times. */
export function extremeReader(
  kind: 'min' | 'max',
  { times, texts }: { readonly times: WrittenTimes; readonly texts: boolean },
) {
  return (parsing: MetricParsing): Metric => {
    const { common, type, refuse } = propertyOf(parsing)
    if (isNumericType(type)) return { kind, ...common, type }
    if (isTimeType(type)) return { kind, ...common, type, ...timesOf(times) }
    if (texts && type === 'string') return { kind, ...common, type }
    throw refuse()
  }
}

export function sumReader(kind: 'sum' | 'avg') {
  return (parsing: MetricParsing): Metric => {
    const { common, type, refuse } = propertyOf(parsing)
    if (isNumericType(type)) return { kind, ...common, type }
    throw refuse()
  }
}

export function readDistinct(parsing: MetricParsing): Metric {
  const { common, type, refuse } = propertyOf(parsing)
  if (type !== undefined && isComparable(type)) return { kind: 'distinct', ...common, type }
  throw refuse()
}

export function readPercentile(parsing: MetricParsing): Metric {
  const { written, path } = parsing
  const { common, type, refuse } = propertyOf(parsing)
  const percentile = written.approximatePercentile ?? undefined
  const parameter = `${path}.approximatePercentile`
  if (percentile === undefined) throw unprocessable(parameter, 'is missing')
  if (!(percentile >= 0 && percentile <= 100)) {
    throw unprocessable(parameter, `is ${percentile}, which is not from 0 to 100`)
  }
  const fraction = percentileFraction(percentile)
  if (isNumericType(type)) return { kind: 'percentile', ...common, type, fraction }
  if (isTimeType(type)) return { kind: 'percentile', ...common, type, times: 'text', fraction }
  throw refuse()
}

/** Resolves the property of a metric, and what all metrics of a property have. */
function propertyOf({ written, path, findProperty }: MetricParsing) {
  const aggregated: AggregatedProperty = findProperty(written, path)
  const { property, type } = aggregated
  const name = written.name ?? `${written.type}_${property}`
  return {
    type,
    common: { name, ...aggregatedBy(aggregated), ...directionOf(written.direction) },
    refuse: () => invalidPropertyType(aggregated, `${written.type} is not defined for this type`),
  }
}

function directionOf(written: 'ASC' | 'DESC' | null | undefined): {
  readonly direction?: Direction
} {
  return written == null ? {} : { direction: written === 'ASC' ? 'asc' : 'desc' }
}

function timesOf(times: WrittenTimes): { readonly times?: WrittenTimes } {
  return times === 'milliseconds' ? {} : { times }
}
