/** The administration endpoints, one method each: definitions, writes, replacements, exports. */
import {
  type CallOptions,
  type Connection,
  type QueryParameters,
  type ServiceRequest,
  segment,
  toJson,
} from '../connection.ts'
import { type IdempotentCallOptions, newIdempotencyKey } from '../idempotency-key.ts'
import { type ExportOptions, type ExportStream, openStream } from './byte-stream.ts'
import type { DefinitionChange, DefinitionOptions, TaggedDefinition } from './definition-change.ts'
import type { TypePath } from './pages.ts'

export interface BatchResult {
  readonly version: number
  readonly put: number
  readonly deleted: number
  /** Objects that existed and were kept, in append mode. */
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

export interface BatchOptions extends IdempotentCallOptions {
  /** What `put` does to an existing object: replaces it, or leaves it unchanged. */
  readonly mode?: 'upsert' | 'append' | undefined
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
  /** The only ontologies that the caller may use; all of them if undefined. */
  readonly ontologies?: readonly string[]
  readonly expiresAt?: string
  /** How long a page token is valid, and how long a snapshot can be read. */
  readonly pageTokens: {
    readonly maxAgeSeconds: number
    readonly snapshotMaxAgeSeconds: number
  }
}

export class Administration {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Returns the caller: name, scopes, ontologies, expiry and limits. */
  getCaller(call: CallOptions = {}): Promise<Caller> {
    return this.#connection.send({ ...call, path: '/api/admin/v1/me' })
  }

  getDefinition(ontology: string, call: CallOptions = {}): Promise<unknown> {
    return this.#connection.send({ ...call, path: adminPath(ontology) })
  }

  /** Returns a definition with its entity tag. */
  async getTaggedDefinition(ontology: string, call: CallOptions = {}): Promise<TaggedDefinition> {
    const request = { ...call, path: adminPath(ontology) }
    const { body, headers } = await this.#connection.exchange(request)
    return { definition: body, etag: headers.get('etag') ?? undefined }
  }

  /**
   * Creates or changes an ontology; applying the same definition again changes nothing. Returns the
   * definition, or a `DefinitionChange` if many objects are converted first.
   */
  applyDefinition(
    ontology: string,
    definition: unknown,
    { dryRun, allowDataLoss, ifMatch, ifNoneMatch, ...call }: DefinitionOptions = {},
  ): Promise<unknown> {
    const conditions = { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }
    // Sent again, a request does not meet the condition that held for it at first.
    const key = (ifMatch ?? ifNoneMatch) && newIdempotencyKey()
    return this.#connection.send({
      ...call,
      method: 'PUT',
      path: adminPath(ontology),
      query: { dryRun, allowDataLoss },
      headers: { ...conditions, 'idempotency-key': key },
      json: definition,
      isRepeatable: true,
    })
  }

  /** Returns the last background change of an ontology, running or ended. */
  getDefinitionChange(ontology: string, call: CallOptions = {}): Promise<DefinitionChange> {
    const path = `${adminPath(ontology)}/change`
    return this.#connection.send({ ...call, path })
  }

  cancelDefinitionChange(ontology: string, call: CallOptions = {}): Promise<DefinitionChange> {
    const path = `${adminPath(ontology)}/change`
    return this.#connection.send({ ...call, method: 'DELETE', path })
  }

  /** Returns the number of objects and the newest version of every object type. */
  getObjectCounts(ontology: string, call: CallOptions = {}): Promise<ObjectCounts> {
    const path = `${adminPath(ontology)}/counts`
    return this.#connection.send({ ...call, path })
  }

  deleteOntology(ontology: string, options: CallOptions & Cascade = {}): Promise<unknown> {
    return this.#delete(adminPath(ontology), options)
  }

  deleteObjectType(
    { ontology, objectType }: TypePath,
    options: CallOptions & Cascade = {},
  ): Promise<unknown> {
    return this.#delete(`${adminPath(ontology)}/objectTypes/${segment(objectType)}`, options)
  }

  /** Sends one atomic batch with one change per line: `{"put": …}` or `{"delete": …}`. */
  writeObjects(
    type: TypePath,
    lines: string | Uint8Array<ArrayBuffer>,
    { signal, idempotencyKey, ...options }: BatchOptions = {},
  ): Promise<BatchResult> {
    const query: QueryParameters = { ...options }
    const body = { type: 'application/x-ndjson', content: lines }
    const path = objectsPath(type)
    return this.#write({ signal, method: 'POST', path, query, body }, idempotencyKey)
  }

  putObject(
    type: TypePath,
    primaryKey: string,
    object: object,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    return this.#writeOne('PUT', type, primaryKey, options, {
      type: 'application/json',
      content: toJson(object),
    })
  }

  /** Changes properties with a JSON merge patch: null removes a value. */
  patchObject(
    type: TypePath,
    primaryKey: string,
    patch: object,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    return this.#writeOne('PATCH', type, primaryKey, options, {
      type: 'application/merge-patch+json',
      content: toJson(patch),
    })
  }

  deleteObject(
    type: TypePath,
    primaryKey: string,
    options: WriteOptions = {},
  ): Promise<WriteResult> {
    return this.#writeOne('DELETE', type, primaryKey, options)
  }

  /** Deletes all objects that match a query of revision 1.0. */
  deleteByQuery(
    type: TypePath,
    query: unknown,
    { idempotencyKey, ...call }: IdempotentCallOptions = {},
  ): Promise<DeletedResult> {
    const path = `${objectsPath(type)}/deleteByQuery`
    return this.#write({ ...call, method: 'POST', path, json: { query } }, idempotencyKey)
  }

  /** Starts a replacement of all objects of a type; returns the name for its batches. */
  async startReplacement(type: TypePath, call: CallOptions = {}): Promise<string> {
    const path = `${objectsPath(type)}/replacements`
    const started = await this.#write<{ replacement: string }>({ ...call, method: 'POST', path })
    return started.replacement
  }

  publishReplacement(
    type: TypePath,
    replacement: string,
    { mode, ...call }: PublishOptions = {},
  ): Promise<BatchResult> {
    return this.#connection.send({
      ...call,
      method: 'POST',
      query: { mode },
      path: `${objectsPath(type)}/replacements/${segment(replacement)}/publish`,
      // Publishing again returns the result of the first time.
      isRepeatable: true,
    })
  }

  async abandonReplacement(
    type: TypePath,
    replacement: string,
    call: CallOptions = {},
  ): Promise<void> {
    await this.#connection.send({
      ...call,
      method: 'DELETE',
      path: `${objectsPath(type)}/replacements/${segment(replacement)}`,
    })
  }

  /** Opens an export of one snapshot of a type as a stream, which may break off anywhere. */
  openExport(type: TypePath, { signal, ...options }: ExportOptions): Promise<ExportStream> {
    // `fetch` cannot read trailer fields, so the last line states how the export ended.
    const request = exportRequest(type, { ...options, endLine: true })
    return openStream(this.#connection, { ...request, signal })
  }

  /** The key lets the service recognise a repeated request, so it is applied once. */
  #write<Result>(
    request: Omit<ServiceRequest, 'headers'>,
    idempotencyKey = newIdempotencyKey(),
  ): Promise<Result> {
    const headers = { 'idempotency-key': idempotencyKey }
    return this.#connection.send({ ...request, headers, isRepeatable: true })
  }

  async #writeOne(
    method: 'PUT' | 'PATCH' | 'DELETE',
    type: TypePath,
    primaryKey: string,
    { ifMatch, ifNoneMatch, idempotencyKey = newIdempotencyKey(), ...call }: WriteOptions,
    content?: ServiceRequest['body'],
  ): Promise<WriteResult> {
    const { body, headers } = await this.#connection.exchange<{ readonly version: number }>({
      ...call,
      method,
      path: `${objectsPath(type)}/${segment(primaryKey)}`,
      headers: {
        'if-match': ifMatch,
        'if-none-match': ifNoneMatch,
        'idempotency-key': idempotencyKey,
      },
      ...(content === undefined ? {} : { body: content }),
      isRepeatable: true,
    })
    return { version: body.version, etag: headers.get('etag') ?? undefined }
  }

  #delete(path: string, { cascade, ...call }: CallOptions & Cascade): Promise<unknown> {
    return this.#write({ ...call, method: 'DELETE', path, query: { cascade } })
  }
}

export interface Cascade {
  /** Also deletes what depends on it. */
  readonly cascade?: boolean | undefined
}

function adminPath(ontology: string): string {
  return `/api/admin/v1/ontologies/${segment(ontology)}`
}

function objectsPath({ ontology, objectType }: TypePath): string {
  return `${adminPath(ontology)}/objects/${segment(objectType)}`
}

/** Returns the request for the objects of one version of a type, as a stream. */
export function exportRequest(type: TypePath, query: QueryParameters): ServiceRequest {
  return { path: `${objectsPath(type)}/export`, query }
}
