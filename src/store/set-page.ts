/**
 * Pages over several object types, as they cross the port. The parts have a fixed order. Without an
 * order, a walk returns part after part, each in key order; with an order, it merges them.
 */
import type { ScalarType } from '../ontology/definition/property-type.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { linkedTypesOf } from '../query/linked-types.ts'
import type { Direction, Query } from '../query/query.ts'
import type { Cursor, ReadPageRequest, RecordSpec, StoredPage } from './page-request.ts'

export interface ReadSetPageRequest {
  readonly parts: readonly SetPagePart[]
  readonly order: readonly SetOrderTerm[]
  /** The page starts after this cursor; undefined for the first page. */
  readonly after: SetCursor | undefined
  /** The versions to read of the types of `typesOfSet`; undefined for the latest, as of one moment. */
  readonly versions: readonly number[] | undefined
  readonly maxObjects: number
  readonly maxBytes: number
  /** Whether to count the matches of all parts. */
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
export function typesOfSet(parts: readonly SetPagePart[]): ObjectType[] {
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
