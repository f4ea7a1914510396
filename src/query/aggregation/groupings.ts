/** Parses the `groupBy` of an aggregation; the parts that the versions of the API share. */
import { Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import { AGGREGATE_MAX_OVERLAPS, WIRE_INTEGER_MAX } from '../../contract/limits.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { isComparable } from '../../ontology/values/scalar-codec.ts'
import type { QueryBudget } from '../parse/query-budget.ts'
import { type UnionType, unionType } from '../parse/union-type.ts'
import { unprocessable } from '../parse/unprocessable.ts'
import {
  type AggregatedProperty,
  aggregatedBy,
  type FindProperty,
  invalidPropertyType,
  type PropertySyntax,
  refuseOtherMembers,
  type WrittenProperty,
} from './aggregated-property.ts'
import {
  type Grouping,
  isNumericType,
  isTimeType,
  type TimeStep,
  type TimeType,
} from './aggregation.ts'
import { deepestOverlap } from './cut-ranges.ts'
import type { GeoBox } from './geo-grid.ts'
import type { RangeReader, WrittenRange } from './parse-range.ts'

export interface WrittenGrouping extends WrittenProperty {
  readonly type: string
  readonly maxGroupCount?: number | null
  readonly fixedWidth?: number | null
  readonly ranges?: readonly WrittenRange[] | null
  /** Only in revision 1.0. */
  readonly duration?: string | null
  /** Only in v2, like the members below. */
  readonly defaultValue?: string | null
  readonly includeNullValues?: boolean | null
  readonly value?: number | null
  readonly unit?: string | null
  readonly box?: GeoBox | null
  readonly columns?: number | null
  readonly rows?: number | null
}

/** The groupings of one version of the API. */
export interface GroupingGrammar {
  readonly properties: PropertySyntax
  readonly groupings: ReadonlyMap<string, GroupingParser>
}

interface GroupingContext {
  readonly objectType: ObjectType
  readonly budget: QueryBudget
  readonly findProperty: FindProperty
  readonly grammar: GroupingGrammar
}

/** The parsing of one grouping. */
export interface GroupingParsing extends Omit<GroupingContext, 'grammar'> {
  readonly written: WrittenGrouping
  readonly path: string
  readonly aggregated: AggregatedProperty
}

/** The members of the type are those apart from the property, which every grouping has. */
export interface GroupingParser extends UnionType {
  readonly parse: (parsing: GroupingParsing) => Grouping
}

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
      duplicateFields: [...new Set(repeated)].map(context.grammar.properties.write),
    })
  }
  const overlaps = groupings.map((grouping) =>
    grouping.kind === 'ranges' ? Math.max(deepestOverlap(grouping.ranges), 1) : 1,
  )
  if (overlaps.reduce((product, depth) => product * depth, 1) > AGGREGATE_MAX_OVERLAPS) {
    throw unprocessable(
      'groupBy',
      `has ranges that put one object into more than ${AGGREGATE_MAX_OVERLAPS} groups; use fewer overlapping ranges`,
    )
  }
  return groupings
}

function readGrouping(written: WrittenGrouping, path: string, context: GroupingContext): Grouping {
  const { groupings, properties } = context.grammar
  const parser = groupings.get(written.type)
  if (parser === undefined) {
    throw new ObjectQueryError('Default:InvalidArgument', {
      parameter: `${path}.type`,
      value: written.type,
      reason: `is not a grouping type; allowed types: ${[...groupings.keys()].join(', ')}`,
    })
  }
  refuseOtherMembers(written, parser, groupings, path, 'grouping', Object.keys(properties.schema))
  const aggregated = context.findProperty(written, path)
  return parser.parse({ ...context, written, path, aggregated })
}

export function readExact({
  written,
  aggregated,
}: GroupingParsing): Grouping & { readonly kind: 'exact' } {
  const { type } = aggregated
  if (type === undefined || !isComparable(type)) {
    throw invalidPropertyType(aggregated, 'cannot be grouped by value')
  }
  const maxGroups = written.maxGroupCount ?? undefined
  return { kind: 'exact', ...aggregatedBy(aggregated), type, maxGroups }
}

/** A whole number from 1. */
export function positive(description?: string) {
  return Type.Integer({
    minimum: 1,
    maximum: WIRE_INTEGER_MAX,
    ...(description && { description }),
  })
}

export const FIXED_WIDTH: GroupingParser = {
  ...unionType('FixedWidth', { fixedWidth: positive('The width of a group.') }),
  parse: ({ written, path, aggregated }) => {
    const { type } = aggregated
    if (!isNumericType(type)) throw invalidPropertyType(aggregated, 'is not a number')
    const width = requireMember(written.fixedWidth, `${path}.fixedWidth`)
    return { kind: 'fixedWidth', ...aggregatedBy(aggregated), type, width }
  },
}

/** Returns the value of a member that must be there. */
export function requireMember<Value>(value: Value | null | undefined, path: string): Value {
  if (value == null) throw unprocessable(path, 'is missing')
  return value
}

/** Returns a parser of groupings by ranges, given how a range is written. */
export function rangesReader(readRange: RangeReader): GroupingParser['parse'] {
  return ({ written, path, aggregated, objectType, budget }) => {
    const about = aboutProperty(aggregated, objectType)
    const { type } = aggregated
    if (!isNumericType(type) && !isTimeType(type)) {
      throw new ObjectQueryError('InvalidAggregationRangePropertyType', about)
    }
    const ranges = written.ranges ?? []
    if (ranges.length === 0)
      throw unprocessable(`${path}.ranges`, 'is empty; at least one range is required')
    budget.spendTerms(ranges.length)
    const read = (range: WrittenRange) => readRange(range, { type, about, budget })
    return { kind: 'ranges', ...aggregatedBy(aggregated), type, ranges: ranges.map(read) }
  }
}

/** Returns a parser of groupings by duration, given how the step is written. */
export function durationReader(
  readStep: (parsing: GroupingParsing, type: TimeType) => TimeStep,
): GroupingParser['parse'] {
  return (parsing) => {
    const { aggregated, objectType } = parsing
    const { type } = aggregated
    if (!isTimeType(type)) {
      const about = aboutProperty(aggregated, objectType)
      throw new ObjectQueryError('InvalidDurationGroupByPropertyType', about)
    }
    return { kind: 'duration', ...aggregatedBy(aggregated), type, step: readStep(parsing, type) }
  }
}

/** The error parameters that describe a property. */
function aboutProperty(
  { property, typeName: propertyBaseType }: AggregatedProperty,
  objectType: ObjectType,
) {
  return { property, objectType: objectType.apiName, propertyBaseType }
}
