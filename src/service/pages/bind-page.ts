/** What the page tokens of objects are bound to: the request, apart from the size of its pages. */
import { nextTurn } from '../../admission/next-turn.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { SET_PAGE_MAX_QUERY_BYTES } from '../../contract/limits.ts'
import { shapeKey } from '../../contract/object-record.ts'
import { type FingerprintedRequest, shortHash } from '../../paging/fingerprints.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { plainQuery, typeIdentity } from '../../query/query-tree.ts'
import type { SetPagePart } from '../../store/object-store.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { PagedRequest } from './page.ts'
import type { PageSpec, SetPageSpec, TypePageSpec } from './page-spec.ts'

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
  return 'parts' in spec ? contentsOfSet(spec).then(bind) : bind(contentsOfType(spec))
}

type PageContents = Omit<FingerprintedRequest, 'endpoint' | 'ontologyRid' | 'snapshot'>

function contentsOfType(spec: TypePageSpec): PageContents {
  const { revision, objectType, query, order = [], selection } = spec
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
