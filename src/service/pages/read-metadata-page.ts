/** Reads a page of metadata. Items are few and in memory, ordered by name, which is also their cursor. */
import type { Ontology } from '../../ontology/ontology.ts'
import { effectivePageSize, textsWithin } from '../../paging/page-limits.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { ServiceParts } from '../service-parts.ts'
import type { Page, PagedRequest, PagingParameters } from './page.ts'
import { readWalkPage } from './walk.ts'

export interface MetadataPageSpec<Item extends { readonly apiName: string }> {
  /** Page tokens are valid only for requests with the same value. */
  readonly endpoint: string
  readonly ontology: Pick<Ontology, 'rid' | 'viewId'>
  /** The type that the items belong to; undefined if they belong to the ontology. */
  readonly ownerRid: string | undefined
  /** By name. */
  readonly items: readonly Item[]
  readonly describe: (item: Item) => { readonly json: string; readonly etag: string }
  readonly paging: PagingParameters
  readonly maximumPageSize: number
}

export function readMetadataPage<Item extends { readonly apiName: string }>(
  request: PagedRequest,
  spec: MetadataPageSpec<Item>,
  services: ServiceParts,
): Promise<Page> {
  const { endpoint, ontology, ownerRid, items, describe, paging, maximumPageSize } = spec
  const { walkTokens, limits } = services
  const walk = {
    endpoint,
    revision: '1.0',
    ontologyRid: ontology.rid,
    objectType: ownerRid ?? '',
    query: EVERYTHING,
    order: [],
    selection: undefined,
    snapshot: false,
  } as const
  return readWalkPage(
    request,
    {
      pageToken: paging.pageToken,
      binding: walkTokens.bind(walk, request.caller.id, ontology.viewId),
      read: async ({ resumed }) => {
        const after = resumed?.after.pk ?? ''
        const following = items.filter(({ apiName }) => apiName > after)
        const size = effectivePageSize(paging.pageSize ?? undefined, maximumPageSize)
        const fitting = textsWithin(
          following.slice(0, size),
          limits.pageMaxBytes,
          (item) => describe(item).json,
        )
        const described = following.slice(0, fitting.length)
        const last = described.at(-1)
        const etags = described.map((item) => describe(item).etag)
        return {
          records: Buffer.from(fitting.join()),
          last: last && { pk: last.apiName, version: 0 },
          more: following.length > fitting.length,
          etagInputs: [walkTokens.hashText(etags.join())],
        }
      },
    },
    services,
  )
}
