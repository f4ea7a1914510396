/** Pages and aggregations as they cross the port. */
import type { RecordShape } from '../../contract/object-record.ts'
import type { ScalarType } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Cursor } from '../../paging/cursor.ts'
import type { Aggregation } from '../../query/aggregation/aggregation.ts'
import type { OwnNames } from '../../query/aggregation/read-field.ts'
import type { Direction, OrderTerm, Query } from '../../query/query.ts'
import { linkedTypesOf } from '../../query/query-tree.ts'
import type { Selection } from '../../query/selection.ts'
import type { ReadReport } from './request-context.ts'

export type { Cursor } from '../../paging/cursor.ts'

export interface ReadPageRequest {
  readonly objectType: ObjectType
  readonly query: Query
  /** Empty for key order. */
  readonly order: readonly OrderTerm[]
  readonly record: RecordSpec
  /** The page starts after this cursor; undefined for the first page. */
  readonly after: Cursor | undefined
  /** The version to read as of; undefined for the latest. */
  readonly version: number | undefined
  /**
   * Whether the version must have the definition of `objectType`: the key of the cursor was parsed by
   * it, and another definition may order keys in another way.
   */
  readonly isOfDefinition?: boolean
  /** The versions of the types that `linkedTypesOf` returns, in that order; undefined for the latest. */
  readonly linkedVersions?: readonly number[] | undefined
  readonly maxObjects: number
  readonly maxBytes: number
  /**
   * When a store may leave the records out of a page, because the request only needs to know how many
   * there are: always, or if not all objects fit. By default, never.
   */
  readonly omitRecords?: 'always' | 'ifMore' | undefined
  /** Whether to count every match, which reads all of them unless the query has no conditions. */
  readonly includeTotalCount: boolean
  /** Whether the page should have `rowIds`, if its store can supply them at little cost. */
  readonly includeRowIds?: boolean
  /**
   * Roughly how many objects match, if the caller knows. A hint for the planner: it changes how a
   * page is read, never what the page contains.
   */
  readonly matchEstimate: number | undefined
}

/** The records of objects whose keys are known, for a page that was found by other means. */
export interface ReadRecordsRequest
  extends Pick<
    ReadPageRequest,
    'objectType' | 'record' | 'isOfDefinition' | 'maxObjects' | 'maxBytes' | 'includeRowIds'
  > {
  /** The stored primary keys, in the order of the page. */
  readonly keys: readonly string[]
  /** The version at which objects with these keys were found. */
  readonly version: number
}

/** Which objects commits have changed, between two versions of their type. */
export interface ListChangesRequest {
  readonly objectType: ObjectType
  /** The version that the changes follow. */
  readonly since: number
  /** The last version whose changes are listed. */
  readonly until: number
  /** The list starts after this change. */
  readonly after: Cursor | undefined
  readonly maxChanges: number
  /** Whether to list every object of both versions: other types decide which of them match. */
  readonly includesUnchanged: boolean
}

export interface ListedChanges {
  /**
   * Each object that differs between the two versions once, by the commit that changed it last, then
   * by key. The objects of a load or a replacement, and unchanged ones, are listed by key alone.
   */
  readonly changes: readonly ListedChange[]
  /** Whether a change follows the last one. */
  readonly more: boolean
}

/** An object that was changed. The cursor is its place in the list. */
export interface ListedChange extends Cursor {
  /** Whether the object exists at the last version. */
  readonly isCurrent: boolean
  /** Whether its row version is another one than at the first version. */
  readonly isChanged: boolean
}

/** How to divide the objects of a type, in key order, into parts of equal size. */
export interface SplitKeysRequest {
  readonly objectType: ObjectType
  /** The number of parts; fewer if there are fewer objects. */
  readonly parts: number
}

export interface SplitKeys {
  /** The version whose objects are divided. */
  readonly version: number
  /** The number of objects. */
  readonly count: number
  /** The ends of all parts but the last. */
  readonly ends: readonly PartEnd[]
}

/** The last object of a part, and the number of objects up to it. */
export interface PartEnd {
  readonly pk: string
  readonly count: number
}

/** The form of a record, and the separator between two records. */
export interface RecordSpec {
  readonly shape: RecordShape
  readonly selection: Selection
  /** A comma by default. */
  readonly separator?: ',' | '\n'
}

export interface StoredPage {
  /** The records as JSON text, in order, with separators between them. */
  readonly records: Uint8Array
  /**
   * Frees the memory of the records, which must not be used afterwards. Waiting for the garbage
   * collector instead costs several times as much as reading the page.
   */
  readonly release: () => void
  readonly count: number
  /** The cursor of the last record; undefined for an empty page. */
  readonly last: Cursor | undefined
  /** Whether an object follows the last record. */
  readonly more: boolean
  /** The version that was read. */
  readonly version: number
  /** The versions that were read of the types that `linkedTypesOf` returns; absent if there are none. */
  readonly linkedVersions?: readonly number[]
  /**
   * The number of objects that match the query, if it was requested. Always present for a query
   * without conditions: it is then the number of current objects of the type.
   */
  readonly totalCount: number | undefined
  /**
   * Names the rows of the page, if that was requested. A changed object has another row, and no name
   * is used twice, so two pages with the same rows have the same records.
   */
  readonly rowIds?: string | undefined
  /** A hint for the next page of the same walk; see `ReadPageRequest.matchEstimate`. */
  readonly matchEstimate: number | undefined
  readonly report?: ReadReport | undefined
}

/** The requested version, or a row that the request names, has been deleted. */
export type Reclaimed = 'reclaimed'

/**
 * A page over several object types. The parts have a fixed order. Without an order, a walk returns
 * part after part, each in key order; with an order, it merges them.
 */
export interface ReadSetPageRequest {
  readonly parts: readonly SetPagePart[]
  readonly order: readonly SetOrderTerm[]
  /** The page starts after this cursor; undefined for the first page. */
  readonly after: SetCursor | undefined
  /** The versions to read of the types of `typesOfSet`; undefined for the latest, as of one moment. */
  readonly versions: readonly number[] | undefined
  readonly maxObjects: number
  readonly maxBytes: number
  /** Whether to count the matches of all parts. For the first page of a walk only. */
  readonly includeTotalCount: boolean
}

/** The objects of one type. No two parts have the same type. */
export interface SetPagePart {
  readonly objectType: ObjectType
  readonly query: Query
  readonly record: RecordSpec
}

/**
 * One term of an order. Ties are broken by part and then by primary key, in the direction of the
 * last term.
 */
export interface SetOrderTerm {
  /** The type of the property in every part. */
  readonly type: ScalarType
  readonly direction: Direction
  readonly nulls: 'first' | 'last'
  /** The property of each part; undefined if its objects have none, which counts as null. */
  readonly properties: readonly (string | undefined)[]
  /** The path inside the struct; absent for the whole property. */
  readonly structField?: string
}

/** The last row of a page, with the index of its part. */
export interface SetCursor extends Cursor {
  readonly part: number
}

export interface StoredSetPage
  extends Pick<StoredPage, 'records' | 'release' | 'count' | 'more' | 'report'> {
  readonly last: SetCursor | undefined
  /** The versions that were read of the types of `typesOfSet`, all as of one moment. */
  readonly versions: readonly number[]
  /** The number of objects that match in all parts, if it was requested. */
  readonly totalCount: number | undefined
}

/** Returns the types that a page reads: those of its parts, then those that they link to. */
export function typesOfSet(
  parts: readonly Pick<SetPagePart, 'objectType' | 'query'>[],
): ObjectType[] {
  const types = new Map(parts.map(({ objectType }) => [objectType.rid, objectType]))
  for (const { query, objectType } of parts) {
    for (const linked of linkedTypesOf(query, objectType)) types.set(linked.rid, linked)
  }
  return [...types.values()]
}

/** Returns the versions that the request names for one part and the types that it links to. */
export function versionsOfPart(
  { parts, versions }: Pick<ReadSetPageRequest, 'parts' | 'versions'>,
  { objectType, query }: SetPagePart,
): Pick<ReadPageRequest, 'version' | 'linkedVersions'> {
  if (versions === undefined) return { version: undefined }
  const byRid = new Map(typesOfSet(parts).map(({ rid }, index) => [rid, versions[index] ?? 0]))
  return {
    version: byRid.get(objectType.rid),
    linkedVersions: linkedTypesOf(query, objectType).map(({ rid }) => byRid.get(rid) ?? 0),
  }
}

/** Returns the request for one part alone, in key order and from its beginning. */
export function partRequest(request: ReadSetPageRequest, part: SetPagePart): ReadPageRequest {
  const { maxObjects, maxBytes, includeTotalCount } = request
  return {
    ...part,
    order: [],
    after: undefined,
    ...versionsOfPart(request, part),
    maxObjects,
    maxBytes,
    includeTotalCount,
    matchEstimate: undefined,
  }
}

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
   * interface maps its properties. They have the same type in all sources. Objects have no value for
   * a property without a name here.
   */
  readonly names?: OwnNames
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
