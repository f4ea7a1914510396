/** The metrics and groupings of revision 1.0. Fields are written `properties.NAME`. */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { closed, optional } from '../../contract/schema-parts.ts'
import { unionType } from '../parse/union-type.ts'
import { REVISION_1_PROPERTIES } from './aggregated-property.ts'
import type { TimeStep, TimeType } from './aggregation.ts'
import {
  durationReader,
  FIXED_WIDTH,
  type GroupingParser,
  type GroupingParsing,
  positive,
  rangesReader,
  readExact,
  requireMember,
} from './groupings.ts'
import { metricsOf } from './metrics.ts'
import type { AggregationGrammar } from './parse-aggregation.ts'
import { BOUND, readRevision1Range } from './parse-range.ts'
import { DAY_SECONDS, readDuration } from './time-step.ts'

const EXACT = unionType('Exact', {
  maxGroupCount: optional(positive('The number of groups to keep, largest first.')),
})
const RANGES = unionType('Ranges', {
  ranges: Type.Array(Type.Object({ gte: BOUND, gt: BOUND, lt: BOUND, lte: BOUND }, closed), {
    description: 'Each with one of `gte` or `gt`, and one of `lt` or `lte`. They may overlap.',
  }),
})
const DURATION = unionType('Duration', {
  duration: Type.String({
    maxLength: 100,
    description: 'An ISO 8601 duration of days, hours, minutes and seconds; whole days for dates.',
  }),
})

export const REVISION_1_AGGREGATIONS: AggregationGrammar = {
  properties: REVISION_1_PROPERTIES,
  components: { metric: 'AggregationMetric', grouping: 'AggregationGrouping' },
  metrics: metricsOf({
    property: REVISION_1_PROPERTIES.schema,
    times: 'milliseconds',
    isExtended: false,
  }),
  groupings: new Map<string, GroupingParser>([
    ['exact', { ...EXACT, parse: readExact }],
    ['fixedWidth', FIXED_WIDTH],
    ['ranges', { ...RANGES, parse: rangesReader(readRevision1Range) }],
    ['duration', { ...DURATION, parse: durationReader(readStep) }],
  ]),
}

function readStep({ written, path, aggregated }: GroupingParsing, type: TimeType): TimeStep {
  const duration = requireMember(written.duration, `${path}.duration`)
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
