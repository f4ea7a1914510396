/** The page that an endpoint requests, and what its tokens are bound to: all but its size. */
import { nextTurn } from '../../admission/next-turn.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { SET_PAGE_MAX_QUERY_BYTES } from '../../contract/limits.ts'
import {
  flatRecordShape,
  type RecordShape,
  recordShape,
  shapeKey,
} from '../../contract/object-record.ts'
import type { Revision } from '../../contract/revisions.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { type FingerprintedRequest, shortHash } from '../../paging/walk-tokens.ts'
import type { OrderTerm, Query } from '../../query/query.ts'
import { plainQuery, typeIdentity } from '../../query/query-tree.ts'
import type { Selection } from '../../query/selection.ts'
import type { SetOrderTerm, SetPagePart } from '../../store/object-store.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { PagedRequest, PagingParameters } from './page.ts'

export type PageSpec = TypePageSpec | SetPageSpec

interface CommonSpec {
  /** Page tokens are valid only for requests with the same value. */
  readonly endpoint: string
  readonly ontology: Ontology
  readonly paging: PagingParameters
  /** Whether the response contains `totalCount`, which may require reading every match. */
  readonly includeTotalCount: boolean
  /** For page tokens of a set that lists objects; see `RequestedSet`. */
  readonly listedTypes?: readonly number[] | undefined
}

/** A request for objects of one type. */
export interface TypePageRequest extends CommonSpec {
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

/** A page of objects of one type: a set of one part, with an order, a size and a limit of its own. */
export interface TypePageSpec extends TypePageRequest {
  readonly kind: 'type'
  readonly order: readonly OrderTerm[]
  readonly parts: readonly [SetPagePart]
}

/** A page of objects of several types. Only for v2. */
export interface SetPageSpec extends CommonSpec {
  readonly kind: 'set'
  readonly parts: readonly SetPagePart[]
  /** Part after part, each in key order, if empty. */
  readonly order: readonly SetOrderTerm[]
}

export function typePage(request: TypePageRequest): TypePageSpec {
  const { order = [] } = request
  return { ...request, order, kind: 'type', parts: [partOf(request)] }
}

/** Returns a page of one type as the only part of a set. */
export function partOf(
  request: Pick<TypePageRequest, 'revision' | 'objectType' | 'query' | 'selection' | 'excludeRid'>,
): SetPagePart {
  const { objectType, query, selection } = request
  return { objectType, query, record: { shape: shapeOf(request), selection } }
}

/** Returns the shape of the records of a page. */
export function shapeOf(
  {
    revision,
    objectType,
    excludeRid = false,
  }: Pick<TypePageRequest, 'revision' | 'objectType' | 'excludeRid'>,
  score?: number,
): RecordShape {
  return revision === 'v2'
    ? flatRecordShape(objectType, { excludeRid, score })
    : recordShape(revision, objectType.apiName)
}

/** Returns the binding of a page. That of several types is a promise, since they can be large. */
export function bindPage(
  { caller }: PagedRequest,
  spec: PageSpec,
  { walkTokens }: ServiceParts,
): TokenBinding | Promise<TokenBinding> {
  const { endpoint, ontology, paging } = spec
  const bind = (contents: PageContents) => {
    const walk = { endpoint, ontologyRid: ontology.rid, snapshot: paging.snapshot ?? false }
    return walkTokens.bind({ ...walk, ...contents }, caller.id, ontology.viewId)
  }
  return spec.kind === 'set' ? contentsOfSet(spec).then(bind) : bind(contentsOfType(spec))
}

type PageContents = Omit<FingerprintedRequest, 'endpoint' | 'ontologyRid' | 'snapshot'>

function contentsOfType(spec: TypePageSpec): PageContents {
  const { revision, objectType, query, order, selection } = spec
  const { excludeRid = false, isByRelevance = false } = spec
  return {
    revision,
    objectType: typeIdentity(objectType),
    query: plainQuery(query),
    order: isByRelevance ? [{ relevance: true }] : order,
    selection,
    excludeRid,
  }
}

async function contentsOfSet({ parts, order }: SetPageSpec): Promise<PageContents> {
  return {
    revision: 'v2',
    objectType: parts.map((part) => typeIdentity(part.objectType)).join(';'),
    query: await digestParts(parts),
    order,
    selection: undefined,
  }
}

/** How much text is hashed before other requests get a turn; hashing it takes a millisecond. */
const HASHED_AT_ONCE = 1024 * 1024

async function digestParts(parts: readonly SetPagePart[]): Promise<readonly string[]> {
  const digests: string[] = []
  let total = 0
  let sinceTurn = 0
  for (const { query, record } of parts) {
    const { shape, selection } = record
    const text = JSON.stringify([plainQuery(query), shapeKey(shape), selection ?? null])
    total += text.length
    sinceTurn += text.length
    if (total > SET_PAGE_MAX_QUERY_BYTES) throw tooLarge(parts.length)
    digests.push(shortHash(text).toString('base64url'))
    if (sinceTurn < HASHED_AT_ONCE) continue
    await nextTurn()
    sinceTurn = 0
  }
  return digests
}

function tooLarge(typeCount: number): ObjectQueryError {
  const reason = `its queries of ${typeCount} object types have more than ${SET_PAGE_MAX_QUERY_BYTES} bytes together; ask for fewer types or values`
  return new ObjectQueryError('UnsupportedObjectSet', { reason })
}
