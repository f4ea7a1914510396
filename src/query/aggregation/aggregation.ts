/**
 * The aggregation: which metrics to compute over which groups of objects. Like the query tree, it is
 * plain data that is checked against the object type and compiled by every store.
 */

import type { ScalarType } from '../../ontology/definition/property-type.ts'
import type { ComparedValue } from '../query.ts'

/**
 * An object without a value for a grouping belongs to no group, and an absent value counts for no
 * metric. Empty groups are omitted.
 */
export interface Aggregation {
  /** In the order of the response; names are unique. */
  readonly metrics: readonly Metric[]
  /** Outermost first, each on a different property. If empty, all objects form one group. */
  readonly groupings: readonly Grouping[]
}

export type Metric =
  | { readonly kind: 'count'; readonly name: string }
  | {
      /** NaN is larger than every number. Times are in milliseconds since 1970. */
      readonly kind: 'min' | 'max'
      readonly name: string
      readonly property: string
      readonly type: NumericType | TimeType
    }
  | {
      readonly kind: 'sum' | 'avg'
      readonly name: string
      readonly property: string
      readonly type: NumericType
    }
  | {
      readonly kind: 'approximateDistinct'
      readonly name: string
      readonly property: string
      readonly type: ScalarType
    }

export type Grouping =
  | {
      /** One group per value. */
      readonly kind: 'exact'
      readonly property: string
      readonly type: ScalarType
      /** Keeps this many of the largest groups within each group of the outer groupings. */
      readonly maxGroups: number | undefined
    }
  | {
      /** One group per multiple of the width; infinities and NaN belong to none. */
      readonly kind: 'fixedWidth'
      readonly property: string
      readonly type: NumericType
      /** A positive integer. */
      readonly width: number
    }
  | {
      /** One group per range; an object belongs to every range that contains its value. */
      readonly kind: 'ranges'
      readonly property: string
      readonly type: NumericType | TimeType
      readonly ranges: readonly Range[]
    }
  | {
      /** One group per interval in UTC, counted from 1970-01-01. */
      readonly kind: 'duration'
      readonly property: string
      readonly type: TimeType
      /** Whole days for dates. */
      readonly seconds: number
    }

export interface Range {
  readonly low: Bound
  readonly high: Bound
  /** The range in the JSON of the request, which names the group. */
  readonly json: string
}

export interface Bound {
  readonly value: ComparedValue
  /** True if the value itself is in the range. */
  readonly inclusive: boolean
}

const NUMERIC = ['byte', 'short', 'integer', 'long', 'float', 'double', 'decimal'] as const
const TIME = ['date', 'timestamp'] as const

export type NumericType = (typeof NUMERIC)[number]
export type TimeType = (typeof TIME)[number]

export function isNumericType(type: ScalarType | undefined): type is NumericType {
  return (NUMERIC as readonly (ScalarType | undefined)[]).includes(type)
}

export function isTimeType(type: ScalarType | undefined): type is TimeType {
  return (TIME as readonly (ScalarType | undefined)[]).includes(type)
}
