/**
 * The aggregation: which metrics to compute over which groups of objects. Like the query tree, it is
 * plain data that is checked against the object type and compiled by every store.
 */

import type { ScalarType } from '../../ontology/definition/property-type.ts'
import type { ComparedValue, Direction } from '../query.ts'
import type { GeoGrid } from './geo-grid.ts'

/** What a metric or a grouping reads. */
export interface Aggregated {
  /** The name as the response shows it: of a property, or of a struct field `address.city`. */
  readonly property: string
  /** The struct field, which has at most one value; absent for a property. */
  readonly field?: { readonly property: string; readonly structField: string } | undefined
}

/**
 * An object without a value for a grouping belongs to no group, unless the grouping says otherwise.
 * An absent value counts for no metric. Empty groups are omitted.
 */
export interface Aggregation {
  /** In the order of the response; names are unique. */
  readonly metrics: readonly Metric[]
  /** Outermost first, each on a different property. If empty, all objects form one group. */
  readonly groupings: readonly Grouping[]
}

export type Metric = {
  readonly name: string
  /**
   * Orders the groups by this metric before their keys; groups without a value come last. Of several
   * such metrics, the first takes precedence. Only with exactly one grouping, whose `maxGroups` then
   * keeps the first groups in this order.
   */
  readonly direction?: Direction | undefined
} & ({ readonly kind: 'count' } | (Aggregated & MetricKind))

type MetricKind =
  | {
      /** NaN is larger than every number, and texts compare by code point. */
      readonly kind: 'min' | 'max'
      readonly type: NumericType | TimeType | 'string'
      readonly times?: WrittenTimes | undefined
    }
  | { readonly kind: 'sum' | 'avg'; readonly type: NumericType }
  | {
      /** The number of distinct values; exact. */
      readonly kind: 'distinct'
      readonly type: ScalarType
    }
  | {
      /** The smallest value that at least this fraction of the values do not exceed. */
      readonly kind: 'percentile'
      readonly type: NumericType | TimeType
      readonly times?: WrittenTimes | undefined
      /** From 0 to 1, as `percentileFraction` returns it. */
      readonly fraction: number
    }

/** How a metric writes times: in milliseconds since 1970 (the default), or as objects do. */
export type WrittenTimes = 'milliseconds' | 'text'

export type Grouping = Aggregated & GroupingKind

type GroupingKind =
  | {
      /** One group per value. */
      readonly kind: 'exact'
      readonly type: ScalarType
      /** Keeps this many of the largest groups within each group of the outer groupings. */
      readonly maxGroups: number | undefined
      /** True for an array: an object belongs to the group of each of its distinct elements. */
      readonly ofElements?: true | undefined
      /** The group of objects without a value: none, the group `null`, or the group of a value. */
      readonly absent?: 'null' | { readonly value: ComparedValue } | undefined
    }
  | {
      /** One group per multiple of the width; infinities and NaN belong to none. */
      readonly kind: 'fixedWidth'
      readonly type: NumericType
      /** A positive integer. */
      readonly width: number
    }
  | {
      /** One group per range; an object belongs to every range that contains its value. */
      readonly kind: 'ranges'
      readonly type: NumericType | TimeType
      readonly ranges: readonly Range[]
    }
  | {
      /** One group per interval in UTC. */
      readonly kind: 'duration'
      readonly type: TimeType
      /** At least a day for dates. */
      readonly step: TimeStep
    }
  | {
      /** One group per cell; positions outside of the grid belong to none. */
      readonly kind: 'geoGrid'
      readonly type: 'geopoint'
      readonly grid: GeoGrid
    }

/** The length of an interval. */
export type TimeStep =
  /** Counted from 1970-01-01. */
  | { readonly unit: 'milliseconds' | 'seconds'; readonly count: number }
  /** Weeks that start on Monday. */
  | { readonly unit: 'week' }
  /** Calendar months, quarters or years. */
  | { readonly unit: 'months'; readonly count: 1 | 3 | 12 }

export interface Range {
  /** Undefined for a range without a lower bound. */
  readonly low: Bound | undefined
  /** Undefined for a range without an upper bound. */
  readonly high: Bound | undefined
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
