/** The client that commands use: one method per endpoint. */
import type { ExportFormat } from '../contract/export-formats.ts'
import { Connection, type ConnectionOptions, type QueryParameters } from './connection.ts'
import { ConnectionError } from './service-error.ts'

/** The path parameters that name an object type. */
export interface TypePath {
  /** RID or API name. */
  readonly ontology: string
  readonly objectType: string
}

/** An object as the service sends it. */
export interface ObjectRecord {
  readonly properties: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}

export interface Page {
  readonly data: readonly ObjectRecord[]
  readonly nextPageToken?: string
  /** Only in revision 1.0. */
  readonly totalCount?: string
}

/** The parameters that all paged endpoints share. */
export interface PageOptions {
  readonly pageSize?: number | undefined
  readonly pageToken?: string | undefined
  readonly snapshot?: boolean | undefined
}

export interface ListOptions extends PageOptions {
  readonly properties?: string | undefined
  readonly orderBy?: string | undefined
  /** `properties.NAME.OPERATOR` → values. */
  readonly filters?: Readonly<Record<string, readonly string[]>>
}

/** The body of a search request of revision 1.0. */
export interface SearchRequest extends PageOptions {
  readonly query: unknown
  readonly orderBy?: { readonly fields: readonly object[] } | undefined
  readonly fields?: readonly string[] | undefined
}

/** The body of a search request of revision 2.0. */
export interface FamilySearchRequest extends PageOptions {
  readonly query: unknown
}

export interface OntologySummary {
  readonly apiName: string
  readonly displayName: string
  readonly description: string
  readonly rid: string
}

export interface BatchResult {
  readonly version: number
  readonly put: number
  readonly deleted: number
  /** Objects that existed and were kept, in append mode. */
  readonly kept?: number
}

export interface ExportOptions {
  readonly format: ExportFormat
  /** A query of revision 1.0, as JSON. */
  readonly where?: string | undefined
  readonly select?: string | undefined
  /** To resume: the version, the last primary key received, and the number of objects received. */
  readonly version?: string | undefined
  readonly after?: string | undefined
  readonly received?: number | undefined
}

export interface ExportStream {
  /** The version of the object type that is exported. */
  readonly version: string
  readonly chunks: AsyncIterable<Uint8Array>
}

const JSON_TYPE = 'application/json'

export class ServiceClient {
  readonly connection: Connection

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options)
  }

  async listObjects(type: TypePath, { filters = {}, ...options }: ListOptions): Promise<Page> {
    const query: QueryParameters = { ...options, ...filters }
    return (await this.#get(objectsPath(type), query)) as Page
  }

  async searchObjects(type: TypePath, request: SearchRequest): Promise<Page> {
    return (await this.#search(`${objectsPath(type)}/search`, request)) as Page
  }

  /** Searches by object type, with a request of revision 2.0. */
  async searchFamily(
    family: string,
    objectType: string,
    request: FamilySearchRequest,
  ): Promise<Page> {
    const path = `/api/${segment(family)}/v1/objects/types/${segment(objectType)}/search`
    return (await this.#search(path, request)) as Page
  }

  async getObject(type: TypePath, primaryKey: string, properties?: string): Promise<ObjectRecord> {
    const path = `${objectsPath(type)}/${segment(primaryKey)}`
    return (await this.#get(path, { properties })) as ObjectRecord
  }

  async listOntologies(): Promise<readonly OntologySummary[]> {
    const { data } = (await this.#get('/api/v1/ontologies')) as { data: OntologySummary[] }
    return data
  }

  /** Returns the name of the primary key property of a type. */
  async primaryKeyOf({ ontology, objectType }: TypePath): Promise<string> {
    const path = `/api/v1/ontologies/${segment(ontology)}/objectTypes/${segment(objectType)}`
    const { primaryKey } = (await this.#get(path)) as { primaryKey?: readonly string[] }
    const name = primaryKey?.[0]
    if (name !== undefined) return name
    const message = `${this.connection.url} returned no primary key for ${objectType}, so it is not an object query service. Check --url.`
    throw new ConnectionError(message, { isLost: false })
  }

  async readDefinition(ontology: string): Promise<unknown> {
    return await this.#get(adminPath(ontology))
  }

  /** Creates or changes an ontology; applying the same definition again changes nothing. */
  async applyDefinition(ontology: string, definition: unknown): Promise<unknown> {
    return await this.connection.send({
      method: 'PUT',
      path: adminPath(ontology),
      body: { type: JSON_TYPE, content: JSON.stringify(definition) },
      isRepeatable: true,
    })
  }

  /**
   * Sends one atomic batch with one change per line. The caller decides whether it may be sent
   * again if the response is lost.
   */
  async postBatch(
    { ontology, objectType }: TypePath,
    lines: string | Uint8Array,
    { isRepeatable, query = {} }: { isRepeatable: boolean; query?: QueryParameters },
  ): Promise<BatchResult> {
    const result = await this.connection.send({
      method: 'POST',
      path: `${adminPath(ontology)}/objects/${segment(objectType)}`,
      query,
      body: { type: 'application/x-ndjson', content: lines },
      isRepeatable,
    })
    return result as BatchResult
  }

  /** Starts a replacement of all objects of a type; returns the name for its batches. */
  async startReplacement(type: TypePath): Promise<string> {
    const result = await this.connection.send({
      method: 'POST',
      path: replacementsPath(type),
      // A replacement that is started twice and never used expires.
      isRepeatable: true,
    })
    return (result as { replacement: string }).replacement
  }

  async publishReplacement(type: TypePath, replacement: string): Promise<BatchResult> {
    const result = await this.connection.send({
      method: 'POST',
      path: `${replacementsPath(type)}/${segment(replacement)}/publish`,
      // Publishing again returns the result of the first time.
      isRepeatable: true,
    })
    return result as BatchResult
  }

  async abandonReplacement(type: TypePath, replacement: string): Promise<void> {
    await this.connection.send({
      method: 'DELETE',
      path: `${replacementsPath(type)}/${segment(replacement)}`,
      isRepeatable: false,
    })
  }

  /** Opens an export of one snapshot of a type as a stream, which may break off anywhere. */
  async openExport(
    { ontology, objectType }: TypePath,
    options: ExportOptions,
  ): Promise<ExportStream> {
    const response = await this.connection.stream({
      path: `${adminPath(ontology)}/objects/${segment(objectType)}/export`,
      query: { ...options },
    })
    const version = response.headers.get('oqs-version')
    if (version === null || response.body === null) {
      const message = `${this.connection.url} did not return an export, so it is not an object query service. Check --url.`
      throw new ConnectionError(message, { isLost: false })
    }
    return { version, chunks: this.#chunksOf(response.body) }
  }

  async *#chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    const chunks = body[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await chunks.next().catch((error: unknown) => {
          throw this.connection.lost(error)
        })
        if (done) return
        yield value
      }
    } finally {
      await chunks.return?.().catch(() => {})
    }
  }

  #get(path: string, query: QueryParameters = {}): Promise<unknown> {
    return this.connection.send({ path, query, isRepeatable: true })
  }

  /** A POST that changes nothing, so it can be repeated. */
  #search(path: string, body: object): Promise<unknown> {
    const content = JSON.stringify(body)
    return this.connection.send({
      method: 'POST',
      path,
      body: { type: JSON_TYPE, content },
      isRepeatable: true,
    })
  }
}

function objectsPath({ ontology, objectType }: TypePath): string {
  return `/api/v1/ontologies/${segment(ontology)}/objects/${segment(objectType)}`
}

function replacementsPath({ ontology, objectType }: TypePath): string {
  return `${adminPath(ontology)}/objects/${segment(objectType)}/replacements`
}

function adminPath(ontology: string): string {
  return `/api/admin/v1/ontologies/${segment(ontology)}`
}

function segment(text: string): string {
  return encodeURIComponent(text)
}
