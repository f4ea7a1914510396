import type { ScalarType } from '../ontology/definition/property-type.ts'
import type { ComparedValue } from './query.ts'

/**
 * An aggregation: what is computed, and over which groups of objects. Like the query tree it is
 * plain data, checked against the object type, that every store compiles.
 *
 * Objects without a value in a grouping belong to no group; a value that is not there enters no
 * metric. A group without objects is not shown.
 */
export interface Aggregation {
  /** In the order of the answer; names are unique. */
  readonly metrics: readonly Metric[]
  /** Outermost first, each on a property of its own; empty: all objects are one group. */
  readonly groupings: readonly Grouping[]
}

export type Metric =
  | { readonly kind: 'count'; readonly name: string }
  | {
      /** By the order of the property: NaN is larger than every number. Times in milliseconds. */
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
      /** A group for each value. */
      readonly kind: 'exact'
      readonly property: string
      readonly type: ScalarType
      /** Within each group of the groupings before, so many of the largest groups stay. */
      readonly maxGroups: number | undefined
    }
  | {
      /** A group for each multiple of the width; infinities and NaN lie in none. */
      readonly kind: 'fixedWidth'
      readonly property: string
      readonly type: NumericType
      /** A whole number from 1 up. */
      readonly width: number
    }
  | {
      /** A group for each range; an object is in every range that holds its value. */
      readonly kind: 'ranges'
      readonly property: string
      readonly type: NumericType | TimeType
      readonly ranges: readonly Range[]
    }
  | {
      /** A group for each interval in UTC, counted from 1970-01-01. */
      readonly kind: 'duration'
      readonly property: string
      readonly type: TimeType
      /** Whole days for dates. */
      readonly seconds: number
    }

export interface Range {
  readonly low: Bound
  readonly high: Bound
  /** The range as it was asked for, in JSON: what names the group. */
  readonly json: string
}

export interface Bound {
  readonly value: ComparedValue
  /** Whether the value itself lies in the range. */
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
