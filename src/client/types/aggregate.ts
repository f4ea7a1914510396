/** Aggregations over the objects of a type, checked by the compiler. */
import type {
  EquatableType,
  NumberType,
  ObjectTypeShape,
  PropertyOf,
  TimeType,
} from './property-types.ts'
import type { Grammar } from './where.ts'

/** A number over all objects of a group. */
export type Metric<Type extends ObjectTypeShape, G extends Grammar = 'search'> =
  | { readonly type: 'count' }
  | { readonly type: 'min' | 'max'; readonly field: PropertyOf<Type, NumberType | TimeType> }
  | { readonly type: 'sum' | 'avg'; readonly field: PropertyOf<Type, NumberType> }
  | { readonly type: 'approximateDistinct'; readonly field: PropertyOf<Type, EquatableType> }
  | (G extends 'objectSet' ? ObjectSetMetric<Type> : never)

export type ObjectSetMetric<Type extends ObjectTypeShape> =
  | { readonly type: 'exactDistinct'; readonly field: PropertyOf<Type, EquatableType> }
  | {
      readonly type: 'approximatePercentile'
      readonly field: PropertyOf<Type, NumberType>
      readonly approximatePercentile: number
    }

/** Divides objects into groups. */
export type Grouping<Type extends ObjectTypeShape, G extends Grammar = 'search'> =
  | {
      readonly type: 'exact'
      readonly field: PropertyOf<Type, EquatableType>
      readonly maxGroupCount?: number
    }
  | {
      readonly type: 'fixedWidth'
      readonly field: PropertyOf<Type, NumberType>
      readonly fixedWidth: number
    }
  | {
      readonly type: 'ranges'
      readonly field: PropertyOf<Type, NumberType | TimeType>
      readonly ranges: readonly (G extends 'objectSet' ? ObjectSetRange : SearchRange)[]
    }
  | ({
      readonly type: 'duration'
      readonly field: PropertyOf<Type, TimeType>
    } & (G extends 'objectSet'
      ? { readonly value: number; readonly unit: string }
      : {
          /** In ISO 8601, such as `P1D`. */
          readonly duration: string
        }))

/** One lower and one upper bound. */
export interface SearchRange {
  readonly gte?: unknown
  readonly gt?: unknown
  readonly lt?: unknown
  readonly lte?: unknown
}

export interface ObjectSetRange {
  readonly startValue: unknown
  readonly endValue: unknown
}

export interface Aggregation<
  Type extends ObjectTypeShape,
  Metrics extends Readonly<Record<string, Metric<Type, G>>>,
  Groups extends readonly Grouping<Type, G>[],
  G extends Grammar = 'search',
> {
  /** Metrics by name. */
  readonly metrics: Metrics
  /** The outermost grouping first, each by a different property. */
  readonly groupBy?: Groups
}

export interface AggregationResult<Metrics extends string, Groups extends string> {
  /** Exactly one group without `groupBy`. */
  readonly data: readonly AggregationGroup<Metrics, Groups>[]
  /** The number of objects in groups that `maxGroupCount` dropped. */
  readonly excludedItems?: number
  /** Only with object sets: `ACCURATE` or `APPROXIMATE`. */
  readonly accuracy?: string
}

export interface AggregationGroup<Metrics extends string, Groups extends string> {
  /** The value, the start or the range of the group, by property. */
  readonly group: { readonly [Property in Groups]: unknown }
  /** Undefined if there are no values; `NaN` and the infinities are strings. */
  readonly metrics: { readonly [Name in Metrics]: number | string | undefined }
}
