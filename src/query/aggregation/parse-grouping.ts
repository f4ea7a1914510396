/** Parses the `groupBy` of an aggregation. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { isComparable } from '../../ontology/values/scalar-codec.ts'
import type { QueryBudget } from '../parse/query-budget.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import {
  type AggregatedProperty,
  type FindProperty,
  invalidPropertyType,
  refuseOtherMembers,
} from './aggregated-property.ts'
import { type Grouping, isNumericType, isTimeType } from './aggregation.ts'
import { deepestOverlap } from './cut-ranges.ts'
import { DAY_SECONDS, readDuration } from './duration.ts'
import { readRange, type WrittenRange } from './parse-range.ts'

export interface WrittenGrouping {
  readonly type: string
  readonly field: string
  readonly maxGroupCount?: number | null
  readonly fixedWidth?: number | null
  readonly ranges?: readonly WrittenRange[] | null
  readonly duration?: string | null
}

export interface GroupingContext {
  readonly objectType: ObjectType
  readonly budget: QueryBudget
  readonly findProperty: FindProperty
}

/** The parsing of one grouping. */
interface GroupingParsing extends GroupingContext {
  readonly written: WrittenGrouping
  readonly path: string
  readonly aggregated: AggregatedProperty
}

interface GroupingParser {
  readonly member: 'maxGroupCount' | 'fixedWidth' | 'ranges' | 'duration'
  readonly parse: (parsing: GroupingParsing) => Grouping
}

const GROUPINGS: ReadonlyMap<string, GroupingParser> = new Map([
  ['exact', { member: 'maxGroupCount', parse: readExact }],
  ['fixedWidth', { member: 'fixedWidth', parse: readFixedWidth }],
  ['ranges', { member: 'ranges', parse: readRanges }],
  ['duration', { member: 'duration', parse: readDurationGrouping }],
] satisfies [string, GroupingParser][])

const MEMBERS = ['type', 'field', ...[...GROUPINGS.values()].map(({ member }) => member)]

/** Parses all groupings and refuses two on the same property. */
export function readGroupings(
  written: readonly WrittenGrouping[],
  context: GroupingContext,
): Grouping[] {
  context.budget.spendTerms(written.length)
  const groupings = written.map((grouping, index) =>
    readGrouping(grouping, `groupBy[${index}]`, context),
  )
  const names = groupings.map(({ property }) => property)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  if (repeated.length > 0) {
    throw new ObjectQueryError('MultipleGroupByOnFieldNotSupported', {
      duplicateFields: [...new Set(repeated)].map((name) => `properties.${name}`),
    })
  }
  refuseDeepOverlaps(groupings)
  return groupings
}

/** The maximum number of groups of one object: overlapping ranges multiply the work. */
const MAX_OVERLAPS = 10

function refuseDeepOverlaps(groupings: readonly Grouping[]): void {
  const overlaps = groupings.map((grouping) =>
    grouping.kind === 'ranges' ? deepestOverlap(grouping.ranges) : 1,
  )
  if (overlaps.reduce((product, depth) => product * Math.max(depth, 1), 1) > MAX_OVERLAPS) {
    throw unprocessable(
      'groupBy',
      `has ranges that put one object into more than ${MAX_OVERLAPS} groups; use fewer overlapping ranges`,
    )
  }
}

function readGrouping(written: WrittenGrouping, path: string, context: GroupingContext): Grouping {
  const parser = GROUPINGS.get(written.type)
  if (parser === undefined) {
    throw new ObjectQueryError('Default:InvalidArgument', {
      parameter: `${path}.type`,
      value: written.type,
      reason: `is not a grouping type; allowed types: ${[...GROUPINGS.keys()].join(', ')}`,
    })
  }
  const ofType = ['type', 'field', parser.member]
  refuseOtherMembers(written, { ofType, ofAnyType: MEMBERS }, path, 'grouping')
  const aggregated = context.findProperty(written.field, path)
  return parser.parse({ ...context, written, path, aggregated })
}

function readExact({ written, aggregated }: GroupingParsing): Grouping {
  const { property, type } = aggregated
  if (type === undefined || !isComparable(type)) {
    throw invalidPropertyType(aggregated, 'cannot be grouped by value')
  }
  return { kind: 'exact', property, type, maxGroups: written.maxGroupCount ?? undefined }
}

function readFixedWidth({ written, path, aggregated }: GroupingParsing): Grouping {
  const { property, type } = aggregated
  if (!isNumericType(type)) throw invalidPropertyType(aggregated, 'is not a number')
  const width = written.fixedWidth ?? undefined
  if (width === undefined) throw unprocessable(`${path}.fixedWidth`, 'is missing')
  return { kind: 'fixedWidth', property, type, width }
}

function readRanges({ written, path, aggregated, objectType, budget }: GroupingParsing): Grouping {
  const { property, type, typeName: propertyBaseType } = aggregated
  const about = { property, objectType: objectType.apiName, propertyBaseType }
  if (!isNumericType(type) && !isTimeType(type)) {
    throw new ObjectQueryError('InvalidAggregationRangePropertyType', about)
  }
  const ranges = written.ranges ?? []
  if (ranges.length === 0)
    throw unprocessable(`${path}.ranges`, 'is empty; at least one range is required')
  budget.spendTerms(ranges.length)
  return {
    kind: 'ranges',
    property,
    type,
    ranges: ranges.map((range) => readRange(range, { type, about, budget })),
  }
}

function readDurationGrouping({
  written,
  path,
  aggregated,
  objectType,
}: GroupingParsing): Grouping {
  const { property, type, typeName: propertyBaseType } = aggregated
  if (!isTimeType(type)) {
    throw new ObjectQueryError('InvalidDurationGroupByPropertyType', {
      property,
      objectType: objectType.apiName,
      propertyBaseType,
    })
  }
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
      property,
      duration,
      reason,
    })
  }
  return { kind: 'duration', property, type, seconds }
}
