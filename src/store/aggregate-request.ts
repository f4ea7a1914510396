/** Aggregations as they cross the port. They read the latest version of an object type. */
import type { ObjectType } from '../ontology/ontology.ts'
import type { Aggregation } from '../query/aggregation/aggregation.ts'
import type { Query } from '../query/query.ts'

export interface AggregateRequest {
  readonly objectType: ObjectType
  /** Selects the objects to aggregate. */
  readonly query: Query
  readonly aggregation: Aggregation
  /** The maximum number of groups, after each grouping's own `maxGroups`; more are refused. */
  readonly maxGroups: number
}

export interface AggregateResult {
  /**
   * The groups as JSON, separated by commas. Ordered by their values, outermost grouping first;
   * ranges keep the order of the request. Without groupings there is exactly one group.
   */
  readonly records: Uint8Array
  /** Objects in groups that `maxGroups` dropped; undefined if no grouping has a maximum. */
  readonly excludedItems: number | undefined
}
