/**
 * Pages of metadata. Items are few and in memory, ordered by name, which is all the paging they
 * need. Their tokens work like those of objects.
 */
import type { FastifyReply } from 'fastify'
import type { Ontology } from '../../ontology/ontology.ts'
import { effectivePageSize, nextPageState } from '../../paging/page-bounds.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { Page, PagedRequest, PagingParameters } from '../../service/pages/page.ts'
import { digest, sendPage } from '../response/send-data.ts'
import type { Services } from '../services.ts'
import type { Description, MetadataList, Named } from './metadata-collection.ts'

export interface MetadataPageSpec<Item extends Named> {
  /** Page tokens are valid only for requests with the same value. */
  readonly endpoint: string
  readonly ontology: Pick<Ontology, 'rid' | 'viewId'>
  /** The type that the items belong to; undefined if they belong to the ontology. */
  readonly ownerRid: string | undefined
  readonly list: MetadataList<Item>
  readonly paging: PagingParameters
  readonly maximumPageSize: number
}

export function serveMetadataPage<Item extends Named>(
  request: PagedRequest,
  reply: FastifyReply,
  spec: MetadataPageSpec<Item>,
  services: Services,
): FastifyReply {
  return sendPage(reply, makePage(request, spec, services))
}

function makePage<Item extends Named>(
  request: PagedRequest,
  spec: MetadataPageSpec<Item>,
  services: Services,
): Page {
  const { walkTokens, limits } = services
  const { list, paging, maximumPageSize } = spec
  const nowSeconds = services.now() / 1000
  const binding = bindingOf(request, spec, services)
  const resumed = walkTokens.resume(paging.pageToken, binding, nowSeconds)
  const after = resumed?.after.pk ?? ''
  const following = list.items.filter(({ apiName }) => apiName > after)
  const items = following.slice(0, effectivePageSize(paging.pageSize ?? undefined, maximumPageSize))
  const described = describeWithinBudget(items, list, limits.pageMaxBytes)
  const last = items[described.length - 1]
  const next = nextPageState(
    {
      count: described.length,
      last: last && { pk: last.apiName, version: 0 },
      more: following.length > described.length,
    },
    { alreadySent: resumed?.served ?? 0, totalCount: undefined, snapshot: undefined },
  )
  return {
    records: Buffer.from(described.map(({ json }) => json).join()),
    nextPageToken: walkTokens.seal(next, binding, nowSeconds),
    totalCount: undefined,
    etagInputs: [
      digest(described.map(({ etag }) => etag).join()),
      binding.caller.toString('base64url'),
      ...walkTokens.etagInputs(nowSeconds),
    ],
  }
}

function bindingOf<Item extends Named>(
  { caller }: PagedRequest,
  { endpoint, ontology, ownerRid }: MetadataPageSpec<Item>,
  { walkTokens }: Services,
): TokenBinding {
  const request = {
    endpoint,
    revision: '1.0',
    ontologyRid: ontology.rid,
    objectType: ownerRid ?? '',
    query: EVERYTHING,
    order: [],
    selection: undefined,
    snapshot: false,
  } as const
  return walkTokens.bind(request, caller.id, ontology.viewId)
}

/** Descriptions can be long, so pages of metadata have the same byte budget as pages of objects. */
function describeWithinBudget<Item extends Named>(
  items: readonly Item[],
  list: MetadataList<Item>,
  maxBytes: number,
): Description[] {
  const descriptions: Description[] = []
  let bytes = 0
  for (const item of items) {
    const description = list.describe(item)
    bytes += description.bytes + 1
    if (bytes > maxBytes && descriptions.length > 0) break
    descriptions.push(description)
  }
  return descriptions
}
