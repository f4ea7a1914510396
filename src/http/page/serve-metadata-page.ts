/**
 * Pages of metadata: object types and link types. They are few and in memory, so sorting by name is
 * all the paging they need. Their tokens work like those of objects.
 */
import { nextPageState } from '../../paging/next-page.ts'
import { effectivePageSize } from '../../paging/page-size.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { callerFingerprint, requestFingerprint } from '../../paging/request-fingerprint.ts'
import { EVERYTHING } from '../../query/query.ts'
import { digest } from '../response/entity-tag.ts'
import type { PagingParameters } from '../schemas/paging.ts'
import type { Services } from '../services.ts'
import { openWalk, type PagedRequest } from './open-walk.ts'
import { type Page, type PageReply, sendPage } from './send-page.ts'

export interface MetadataPageSpec<Item> {
  /** Page tokens are valid only for requests with the same value. */
  readonly endpoint: string
  readonly ontologyRid: string
  /** The object type that the items belong to; undefined if they belong to the ontology. */
  readonly objectTypeRid: string | undefined
  readonly items: readonly Item[]
  readonly describe: (item: Item) => object
  readonly paging: PagingParameters
  readonly maximumPageSize: number
}

export function serveMetadataPage<Item extends { readonly apiName: string }, Reply>(
  request: PagedRequest,
  reply: PageReply<Reply>,
  spec: MetadataPageSpec<Item>,
  services: Services,
): Reply {
  return sendPage(reply, makePage(request, spec, services))
}

function makePage<Item extends { readonly apiName: string }>(
  request: PagedRequest,
  spec: MetadataPageSpec<Item>,
  services: Services,
): Page {
  const { walkTokens, limits } = services
  const { paging, maximumPageSize } = spec
  const nowSeconds = services.now() / 1000
  const binding = bindingOf(request, spec)
  const resumed = openWalk(request, paging.pageToken, binding, nowSeconds, services)
  const after = resumed?.after.pk ?? ''
  // By name, so that a change of the definition moves no item that it does not touch.
  const following = spec.items
    .filter(({ apiName }) => apiName > after)
    .sort((a, b) => (a.apiName < b.apiName ? -1 : 1))

  const items = following.slice(0, effectivePageSize(paging.pageSize ?? undefined, maximumPageSize))
  const texts = textsWithinBudget(items, spec.describe, limits.pageMaxBytes)
  const last = items[texts.length - 1]
  const next = nextPageState(
    {
      count: texts.length,
      last: last && { pk: last.apiName, version: 0 },
      more: following.length > texts.length,
    },
    { alreadySent: resumed?.served ?? 0, totalCount: undefined, snapshot: undefined },
  )
  const records = texts.join(',')
  return {
    records: Buffer.from(records),
    nextPageToken: walkTokens.seal(next, binding, nowSeconds),
    totalCount: undefined,
    etagInputs: [
      digest(records),
      binding.caller.toString('base64url'),
      ...walkTokens.etagInputs(nowSeconds),
    ],
  }
}

function bindingOf<Item>(
  { caller }: PagedRequest,
  { endpoint, ontologyRid, objectTypeRid }: MetadataPageSpec<Item>,
): TokenBinding {
  return {
    request: requestFingerprint({
      endpoint,
      revision: '1.0',
      ontologyRid,
      objectType: objectTypeRid ?? '',
      query: EVERYTHING,
      order: [],
      selection: undefined,
      snapshot: false,
    }),
    caller: callerFingerprint(caller.id),
  }
}

/** Descriptions can be long, so pages of metadata have the same byte budget as pages of objects. */
function textsWithinBudget<Item>(
  items: readonly Item[],
  describe: (item: Item) => object,
  maxBytes: number,
): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const item of items) {
    const text = JSON.stringify(describe(item))
    bytes += Buffer.byteLength(text) + 1
    if (bytes > maxBytes && texts.length > 0) break
    texts.push(text)
  }
  return texts
}
