import type { ObjectType } from '../ontology/ontology.ts'
import type { Aggregation } from '../query/aggregation.ts'
import type { Query } from '../query/query.ts'

/** An aggregation of the latest version of an object type, as the port takes and gives it. */

export interface AggregateRead {
  readonly objectType: ObjectType
  /** Which objects are aggregated. */
  readonly query: Query
  readonly aggregation: Aggregation
  /** More groups than this, after `maxGroups` of the groupings, are refused. */
  readonly maxGroups: number
}

export interface Aggregated {
  /**
   * Ordered by their values, outermost grouping first; ranges in the order of the request.
   * Exactly one without groupings.
   */
  readonly groups: readonly AggregatedGroup[]
  /** Objects in groups that `maxGroups` dropped; undefined where no grouping has one. */
  readonly excludedItems: number | undefined
}

export interface AggregatedGroup {
  /** For each grouping, in order, what names the group, as JSON text. */
  readonly keys: readonly string[]
  /** For each metric, in order; undefined for the least, largest, sum and mean of nothing. */
  readonly metrics: readonly (number | undefined)[]
}
