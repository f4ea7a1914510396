/** The metrics and groupings of revision 1.0. Fields are written `properties.NAME`. */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { closed, optional } from '../../contract/schema-parts.ts'
import { unionType, Value } from '../parse/union-type.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import { MetricName, REVISION_1_PROPERTIES } from './aggregated-property.ts'
import type { TimeStep, TimeType } from './aggregation.ts'
import { DAY_SECONDS, readDuration } from './duration.ts'
import type { AggregationGrammar } from './parse-aggregation.ts'
import {
  durationReader,
  FIXED_WIDTH,
  type GroupingParsing,
  positive,
  rangesReader,
  readExact,
  readFixedWidth,
} from './parse-grouping.ts'
import { extremeReader, readCount, readDistinct, sumReader } from './parse-metric.ts'
import { readRevision1Range } from './parse-range.ts'

const COUNT = unionType('Count', { name: MetricName })
const PROPERTY = unionType('Property', { ...REVISION_1_PROPERTIES.schema, name: MetricName })
const EXTREMES = { times: 'milliseconds', texts: false } as const

const EXACT = unionType('Exact', {
  maxGroupCount: optional(positive('The number of groups to keep, largest first.')),
})
const Bound = Type.Optional(Value)
const RANGES = unionType('Ranges', {
  ranges: Type.Array(Type.Object({ gte: Bound, gt: Bound, lt: Bound, lte: Bound }, closed), {
    description: 'Each with one of `gte` or `gt`, and one of `lt` or `lte`. They may overlap.',
  }),
})
const DURATION = unionType('Duration', {
  duration: Type.String({
    description: 'An ISO 8601 duration of days, hours, minutes and seconds; whole days for dates.',
  }),
})

export const REVISION_1_AGGREGATIONS: AggregationGrammar = {
  properties: REVISION_1_PROPERTIES,
  components: { metric: 'AggregationMetric', grouping: 'AggregationGrouping' },
  metrics: new Map([
    ['count', { ...COUNT, parse: readCount }],
    ['min', { ...PROPERTY, parse: extremeReader('min', EXTREMES) }],
    ['max', { ...PROPERTY, parse: extremeReader('max', EXTREMES) }],
    ['sum', { ...PROPERTY, parse: sumReader('sum') }],
    ['avg', { ...PROPERTY, parse: sumReader('avg') }],
    ['approximateDistinct', { ...PROPERTY, parse: readDistinct }],
  ]),
  groupings: new Map([
    ['exact', { ...EXACT, parse: readExact }],
    ['fixedWidth', { ...FIXED_WIDTH, parse: readFixedWidth }],
    ['ranges', { ...RANGES, parse: rangesReader(readRevision1Range) }],
    ['duration', { ...DURATION, parse: durationReader(readStep) }],
  ]),
}

function readStep({ written, path, aggregated }: GroupingParsing, type: TimeType): TimeStep {
  const duration = written.duration ?? undefined
  if (duration === undefined) throw unprocessable(`${path}.duration`, 'is missing')
  const seconds = readDuration(duration)
  const reason =
    seconds === undefined
      ? 'is not an ISO 8601 duration of days, hours, minutes and seconds greater than zero, such as P1D or PT15M'
      : type === 'date' && seconds % DAY_SECONDS !== 0
        ? 'is not a whole number of days, which a date requires'
        : undefined
  if (seconds === undefined || reason !== undefined) {
    throw new ObjectQueryError('InvalidDurationGroupByValue', {
      property: aggregated.property,
      duration,
      reason,
    })
  }
  return { unit: 'seconds', count: seconds }
}
