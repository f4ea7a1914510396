/** The endpoints of metadata: lists in pages, single items, and batches by RID. */

import { type TSchema, Type } from 'typebox'
import { resolveOntology, type Viewer } from '../../access/find-visible.ts'
import { RID_BATCH_MAX } from '../../contract/limits.ts'
import { closed, documentedWith, NoParameters } from '../../contract/schema-parts.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { readMetadataPage } from '../../service/pages/read-metadata-page.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { refuseBatchSize } from '../request/batch-size.ts'
import { sendJson, sendPage } from '../response/send-data.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import type { AnyPathNames } from '../schemas/paths.ts'
import { type CollectionSpec, MetadataCollection, type Named } from './metadata-collection.ts'

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
  { maximumPageSize, ...documentation }: Documentation & { readonly maximumPageSize: number },
): Endpoint {
  return endpoint({
    route: `GET ${api}${path}` as `GET /${string}`,
    config,
    description: 'Ordered by API name.',
    ...documentation,
    querystring: Type.Object(metadataPaging, closed),
    response: Type.Object({ data: Type.Array(response), nextPageToken: NextPageToken }),
    handle: async (request, reply, services) => {
      const { ontology, owner } = resolve(request, request.params)
      const list = collection.listOf(ontology, owner)
      const spec = {
        endpoint: documentation.operationId,
        ontology,
        ownerRid: owner.rid === ontology.rid ? undefined : owner.rid,
        items: list.items,
        describe: (item: Item) => list.describe(item),
        paging: request.query,
        maximumPageSize,
      }
      return sendPage(reply, await readMetadataPage(request, spec, services))
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
