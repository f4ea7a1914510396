import type { ShownVersion } from '../../access/ruled-objects.ts'
import type { ServiceContext } from '../service-context.ts'

/** A page of records, already serialised. */
export interface Page {
  /** The records as JSON text, separated by commas, without the brackets. */
  readonly records: Uint8Array
  /** The number of objects; undefined if the records are none. */
  readonly count?: number | undefined
  readonly nextPageToken: string | undefined
  /** Follows the changes after the version that was read. On the last page of a snapshot walk. */
  readonly nextChangesToken?: string | undefined
  /** Undefined if the request did not ask for it. */
  readonly totalCount?: number | undefined
  /** The version that was read; undefined for metadata, and for objects of several types. */
  readonly version?: ShownVersion | undefined
  /** Equal for two pages with the same content, although their tokens differ. Undefined without a tag. */
  readonly etagInputs?: readonly (string | number)[] | undefined
  /** Whether the entity tag is a hash of the records, because versions would reveal too much. */
  readonly isTaggedByContent?: boolean | undefined
}

/** The parts of a request that paging needs. */
export interface PagedRequest {
  readonly method: string
  readonly caller: { readonly id: string }
  readonly context: ServiceContext
}

/** Paging parameters from a query string or a body. Null means absent. */
export interface PagingParameters {
  readonly pageSize?: number | null | undefined
  readonly pageToken?: string | null | undefined
  readonly snapshot?: boolean | null | undefined
}
