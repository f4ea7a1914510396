/**
 * The metrics and groupings of v2. Properties are written as `field`, a bare name, or as
 * `propertyIdentifier`.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import { RefusedValue } from '../../ontology/values/refused-value.ts'
import { readComparedValue } from '../compared-value.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import { V2_PROPERTIES } from './aggregated-property.ts'
import type { Grouping, TimeStep, TimeType } from './aggregation.ts'
import type { AggregationGrammar } from './parse-aggregation.ts'
import { readGeoGrid } from './parse-geo-grid.ts'
import {
  durationReader,
  type GroupingParsing,
  rangesReader,
  readExact,
  readFixedWidth,
} from './parse-grouping.ts'
import {
  extremeReader,
  readCount,
  readDistinct,
  readPercentile,
  sumReader,
} from './parse-metric.ts'
import { readV2Range } from './parse-range.ts'
import { readTimeStep, TIME_UNITS, type TimeUnit } from './time-step.ts'

const MEMBERS = ['field', 'propertyIdentifier', 'name', 'direction']
const EXTREMES = { times: 'text', texts: true } as const

export const V2_AGGREGATIONS: AggregationGrammar = {
  properties: V2_PROPERTIES,
  metrics: new Map([
    ['count', { members: ['name', 'direction'], parse: readCount }],
    ['min', { members: MEMBERS, parse: extremeReader('min', EXTREMES) }],
    ['max', { members: MEMBERS, parse: extremeReader('max', EXTREMES) }],
    ['sum', { members: MEMBERS, parse: sumReader('sum') }],
    ['avg', { members: MEMBERS, parse: sumReader('avg') }],
    ['approximateDistinct', { members: MEMBERS, parse: readDistinct }],
    ['exactDistinct', { members: MEMBERS, parse: readDistinct }],
    [
      'approximatePercentile',
      { members: [...MEMBERS, 'approximatePercentile'], parse: readPercentile },
    ],
  ]),
  groupings: new Map([
    [
      'exact',
      { members: ['maxGroupCount', 'defaultValue', 'includeNullValues'], parse: readV2Exact },
    ],
    ['fixedWidth', { members: ['fixedWidth'], parse: readFixedWidth }],
    ['ranges', { members: ['ranges'], parse: rangesReader(readV2Range) }],
    ['duration', { members: ['value', 'unit'], parse: durationReader(readStep) }],
    ['geoGrid', { members: ['box', 'columns', 'rows'], parse: readGeoGrid }],
  ]),
}

function readV2Exact(parsing: GroupingParsing): Grouping {
  if (parsing.aggregated.elementType !== undefined) return readElements(parsing)
  const exact = readExact(parsing)
  const { defaultValue, includeNullValues } = parsing.written
  if (defaultValue == null) return includeNullValues === true ? { ...exact, absent: 'null' } : exact
  if (includeNullValues === true) {
    throw new ObjectQueryError('DefaultAndNullGroupsNotSupported', {
      parameter: parsing.path,
      property: exact.property,
    })
  }
  parsing.budget.checkText(exact.property, defaultValue)
  try {
    return { ...exact, absent: { value: readComparedValue(exact.type, defaultValue) } }
  } catch (error) {
    if (!(error instanceof RefusedValue)) throw error
    throw new ObjectQueryError('InvalidPropertyValue', {
      property: exact.property,
      propertyBaseType: parsing.aggregated.typeName,
      propertyValue: defaultValue,
      reason: error.reason,
    })
  }
}

/** An object without elements is in no group: there is no value that it could have instead. */
function readElements(parsing: GroupingParsing): Grouping {
  const { aggregated, written, path } = parsing
  const { defaultValue, includeNullValues } = written
  for (const [name, isSet] of [
    ['defaultValue', defaultValue != null],
    ['includeNullValues', includeNullValues === true],
  ] as const) {
    if (isSet) throw unprocessable(`${path}.${name}`, 'is not supported for arrays')
  }
  const exact = readExact({
    ...parsing,
    aggregated: { ...aggregated, type: aggregated.elementType },
  })
  return { ...exact, ofElements: true }
}

function readStep({ written, path, aggregated }: GroupingParsing, type: TimeType): TimeStep {
  const [value, unit] = [written.value ?? undefined, written.unit ?? undefined]
  if (value === undefined) throw unprocessable(`${path}.value`, 'is missing')
  if (unit === undefined) throw unprocessable(`${path}.unit`, 'is missing')
  if (!isTimeUnit(unit)) {
    throw new ObjectQueryError('Default:InvalidArgument', {
      parameter: `${path}.unit`,
      value: unit,
      reason: `is not a unit of time; allowed units: ${TIME_UNITS.join(', ')}`,
    })
  }
  const step = value < 1 ? 'is less than 1' : readTimeStep(type, value, unit)
  if (typeof step !== 'string') return step
  const { property } = aggregated
  throw new ObjectQueryError('InvalidDurationGroupByValue', { property, value, unit, reason: step })
}

function isTimeUnit(unit: string): unit is TimeUnit {
  return (TIME_UNITS as readonly string[]).includes(unit)
}
