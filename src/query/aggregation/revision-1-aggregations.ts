/** The metrics and groupings of revision 1.0. Fields are written `properties.NAME`. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import { REVISION_1_PROPERTIES } from './aggregated-property.ts'
import type { TimeStep, TimeType } from './aggregation.ts'
import { DAY_SECONDS, readDuration } from './duration.ts'
import type { AggregationGrammar } from './parse-aggregation.ts'
import {
  durationReader,
  type GroupingParsing,
  rangesReader,
  readExact,
  readFixedWidth,
} from './parse-grouping.ts'
import { extremeReader, readCount, readDistinct, sumReader } from './parse-metric.ts'
import { readRevision1Range } from './parse-range.ts'

const MEMBERS = ['field', 'name']
const EXTREMES = { times: 'milliseconds', texts: false } as const

export const REVISION_1_AGGREGATIONS: AggregationGrammar = {
  properties: REVISION_1_PROPERTIES,
  metrics: new Map([
    ['count', { members: ['name'], parse: readCount }],
    ['min', { members: MEMBERS, parse: extremeReader('min', EXTREMES) }],
    ['max', { members: MEMBERS, parse: extremeReader('max', EXTREMES) }],
    ['sum', { members: MEMBERS, parse: sumReader('sum') }],
    ['avg', { members: MEMBERS, parse: sumReader('avg') }],
    ['approximateDistinct', { members: MEMBERS, parse: readDistinct }],
  ]),
  groupings: new Map([
    ['exact', { members: ['maxGroupCount'], parse: readExact }],
    ['fixedWidth', { members: ['fixedWidth'], parse: readFixedWidth }],
    ['ranges', { members: ['ranges'], parse: rangesReader(readRevision1Range) }],
    ['duration', { members: ['duration'], parse: durationReader(readStep) }],
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
