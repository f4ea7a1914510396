import { V2_PAGE_SIZES } from '../../contract/limits.ts'
import { flatRecordShape, type RecordShape, recordShape } from '../../contract/object-record.ts'
import type { Revision } from '../../contract/revisions.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { effectivePageSize } from '../../paging/walk-tokens.ts'
import type { OrderTerm, Query } from '../../query/query.ts'
import type { Selection } from '../../query/selection.ts'
import type { SetOrderTerm, SetPagePart } from '../../store/object-store.ts'
import type { PagingParameters } from './page.ts'

/** The page that an endpoint requests. */
export type PageSpec = TypePageSpec | SetPageSpec

interface WalkSpec {
  /** Page tokens are valid only for requests with the same value. */
  readonly endpoint: string
  readonly ontology: Ontology
  readonly paging: PagingParameters
  /** Whether the response contains `totalCount`, which may require reading every match. */
  readonly includeTotalCount: boolean
  /** For page tokens of a set that lists objects; see `RequestedSet`. */
  readonly listedTypes?: readonly number[] | undefined
}

/** A page of objects of one type. */
export interface TypePageSpec extends WalkSpec {
  readonly revision: Revision
  readonly objectType: ObjectType
  readonly query: Query
  /** Key order if absent. */
  readonly order?: readonly OrderTerm[]
  readonly selection?: Selection
  /** Also the default; if absent, the page has the sizes of v2. */
  readonly maximumPageSize?: number
  /** Whether records of v2 omit `__rid`. */
  readonly excludeRid?: boolean
  /** Whether the best matches come first, instead of an order by properties. Only for v2. */
  readonly isByRelevance?: boolean
}

/** A page of objects of several types. Only for v2. */
export interface SetPageSpec extends WalkSpec {
  readonly parts: readonly SetPagePart[]
  /** Part after part, each in key order, if empty. */
  readonly order: readonly SetOrderTerm[]
}

/** Returns the shape of the records of a page. */
export function shapeOf(
  {
    revision,
    objectType,
    excludeRid = false,
  }: Pick<TypePageSpec, 'revision' | 'objectType' | 'excludeRid'>,
  score?: number,
): RecordShape {
  return revision === 'v2'
    ? flatRecordShape(objectType, { excludeRid, score })
    : recordShape(revision, objectType.apiName)
}

/** Returns the size of a page. Without a maximum, it has the sizes of v2. */
export function pageSizeOf(
  maximum: number | undefined,
  { pageSize }: Pick<PagingParameters, 'pageSize'>,
): number {
  if (maximum !== undefined) return effectivePageSize(pageSize ?? undefined, maximum)
  return effectivePageSize(pageSize ?? V2_PAGE_SIZES.default, V2_PAGE_SIZES.maximum)
}
