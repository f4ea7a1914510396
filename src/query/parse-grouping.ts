import { ObjectQueryError } from '../contract/errors.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { isComparable } from '../ontology/values/column-value.ts'
import { type Grouping, isNumericType, isTimeType } from './aggregation.ts'
import {
  type AggregatedProperty,
  type FindProperty,
  invalidPropertyType,
  refuseOtherMembers,
} from './aggregation-fields.ts'
import { deepestOverlap } from './cut-ranges.ts'
import { DAY_SECONDS, readDuration } from './duration.ts'
import { readRange, type WrittenRange } from './parse-range.ts'
import type { QueryBudget } from './query-budget.ts'
import { unprocessable } from './unprocessable.ts'

/** The `groupBy` of an aggregation. */

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

/** A grouping while it is read. */
interface Reading extends GroupingContext {
  readonly written: WrittenGrouping
  readonly path: string
  readonly found: AggregatedProperty
}

interface GroupingParser {
  readonly member: 'maxGroupCount' | 'fixedWidth' | 'ranges' | 'duration'
  readonly parse: (reading: Reading) => Grouping
}

const GROUPINGS: ReadonlyMap<string, GroupingParser> = new Map([
  ['exact', { member: 'maxGroupCount', parse: readExact }],
  ['fixedWidth', { member: 'fixedWidth', parse: readFixedWidth }],
  ['ranges', { member: 'ranges', parse: readRanges }],
  ['duration', { member: 'duration', parse: readDurationGrouping }],
] satisfies [string, GroupingParser][])

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

/** Groups that one object can be in: overlapping ranges multiply the work that it makes. */
const MAX_OVERLAPS = 10

function refuseDeepOverlaps(groupings: readonly Grouping[]): void {
  const overlaps = groupings.map((grouping) =>
    grouping.kind === 'ranges' ? deepestOverlap(grouping.ranges) : 1,
  )
  if (overlaps.reduce((product, depth) => product * Math.max(depth, 1), 1) > MAX_OVERLAPS) {
    throw unprocessable('groupBy', `puts an object into more than ${MAX_OVERLAPS} groups`)
  }
}

function readGrouping(written: WrittenGrouping, path: string, context: GroupingContext): Grouping {
  const parser = GROUPINGS.get(written.type)
  if (parser === undefined) {
    throw new ObjectQueryError('Default:InvalidArgument', {
      parameter: `${path}.type`,
      value: written.type,
      reason: `there is no such grouping; there are: ${[...GROUPINGS.keys()].join(', ')}`,
    })
  }
  refuseOtherMembers(written, ['type', 'field', parser.member], path, 'grouping')
  const found = context.findProperty(written.field, path)
  return parser.parse({ ...context, written, path, found })
}

function readExact({ written, found }: Reading): Grouping {
  const { property, type } = found
  if (type === undefined || !isComparable(type)) {
    throw invalidPropertyType(found, 'has no groups of equal values')
  }
  return { kind: 'exact', property, type, maxGroups: written.maxGroupCount ?? undefined }
}

function readFixedWidth({ written, path, found }: Reading): Grouping {
  const { property, type } = found
  if (!isNumericType(type)) throw invalidPropertyType(found, 'is not a number')
  const width = written.fixedWidth ?? undefined
  if (width === undefined) throw unprocessable(`${path}.fixedWidth`, 'is missing')
  return { kind: 'fixedWidth', property, type, width }
}

function readRanges({ written, path, found, objectType, budget }: Reading): Grouping {
  const { property, type, typeName: propertyBaseType } = found
  const about = { property, objectType: objectType.apiName, propertyBaseType }
  if (!isNumericType(type) && !isTimeType(type)) {
    throw new ObjectQueryError('InvalidAggregationRangePropertyType', about)
  }
  const ranges = written.ranges ?? []
  if (ranges.length === 0) throw unprocessable(`${path}.ranges`, 'names no range')
  budget.spendTerms(ranges.length)
  return {
    kind: 'ranges',
    property,
    type,
    ranges: ranges.map((range) => readRange(range, { type, about, budget })),
  }
}

function readDurationGrouping({ written, path, found, objectType }: Reading): Grouping {
  const { property, type, typeName: propertyBaseType } = found
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
  const refused =
    seconds === undefined
      ? 'is not an ISO 8601 duration of days, hours, minutes and seconds, more than zero'
      : type === 'date' && seconds % DAY_SECONDS !== 0
        ? 'is not a number of whole days'
        : undefined
  if (seconds === undefined || refused !== undefined) {
    throw new ObjectQueryError('InvalidDurationGroupByValue', {
      property,
      duration,
      reason: refused,
    })
  }
  return { kind: 'duration', property, type, seconds }
}
