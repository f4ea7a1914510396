/** Parses the metrics of an aggregation. */
import { type TProperties, Type } from 'typebox'
import { API_NAME_MAX_LENGTH } from '../../contract/limits.ts'
import { documentedWith, optional } from '../../contract/schema-parts.ts'
import { isComparable } from '../../ontology/values/scalar-codec.ts'
import { type UnionType, unionType } from '../parse/union-type.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import {
  aggregatedBy,
  type FindProperty,
  invalidPropertyType,
  type WrittenProperty,
} from './aggregated-property.ts'
import { isNumericType, isTimeType, type Metric, type WrittenTimes } from './aggregation.ts'

export interface WrittenMetric extends WrittenProperty {
  readonly type: string
  readonly name?: string | null
  /** Only in v2. */
  readonly direction?: 'ASC' | 'DESC' | null
  /** Only in v2. */
  readonly approximatePercentile?: number | null
}

/** The parsing of one metric. */
interface MetricParsing {
  readonly written: WrittenMetric
  readonly path: string
  readonly findProperty: FindProperty
}

export interface MetricParser extends UnionType {
  readonly parse: (parsing: MetricParsing) => Metric
}

const name = optional(
  Type.String({
    minLength: 1,
    maxLength: 2 * API_NAME_MAX_LENGTH,
    description: 'The name in the response. Default: `count`, or `TYPE_PROPERTY`.',
  }),
)
const direction = Type.Optional(
  Type.Unsafe<'ASC' | 'DESC' | null>({
    enum: ['ASC', 'DESC', null],
    description:
      'Orders the groups by this metric; only with exactly one grouping. Of several such metrics, the first takes precedence.',
  }),
)
const approximatePercentile = documentedWith(
  Type.Number({ description: 'The percentage, from 0 to 100: 95, not 0.95.' }),
  { minimum: 0, maximum: 100 },
)

/** What the metrics of revision 1.0 do not have. */
interface MetricOptions {
  /** The members that name a property. */
  readonly property: TProperties
  readonly times: WrittenTimes
  /** Whether there are extremes of texts, an order by metrics, percentiles and exact counts. */
  readonly isExtended: boolean
}

/** Returns the metrics of a version of the API. */
export function metricsOf({
  property,
  times,
  isExtended,
}: MetricOptions): ReadonlyMap<string, MetricParser> {
  const named = isExtended ? { name, direction } : { name }
  const ofProperty = { ...unionType('Property', { ...property, ...named }) }
  const extreme = (kind: 'min' | 'max'): [string, MetricParser] => [
    kind,
    { ...ofProperty, parse: (parsing) => readExtreme(kind, parsing, times, isExtended) },
  ]
  const sum = (kind: 'sum' | 'avg'): [string, MetricParser] => [
    kind,
    { ...ofProperty, parse: (parsing) => readSum(kind, parsing) },
  ]
  const distinct = { ...ofProperty, parse: readDistinct }
  const percentile = unionType('Percentile', { ...ofProperty.schema, approximatePercentile })
  return new Map<string, MetricParser>([
    ['count', { ...unionType('Count', named), parse: readCount }],
    extreme('min'),
    extreme('max'),
    sum('sum'),
    sum('avg'),
    ['approximateDistinct', distinct],
    ...(isExtended
      ? ([
          ['exactDistinct', distinct],
          ['approximatePercentile', { ...percentile, parse: readPercentile }],
        ] as const)
      : []),
  ])
}

function readCount({ written }: MetricParsing): Metric {
  return { kind: 'count', name: written.name ?? written.type, ...directionOf(written) }
}

function readExtreme(
  kind: 'min' | 'max',
  parsing: MetricParsing,
  times: WrittenTimes,
  texts: boolean,
): Metric {
  const { common, type, refuse } = propertyOf(parsing)
  if (isNumericType(type)) return { kind, ...common, type }
  if (isTimeType(type)) {
    return { kind, ...common, type, ...(times === 'milliseconds' ? {} : { times }) }
  }
  if (texts && type === 'string') return { kind, ...common, type }
  throw refuse()
}

function readSum(kind: 'sum' | 'avg', parsing: MetricParsing): Metric {
  const { common, type, refuse } = propertyOf(parsing)
  if (isNumericType(type)) return { kind, ...common, type }
  throw refuse()
}

function readDistinct(parsing: MetricParsing): Metric {
  const { common, type, refuse } = propertyOf(parsing)
  if (type !== undefined && isComparable(type)) return { kind: 'distinct', ...common, type }
  throw refuse()
}

/** Larger than the rounding errors of a division by 100 and of a share. */
const TOLERANCE = 2 ** -50

/**
 * Returns a percentile as a fraction, which databases compare with the share of values up to a value.
 * It is slightly lower, so that the 7th percentile of 100 values is the 7th value although 7 / 100 is
 * rounded up.
 */
export function percentileFraction(percentile: number): number {
  return (percentile / 100) * (1 - TOLERANCE)
}

function readPercentile(parsing: MetricParsing): Metric {
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
  const aggregated = findProperty(written, path)
  const name = written.name ?? `${written.type}_${aggregated.property}`
  return {
    type: aggregated.type,
    common: { name, ...aggregatedBy(aggregated), ...directionOf(written) },
    refuse: () => invalidPropertyType(aggregated, `${written.type} is not defined for this type`),
  }
}

function directionOf({ direction: written }: WrittenMetric) {
  return written == null ? {} : ({ direction: written === 'ASC' ? 'asc' : 'desc' } as const)
}
