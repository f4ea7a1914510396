/** Aggregations as they cross the port. */
import type { ObjectType } from '../ontology/ontology.ts'
import type { Aggregation } from '../query/aggregation/aggregation.ts'
import type { Query } from '../query/query.ts'

export interface AggregateRequest {
  /** The objects to aggregate, of one object type or of several; never empty. */
  readonly sources: readonly AggregateSource[]
  readonly aggregation: Aggregation
  /** The maximum number of groups, after each grouping's own `maxGroups`; more are refused. */
  readonly maxGroups: number
}

export interface AggregateSource {
  readonly objectType: ObjectType
  /** Selects the objects to aggregate. */
  readonly query: Query
  /** The version to read as of; undefined for the latest. Other types are read as of their latest. */
  readonly version?: number | undefined
  /**
   * The names that properties of the aggregation have in this object type, if they differ: an
   * interface maps its properties. They have the same type in all sources.
   */
  readonly names?: ReadonlyMap<string, string> | undefined
}

export interface AggregateResult {
  /**
   * The groups as JSON, separated by commas, in pieces that are cut anywhere between two groups.
   * Ordered by the metrics that have a direction, then by their values, outermost grouping first;
   * ranges keep the order of the request. Without groupings there is exactly one group.
   */
  readonly records: readonly Uint8Array[]
  /** Objects in groups that `maxGroups` dropped; undefined if no grouping has a maximum. */
  readonly excludedItems: number | undefined
  /** The versions that were read, in the order of the sources. */
  readonly versions: readonly number[]
}
