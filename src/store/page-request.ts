/** Pages of one object type, as they cross the port. */

import type { RecordShape } from '../contract/object-record.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import type { Cursor } from '../paging/cursor.ts'
import type { OrderTerm, Query } from '../query/query.ts'
import type { Selection } from '../query/selection.ts'
import type { ReadReport } from './port/request-context.ts'

export type { Cursor } from '../paging/cursor.ts'

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

/** The requested version, or the row of the cursor, has been deleted. */
export type Reclaimed = 'reclaimed'
