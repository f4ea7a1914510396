/** The endpoints of revision 1.0, one method each. */
import { pathOf, type QueryParameters } from '../addresses.ts'
import type { CallOptions, ServiceRequest } from '../connection.ts'
import { EndpointGroup } from './endpoint-group.ts'
import type { ObjectRecord, Page, PageOptions, TypePath } from './pages.ts'

export interface OntologySummary {
  readonly apiName: string
  readonly displayName: string
  readonly description: string
  readonly rid: string
}

export interface ObjectTypeSummary {
  readonly apiName: string
  readonly rid: string
  readonly status: string
  readonly displayName?: string
  readonly description?: string
  /** One property. */
  readonly primaryKey: readonly string[]
  readonly properties: Readonly<Record<string, PropertySummary>>
}

export interface PropertySummary {
  readonly baseType: string
  readonly displayName?: string
  readonly description?: string
}

export interface LinkTypeSide {
  readonly apiName: string
  readonly displayName: string
  readonly status: string
  readonly objectTypeApiName: string
  readonly cardinality: 'ONE' | 'MANY'
  readonly foreignKeyPropertyApiName?: string
}

export interface ListOptions extends PageOptions {
  /** Properties to return, comma-separated. */
  readonly properties?: string | undefined
  /** Such as `properties.name:desc,properties.city`. */
  readonly orderBy?: string | undefined
  /** `properties.NAME.OPERATOR` → values. */
  readonly filters?: Readonly<Record<string, readonly string[]>>
}

/** The body of a search request. */
export interface SearchRequest extends PageOptions {
  readonly query: unknown
  readonly orderBy?: { readonly fields: readonly object[] } | undefined
  readonly fields?: readonly string[] | undefined
}

export interface AggregateRequest {
  readonly aggregation: readonly object[]
  readonly query?: object | undefined
  readonly groupBy?: readonly object[] | undefined
}

export interface AggregateResponse {
  readonly data: readonly {
    readonly group: Readonly<Record<string, unknown>>
    readonly metrics: readonly { readonly name: string; readonly value?: number | string }[]
  }[]
  readonly excludedItems?: number
  readonly accuracy?: string
}

/** The side of a link that a request starts from. */
export interface LinkPath extends TypePath {
  readonly primaryKey: string
  readonly linkType: string
}

export class Revision1 extends EndpointGroup {
  async listOntologies(call?: CallOptions): Promise<readonly OntologySummary[]> {
    return (await this.page<Page<OntologySummary>>({ path: '/api/v1/ontologies' }, call)).data
  }

  getOntology(ontology: string, call?: CallOptions): Promise<OntologySummary> {
    return this.get(pathOf`/api/v1/ontologies/${ontology}`, call)
  }

  listObjectTypes(
    ontology: string,
    options?: PageOptions,
    call?: CallOptions,
  ): Promise<Page<ObjectTypeSummary>> {
    const path = pathOf`/api/v1/ontologies/${ontology}/objectTypes`
    return this.page({ path, query: { ...options } }, call)
  }

  getObjectType(type: TypePath, call?: CallOptions): Promise<ObjectTypeSummary> {
    return this.get(typePath(type), call)
  }

  listLinkTypes(
    type: TypePath,
    options?: PageOptions,
    call?: CallOptions,
  ): Promise<Page<LinkTypeSide>> {
    const path = `${typePath(type)}/outgoingLinkTypes`
    return this.page({ path, query: { ...options } }, call)
  }

  getLinkType(type: TypePath, linkType: string, call?: CallOptions): Promise<LinkTypeSide> {
    return this.get(typePath(type) + pathOf`/outgoingLinkTypes/${linkType}`, call)
  }

  listObjects(type: TypePath, options: ListOptions = {}, call?: CallOptions): Promise<Page> {
    return this.page(listRequest(type, options), call)
  }

  getObject(
    type: TypePath,
    primaryKey: string,
    options?: Pick<ListOptions, 'properties'>,
    call?: CallOptions,
  ): Promise<ObjectRecord> {
    return this.get(objectRequest(type, primaryKey).path, call, options)
  }

  /** Returns an object with its entity tag. */
  async getTaggedObject(
    type: TypePath,
    primaryKey: string,
    call?: CallOptions,
  ): Promise<{ readonly record: ObjectRecord; readonly etag: string | undefined }> {
    const request = { ...objectRequest(type, primaryKey), ...call }
    const { body: record, headers } = await this.connection.exchange<ObjectRecord>(request)
    return { record, etag: headers.get('etag') ?? undefined }
  }

  listLinkedObjects(link: LinkPath, options?: ListOptions, call?: CallOptions): Promise<Page> {
    return this.page({ path: linkPath(link), query: toQuery(options) }, call)
  }

  getLinkedObject(
    link: LinkPath,
    linkedPrimaryKey: string,
    options?: Pick<ListOptions, 'properties'>,
    call?: CallOptions,
  ): Promise<ObjectRecord> {
    return this.get(linkPath(link) + pathOf`/${linkedPrimaryKey}`, call, options)
  }

  searchObjects(type: TypePath, request: SearchRequest, call?: CallOptions): Promise<Page> {
    return this.page(searchRequest(type, request), call)
  }

  aggregateObjects(
    type: TypePath,
    json: AggregateRequest,
    call?: CallOptions,
  ): Promise<AggregateResponse> {
    return this.page({ method: 'POST', path: `${objectsPath(type)}/aggregate`, json }, call)
  }

  /** Returns the name of the primary key property of a type. */
  async primaryKeyOf(type: TypePath, call?: CallOptions): Promise<string> {
    const { primaryKey } = await this.getObjectType(type, call)
    const name = primaryKey?.[0]
    if (name !== undefined) return name
    throw this.connection.invalidResponse(`returned no primary key for ${type.objectType}`)
  }
}

function toQuery({ filters = {}, ...options }: ListOptions = {}): QueryParameters {
  return { ...options, ...filters }
}

function typePath({ ontology, objectType }: TypePath): string {
  return pathOf`/api/v1/ontologies/${ontology}/objectTypes/${objectType}`
}

function objectsPath({ ontology, objectType }: TypePath): string {
  return pathOf`/api/v1/ontologies/${ontology}/objects/${objectType}`
}

export function objectRequest(type: TypePath, primaryKey: string): ServiceRequest {
  return { path: objectsPath(type) + pathOf`/${primaryKey}` }
}

export function listRequest(type: TypePath, options: ListOptions): ServiceRequest {
  return { path: objectsPath(type), query: toQuery(options) }
}

export function searchRequest(type: TypePath, json: SearchRequest): ServiceRequest {
  return { method: 'POST', path: `${objectsPath(type)}/search`, json }
}

function linkPath({ primaryKey, linkType, ...type }: LinkPath): string {
  return objectsPath(type) + pathOf`/${primaryKey}/links/${linkType}`
}
