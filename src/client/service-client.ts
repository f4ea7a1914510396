import type { ExportFormat } from '../contract/export-formats.ts'
import { Connection, type QueryParameters, type ServiceAddress } from './connection.ts'
import { ConnectionError } from './service-error.ts'

/** A client of the service: one method for each thing that commands ask for. */

/** An object type as it stands in a path. */
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

/** What every list of objects can be asked with. */
export interface PageWish {
  readonly pageSize?: number | undefined
  readonly pageToken?: string | undefined
  readonly snapshot?: boolean | undefined
}

export interface ListWish extends PageWish {
  readonly properties?: string | undefined
  readonly orderBy?: string | undefined
  /** `properties.NAME.OPERATOR` → values. */
  readonly filters?: Readonly<Record<string, readonly string[]>>
}

/** The body of a search of revision 1.0. */
export interface SearchWish extends PageWish {
  readonly query: unknown
  readonly orderBy?: { readonly fields: readonly object[] } | undefined
  readonly fields?: readonly string[] | undefined
}

/** The body of a search of revision 2.0. */
export interface FamilySearchWish extends PageWish {
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

export interface ExportWish {
  readonly format: ExportFormat
  /** The JSON of a query of revision 1.0. */
  readonly where?: string | undefined
  readonly select?: string | undefined
  /** Go on with this version, after this primary key, which this many objects end with. */
  readonly version?: string | undefined
  readonly after?: string | undefined
  readonly received?: number | undefined
}

export interface ExportStream {
  /** The version of the object type that is sent. */
  readonly version: string
  readonly chunks: AsyncIterable<Uint8Array>
}

const JSON_TYPE = 'application/json'

export class ServiceClient {
  readonly connection: Connection

  constructor(address: ServiceAddress) {
    this.connection = new Connection(address)
  }

  async listObjects(type: TypePath, { filters = {}, ...wish }: ListWish): Promise<Page> {
    const query: QueryParameters = { ...wish, ...filters }
    return (await this.#get(objectsPath(type), query)) as Page
  }

  async searchObjects(type: TypePath, wish: SearchWish): Promise<Page> {
    return (await this.#query(`${objectsPath(type)}/search`, wish)) as Page
  }

  /** Search by type, revision 2.0. */
  async searchFamily(family: string, objectType: string, wish: FamilySearchWish): Promise<Page> {
    const path = `/api/${segment(family)}/v1/objects/types/${segment(objectType)}/search`
    return (await this.#query(path, wish)) as Page
  }

  async getObject(type: TypePath, primaryKey: string, properties?: string): Promise<ObjectRecord> {
    const path = `${objectsPath(type)}/${segment(primaryKey)}`
    return (await this.#get(path, { properties })) as ObjectRecord
  }

  async listOntologies(): Promise<readonly OntologySummary[]> {
    const { data } = (await this.#get('/api/v1/ontologies')) as { data: OntologySummary[] }
    return data
  }

  /** The name of the property that identifies objects of a type. */
  async primaryKeyOf({ ontology, objectType }: TypePath): Promise<string> {
    const path = `/api/v1/ontologies/${segment(ontology)}/objectTypes/${segment(objectType)}`
    const { primaryKey } = (await this.#get(path)) as { primaryKey?: readonly string[] }
    const name = primaryKey?.[0]
    if (name !== undefined) return name
    const message = `${this.connection.url} names no primary key of ${objectType}: is --url right?`
    throw new ConnectionError(message, { isLost: false })
  }

  /** The definition of an ontology. */
  async readDefinition(ontology: string): Promise<unknown> {
    return await this.#get(adminPath(ontology))
  }

  /** Defines or changes an ontology; the same definition twice changes nothing. */
  async applyDefinition(ontology: string, definition: unknown): Promise<unknown> {
    return await this.connection.ask({
      method: 'PUT',
      path: adminPath(ontology),
      body: { type: JSON_TYPE, content: JSON.stringify(definition) },
      repeatable: true,
    })
  }

  /**
   * Sends one atomic batch, a change on each line. Only the caller knows whether it may be sent a
   * second time when the answer to the first is lost.
   */
  async postBatch(
    { ontology, objectType }: TypePath,
    lines: string | Uint8Array,
    { repeatable, query = {} }: { repeatable: boolean; query?: QueryParameters },
  ): Promise<BatchResult> {
    const answer = await this.connection.ask({
      method: 'POST',
      path: `${adminPath(ontology)}/objects/${segment(objectType)}`,
      query,
      body: { type: 'application/x-ndjson', content: lines },
      repeatable,
    })
    return answer as BatchResult
  }

  /** Starts to replace all objects of a type; gives the name that batches add to. */
  async startReplacement(type: TypePath): Promise<string> {
    const answer = await this.connection.ask({
      method: 'POST',
      path: replacementsPath(type),
      // One that was started and never heard of is given up by the service after a while.
      repeatable: true,
    })
    return (answer as { replacement: string }).replacement
  }

  async publishReplacement(type: TypePath, replacement: string): Promise<BatchResult> {
    const answer = await this.connection.ask({
      method: 'POST',
      path: `${replacementsPath(type)}/${segment(replacement)}/publish`,
      // Published already, it answers as before.
      repeatable: true,
    })
    return answer as BatchResult
  }

  async abandonReplacement(type: TypePath, replacement: string): Promise<void> {
    await this.connection.ask({
      method: 'DELETE',
      path: `${replacementsPath(type)}/${segment(replacement)}`,
      repeatable: false,
    })
  }

  /** One snapshot of a type, as a stream that may break at any place. */
  async openExport({ ontology, objectType }: TypePath, wish: ExportWish): Promise<ExportStream> {
    const response = await this.connection.stream({
      path: `${adminPath(ontology)}/objects/${segment(objectType)}/export`,
      query: { ...wish },
      repeatable: true,
    })
    const version = response.headers.get('oqs-version')
    if (version === null || response.body === null) {
      const message = `${this.connection.url} did not answer with an export: is --url right?`
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
    return this.connection.ask({ path, query, repeatable: true })
  }

  /** A question that is too large for a query string; it changes nothing. */
  #query(path: string, body: object): Promise<unknown> {
    const content = JSON.stringify(body)
    return this.connection.ask({
      method: 'POST',
      path,
      body: { type: JSON_TYPE, content },
      repeatable: true,
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
