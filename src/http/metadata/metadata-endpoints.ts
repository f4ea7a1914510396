/** The endpoints of metadata: lists in pages, single items, and batches by RID. */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { resolveOntology, type Viewer } from '../../access/resolve.ts'
import { RID_BATCH_MAX } from '../../contract/limits.ts'
import { closed } from '../../contract/schema-parts.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { PagingParameters } from '../../service/pages/page.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { refuseBatchSize } from '../request/batch-size.ts'
import { sendJson } from '../response/send-json.ts'
import { documentedWith } from '../schemas/documented.ts'
import { metadataPaging, NextPageToken } from '../schemas/paging.ts'
import { OntologyPath } from '../schemas/paths.ts'
import { readResponses, responses } from '../schemas/responses.ts'
import type { MetadataApi } from './metadata-api.ts'
import { type CollectionSpec, MetadataCollection, type Named } from './metadata-collection.ts'
import { serveMetadataPage } from './serve-metadata-page.ts'

/** Where a collection stands in an API. */
export interface MetadataSource<Path extends TObject, Owner extends Named, Item extends Named> {
  readonly api: MetadataApi
  /** The path of the list, after that of the ontologies. */
  readonly path: string
  readonly params: Path
  readonly resolve: (viewer: Viewer, path: Static<Path>) => Owned<Owner>
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
): MetadataSource<typeof OntologyPath, Ontology, Item> {
  return {
    api,
    path,
    params: OntologyPath,
    resolve({ catalogue, caller }, { ontology: identifier }) {
      const ontology = resolveOntology(catalogue, caller, identifier)
      return { ontology, owner: ontology }
    },
    collection: new MetadataCollection(spec),
    response,
  }
}

/** Returns the parts of a schema that follow from the API. */
function documented({ tag, label }: MetadataApi, { summary, ...rest }: Documentation) {
  return { ...rest, summary: `${summary} (${label})`, tags: [tag] }
}

/** Returns the endpoint that lists a collection, ordered by API name. */
export function metadataList<Path extends TObject, Owner extends Named, Item extends Named>(
  source: MetadataSource<Path, Owner, Item>,
  list: Documentation & { readonly maximumPageSize: number },
): Endpoint {
  const { api, path, params, resolve, collection, response } = source
  const { maximumPageSize, description = 'Ordered by API name.', ...documentation } = list
  return endpoint({
    route: `GET ${api.root}${path}`,
    config,
    ...documented(api, { ...documentation, description }),
    params,
    querystring: api.parameters(metadataPaging),
    response: readResponses(
      Type.Object({ data: Type.Array(response), nextPageToken: NextPageToken }),
    ),
    handle: async (request, reply, services) => {
      const { ontology, owner } = resolve(request, request.params as Static<Path>)
      const spec = {
        endpoint: list.operationId,
        ontology,
        ownerRid: owner.rid === ontology.rid ? undefined : owner.rid,
        list: collection.listOf(ontology, owner),
        paging: request.query as PagingParameters,
        maximumPageSize,
      }
      return serveMetadataPage(request, reply, spec, services)
    },
  })
}

/** Returns an endpoint that returns one item. */
export function metadataItem<
  Path extends TObject,
  Owner extends Named,
  Item extends Named,
  ItemPath extends Path,
>(
  source: MetadataSource<Path, Owner, Item>,
  item: Documentation & {
    /** Follows the path of the list. */
    readonly path: string
    readonly params: ItemPath
    /** Returns the item, or throws the error of one that does not exist. */
    readonly find: (owned: Owned<Owner>, path: Static<ItemPath>) => Item
  },
): Endpoint {
  const { api, resolve, collection, response } = source
  const { path, params, find, ...documentation } = item
  return endpoint({
    route: `GET ${api.root}${source.path}${path}`,
    config,
    ...documented(api, documentation),
    params,
    querystring: api.parameters({}),
    response: readResponses(response),
    handle: async (request, reply) => {
      const names = request.params as Static<ItemPath>
      const owned = resolve(request, names as Static<Path>)
      const list = collection.listOf(owned.ontology, owned.owner)
      const { json, etag } = list.describe(find(owned, names))
      return sendJson(reply, json, etag)
    },
  })
}

/** Returns the endpoint that returns items by RID. `ridMember` names the RID in each request. */
export function metadataBatch<Item extends Named>(
  source: MetadataSource<typeof OntologyPath, Ontology, Item>,
  batch: Documentation & { readonly ridMember: string },
): Endpoint {
  const { api, path, params, resolve, collection, response } = source
  const { ridMember, ...documentation } = batch
  const Request = Type.Object({ [ridMember]: Type.String() }, closed)
  return endpoint({
    route: `POST ${api.root}${path}/getByRidBatch`,
    config: { ...config, writes: 'nothing' },
    ...documented(api, documentation),
    params,
    querystring: api.parameters({}),
    body: Type.Object(
      {
        requests: documentedWith(Type.Array(Request), {
          minItems: 1,
          maxItems: RID_BATCH_MAX,
        }),
      },
      closed,
    ),
    response: responses(Type.Object({ data: Type.Array(response) })),
    handle: async (request, reply) => {
      const { ontology, owner } = resolve(request, request.params)
      const { requests } = request.body
      refuseBatchSize(requests, RID_BATCH_MAX)
      const list = collection.listOf(ontology, owner)
      const found = requests.flatMap((one) => list.findByRid(one[ridMember] ?? '') ?? [])
      const texts = found.map((item) => list.describe(item).json)
      return sendJson(reply, `{"data":[${texts.join(',')}]}`)
    },
  })
}
