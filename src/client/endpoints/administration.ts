/** The administration endpoints, one method each: definitions, writes, replacements, exports. */
import { pathOf, type QueryParameters } from '../addresses.ts'
import {
  type CallOptions,
  type IdempotentCallOptions,
  newIdempotencyKey,
  type ServiceRequest,
  toJson,
} from '../connection.ts'
import { type ExportOptions, type ExportStream, openStream } from './byte-stream.ts'
import type { DefinitionChange, DefinitionOptions, TaggedDefinition } from './definition-change.ts'
import { EndpointGroup } from './endpoint-group.ts'
import type { TypePath } from './pages.ts'

export interface BatchResult {
  readonly version: number
  readonly put: number
  readonly deleted: number
  /** Objects that existed and were kept, in append mode, or had the values already, in merge mode. */
  readonly kept?: number
}

export interface DeletedResult {
  readonly version: number
  readonly deleted: number
}

export interface ObjectCounts {
  /** By API name. The version is 0 before the first write, and if a policy hides a part of the type. */
  readonly objectTypes: Readonly<
    Record<string, { readonly count: number; readonly version: number } | undefined>
  >
}

export interface AppliedTransactions {
  /** The position that is stored now; empty before the first one. */
  readonly position: string
  /** The number of transactions that were not skipped. */
  readonly applied: number
}

export interface BatchOptions extends IdempotentCallOptions {
  /** What `put` does to an existing object: replaces it, leaves it unchanged, or changes only its members. */
  readonly mode?: 'upsert' | 'append' | 'merge' | undefined
  /** Checks every line and writes nothing. */
  readonly dryRun?: boolean | undefined
  /** Adds the objects to a replacement that is not published yet. */
  readonly replacement?: string | undefined
}

export interface PublishOptions extends CallOptions {
  /** Which existing objects to keep: none, those that the replacement does not have, or all. */
  readonly mode?: 'replace' | 'upsert' | 'append' | undefined
}

export interface WriteOptions extends IdempotentCallOptions {
  /** Writes only if the object has this entity tag; `*` stands for any. */
  readonly ifMatch?: string | undefined
  /** `*` writes only if there is no such object. */
  readonly ifNoneMatch?: string | undefined
}

/** The result of a write of one object. */
export interface WriteResult {
  /** The version that contains the change. */
  readonly version: number
  /** The entity tag of the object, for `ifMatch`. */
  readonly etag: string | undefined
}

export interface Caller {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  /** What limits the caller; nothing where undefined. */
  readonly ontologies?: readonly string[]
  readonly policies?: readonly string[]
  readonly expiresAt?: string
  /** How long a page token is valid, and how long a snapshot can be read. */
  readonly pageTokens: {
    readonly maxAgeSeconds: number
    readonly snapshotMaxAgeSeconds: number
  }
}

export class Administration extends EndpointGroup {
  /** Returns the caller: name, scopes, ontologies, expiry and limits. */
  getCaller(call?: CallOptions): Promise<Caller> {
    return this.get('/api/admin/v1/me', call)
  }

  getDefinition(ontology: string, call?: CallOptions): Promise<unknown> {
    return this.get(adminPath(ontology), call)
  }

  /** Returns a definition with its entity tag. */
  async getTaggedDefinition(ontology: string, call?: CallOptions): Promise<TaggedDefinition> {
    const request = { ...call, path: adminPath(ontology) }
    const { body, headers } = await this.connection.exchange(request)
    return { definition: body, etag: headers.get('etag') ?? undefined }
  }

  /**
   * Creates or changes an ontology; applying the same definition again changes nothing. Returns the
   * definition, or a `DefinitionChange` if many objects are converted first.
   */
  applyDefinition(
    ontology: string,
    json: unknown,
    { dryRun, allowDataLoss, ifMatch, ifNoneMatch, ...call }: DefinitionOptions = {},
  ): Promise<unknown> {
    // Sent again, a request does not meet the condition that held for it at first.
    const key = (ifMatch ?? ifNoneMatch) && newIdempotencyKey()
    return this.connection.send({
      ...call,
      method: 'PUT',
      path: adminPath(ontology),
      query: { dryRun, allowDataLoss },
      headers: { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'idempotency-key': key },
      json,
      isRepeatable: true,
    })
  }

  /** Returns the last background change of an ontology, running or ended. */
  getDefinitionChange(ontology: string, call?: CallOptions): Promise<DefinitionChange> {
    return this.get(`${adminPath(ontology)}/change`, call)
  }

  cancelDefinitionChange(ontology: string, call?: CallOptions): Promise<DefinitionChange> {
    const path = `${adminPath(ontology)}/change`
    return this.connection.send({ ...call, method: 'DELETE', path })
  }

  /** Returns the number of objects and the newest version of every object type. */
  getObjectCounts(ontology: string, call?: CallOptions): Promise<ObjectCounts> {
    return this.get(`${adminPath(ontology)}/counts`, call)
  }

  deleteOntology(
    ontology: string,
    { cascade, ...call }: CallOptions & Cascade = {},
  ): Promise<unknown> {
    const path = adminPath(ontology)
    return this.write({ method: 'DELETE', path, query: { cascade } }, call)
  }

  deleteObjectType(
    { ontology, objectType }: TypePath,
    { cascade, ...call }: CallOptions & Cascade = {},
  ): Promise<unknown> {
    const path = adminPath(ontology) + pathOf`/objectTypes/${objectType}`
    return this.write({ method: 'DELETE', path, query: { cascade } }, call)
  }

  /** Sends one atomic batch with one change per line: `{"put": …}` or `{"delete": …}`. */
  writeObjects(
    type: TypePath,
    content: string | Uint8Array<ArrayBuffer>,
    { signal, idempotencyKey, ...options }: BatchOptions = {},
  ): Promise<BatchResult> {
    const body = { type: 'application/x-ndjson', content }
    const request = {
      method: 'POST',
      path: objectsPath(type),
      query: { ...options },
      body,
    } as const
    return this.write(request, { signal, idempotencyKey })
  }

  /**
   * Applies transactions of another database, one member per line: `objectType`, `put`, `delete` or
   * `commit`. Those up to the stored position are skipped, so the request is repeatable.
   */
  applyTransactions(
    ontology: string,
    source: string,
    content: string,
    call?: CallOptions,
  ): Promise<AppliedTransactions> {
    return this.connection.send({
      ...call,
      method: 'POST',
      path: adminPath(ontology) + pathOf`/transactions/${source}`,
      body: { type: 'application/x-ndjson', content },
      isRepeatable: true,
    })
  }

  async putObject(
    type: TypePath,
    primaryKey: string,
    object: object,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    const body = { type: 'application/json', content: toJson(object) }
    return this.#writeOne({ method: 'PUT', path: objectPath(type, primaryKey), body }, options)
  }

  /** Changes properties with a JSON merge patch: null removes a value. */
  async patchObject(
    type: TypePath,
    primaryKey: string,
    patch: object,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    const body = { type: 'application/merge-patch+json', content: toJson(patch) }
    return this.#writeOne({ method: 'PATCH', path: objectPath(type, primaryKey), body }, options)
  }

  async deleteObject(
    type: TypePath,
    primaryKey: string,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    return this.#writeOne({ method: 'DELETE', path: objectPath(type, primaryKey) }, options)
  }

  /** Deletes all objects that match a query of revision 1.0. */
  deleteByQuery(
    type: TypePath,
    query: unknown,
    call?: IdempotentCallOptions,
  ): Promise<DeletedResult> {
    const path = `${objectsPath(type)}/deleteByQuery`
    return this.write({ method: 'POST', path, json: { query } }, call)
  }

  /** Starts a replacement of all objects of a type; returns the name for its batches. */
  async startReplacement(type: TypePath, call?: IdempotentCallOptions): Promise<string> {
    const request = { method: 'POST', path: `${objectsPath(type)}/replacements` } as const
    return (await this.write<{ replacement: string }>(request, call)).replacement
  }

  publishReplacement(
    type: TypePath,
    replacement: string,
    { mode, ...call }: PublishOptions = {},
  ): Promise<BatchResult> {
    const path = objectsPath(type) + pathOf`/replacements/${replacement}/publish`
    // Publishing again returns the result of the first time.
    return this.connection.send({
      ...call,
      method: 'POST',
      path,
      query: { mode },
      isRepeatable: true,
    })
  }

  async abandonReplacement(type: TypePath, replacement: string, call?: CallOptions): Promise<void> {
    const path = objectsPath(type) + pathOf`/replacements/${replacement}`
    await this.connection.send({ ...call, method: 'DELETE', path })
  }

  /** Opens an export of one snapshot of a type as a stream, which may break off anywhere. */
  openExport(type: TypePath, { signal, ...options }: ExportOptions): Promise<ExportStream> {
    // `fetch` cannot read trailer fields, so the last line states how the export ended.
    const request = exportRequest(type, { ...options, endLine: true })
    return openStream(this.connection, { ...request, signal })
  }

  async #writeOne(
    request: Omit<ServiceRequest, 'headers'>,
    { ifMatch, ifNoneMatch, idempotencyKey = newIdempotencyKey(), ...call }: WriteOptions = {},
  ): Promise<WriteResult> {
    const conditions = { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }
    const { body, headers } = await this.connection.exchange<{ readonly version: number }>({
      ...call,
      ...request,
      headers: { ...conditions, 'idempotency-key': idempotencyKey },
      isRepeatable: true,
    })
    return { version: body.version, etag: headers.get('etag') ?? undefined }
  }
}

export interface Cascade {
  /** Also deletes what depends on it. */
  readonly cascade?: boolean | undefined
}

function adminPath(ontology: string): string {
  return pathOf`/api/admin/v1/ontologies/${ontology}`
}

function objectsPath({ ontology, objectType }: TypePath): string {
  return pathOf`/api/admin/v1/ontologies/${ontology}/objects/${objectType}`
}

function objectPath(type: TypePath, primaryKey: string): string {
  return objectsPath(type) + pathOf`/${primaryKey}`
}

/** Returns the request for the objects of one version of a type, as a stream. */
export function exportRequest(type: TypePath, query: QueryParameters): ServiceRequest {
  return { path: `${objectsPath(type)}/export`, query }
}
