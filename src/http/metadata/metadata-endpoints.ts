/** The endpoints of metadata: lists in pages, single items, and batches by RID. */

import type { FastifyReply } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { resolveOntology, type Viewer } from '../../access/find-visible.ts'
import { RID_BATCH_MAX } from '../../contract/limits.ts'
import { closed, documentedWith, NoParameters } from '../../contract/schema-parts.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { effectivePageSize } from '../../paging/page-limits.ts'
import type { TokenBinding } from '../../paging/page-token.ts'
import { nextPageState } from '../../paging/walk-tokens.ts'
import { EVERYTHING } from '../../query/query.ts'
import type { Page, PagedRequest, PagingParameters } from '../../service/pages/page.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { refuseBatchSize } from '../request/batch-size.ts'
import { digest, sendJson, sendPage } from '../response/send-data.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import type { AnyPathNames } from '../schemas/paths.ts'
import type { Services } from '../services.ts'
import {
  type CollectionSpec,
  type Description,
  MetadataCollection,
  type MetadataList,
  type Named,
} from './metadata-collection.ts'

/** The APIs that have metadata, by the path of their ontologies. */
export type MetadataApi = '/api/v1/ontologies' | '/api/v2/ontologies'

/** Where a collection stands in an API. */
export interface MetadataSource<Owner extends Named, Item extends Named> {
  readonly api: MetadataApi
  /** The path of the list, after that of the ontologies. */
  readonly path: string
  readonly resolve: (viewer: Viewer, path: AnyPathNames) => Owned<Owner>
  readonly collection: MetadataCollection<Owner, Item>
  /** The schema of an item. */
  readonly response: TSchema
}

interface Owned<Owner> {
  readonly ontology: Ontology
  readonly owner: Owner
}

interface Documentation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
}

const config = { scope: 'api:ontologies-read' } as const

/** Returns the source of a collection that belongs to the ontology itself. */
export function ontologySource<Item extends Named>(
  api: MetadataApi,
  path: string,
  response: TSchema,
  spec: CollectionSpec<Ontology, Item>,
): MetadataSource<Ontology, Item> {
  return {
    api,
    path,
    resolve({ catalogue, caller }, { ontology: identifier }) {
      const ontology = resolveOntology(catalogue, caller, identifier)
      return { ontology, owner: ontology }
    },
    collection: new MetadataCollection(spec),
    response,
  }
}

/** Returns the endpoint that lists a collection, ordered by API name. */
export function metadataList<Owner extends Named, Item extends Named>(
  { api, path, resolve, collection, response }: MetadataSource<Owner, Item>,
  list: Documentation & { readonly maximumPageSize: number },
): Endpoint {
  const { maximumPageSize, ...documentation } = list
  return endpoint({
    route: `GET ${api}${path}` as `GET /${string}`,
    config,
    description: 'Ordered by API name.',
    ...documentation,
    querystring: Type.Object(metadataPaging, closed),
    response: Type.Object({ data: Type.Array(response), nextPageToken: NextPageToken }),
    handle: async (request, reply, services) => {
      const { ontology, owner } = resolve(request, request.params)
      const spec = {
        endpoint: list.operationId,
        ontology,
        ownerRid: owner.rid === ontology.rid ? undefined : owner.rid,
        list: collection.listOf(ontology, owner),
        paging: request.query,
        maximumPageSize,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  })
}

/** Returns an endpoint that returns one item. */
export function metadataItem<Owner extends Named, Item extends Named>(
  source: MetadataSource<Owner, Item>,
  item: Documentation & {
    /** Follows the path of the list. */
    readonly path: string
    /** Returns the item, or throws the error of one that does not exist. */
    readonly find: (owned: Owned<Owner>, path: AnyPathNames) => Item
  },
): Endpoint {
  const { path, find, ...documentation } = item
  return endpoint({
    route: `GET ${source.api}${source.path}${path}` as `GET /${string}`,
    config,
    description:
      'As the current definition has it. `If-None-Match` returns 304 until the definition changes it.',
    ...documentation,
    querystring: NoParameters,
    response: source.response,
    handle: async (request, reply) => {
      const owned = source.resolve(request, request.params)
      const list = source.collection.listOf(owned.ontology, owned.owner)
      const { json, etag } = list.describe(find(owned, request.params))
      return sendJson(reply, json, etag)
    },
  })
}

/** Returns the endpoint that lists a collection, and the one that returns one item by name. */
export function metadataListAndItem<Owner extends Named, Item extends Named>(
  source: MetadataSource<Owner, Item>,
  spec: {
    readonly operationIds: readonly [list: string, get: string]
    readonly summaries: readonly [list: string, get: string]
    /** Describes the list. */
    readonly description?: string
    readonly maximumPageSize: number
    readonly path: string
    readonly find: (owned: Owned<Owner>, path: AnyPathNames) => Item
  },
): Endpoint[] {
  const { operationIds, summaries, path, find, ...list } = spec
  return [
    metadataList(source, { operationId: operationIds[0], summary: summaries[0], ...list }),
    metadataItem(source, { operationId: operationIds[1], summary: summaries[1], path, find }),
  ]
}

/** Returns the endpoint that returns items by RID. `ridMember` names the RID in each request. */
export function metadataBatch<Item extends Named>(
  { api, path, resolve, collection, response }: MetadataSource<Ontology, Item>,
  batch: Required<Documentation> & { readonly ridMember: string },
): Endpoint {
  const { ridMember, ...documentation } = batch
  const requests = documentedWith(Type.Array(Type.Object({ [ridMember]: Type.String() }, closed)), {
    minItems: 1,
    maxItems: RID_BATCH_MAX,
  })
  return endpoint({
    route: `POST ${api}${path}/getByRidBatch` as `POST /${string}`,
    config: { ...config, writes: 'nothing' },
    ...documentation,
    body: Type.Object({ requests }, closed),
    response: Type.Object({ data: Type.Array(response) }),
    handle: async (request, reply) => {
      const { ontology, owner } = resolve(request, request.params)
      refuseBatchSize(request.body.requests, RID_BATCH_MAX)
      const list = collection.listOf(ontology, owner)
      const rids = request.body.requests.map((one) => one[ridMember] ?? '')
      const found = rids.flatMap((rid) => list.findByRid(rid) ?? [])
      const texts = found.map((item) => list.describe(item).json)
      return sendJson(reply, `{"data":[${texts.join(',')}]}`)
    },
  })
}

/*
 * Pages of metadata. Items are few and in memory, ordered by name, which is all the paging they
 * need. Their tokens work like those of objects.
 */

interface MetadataPageSpec<Item extends Named> {
  /** Page tokens are valid only for requests with the same value. */
  readonly endpoint: string
  readonly ontology: Pick<Ontology, 'rid' | 'viewId'>
  /** The type that the items belong to; undefined if they belong to the ontology. */
  readonly ownerRid: string | undefined
  readonly list: MetadataList<Item>
  readonly paging: PagingParameters
  readonly maximumPageSize: number
}

function serveMetadataPage<Item extends Named>(
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
