import type { ObjectType } from '../ontology/ontology.ts'
import type { Aggregation } from '../query/aggregation/aggregation.ts'
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
   * The groups as JSON, with commas between them. Ordered by their values, outermost grouping
   * first; ranges in the order of the request. Exactly one without groupings.
   */
  readonly records: Uint8Array
  /** Objects in groups that `maxGroups` dropped; undefined where no grouping has one. */
  readonly excludedItems: number | undefined
}
