/** Implements the store port with SQLite. */

import { REWRITTEN_AT_ONCE_MAX } from '../../contract/limits.ts'
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { audited, auditedDefinition } from '../core/audit/audit-records.ts'
import { hasRewrites } from '../core/changes/rewrite-next.ts'
import { CoreStore } from '../core/core-store.ts'
import { findApiToken } from '../core/credentials/api-tokens.ts'
import { type CatalogueReader, readSummaries } from '../core/definitions/catalogue-reader.ts'
import { readTypeStates } from '../core/definitions/type-states.ts'
import { toKeyMessage } from '../core/idempotency/idempotency-keys.ts'
import type { ReclaimSteps } from '../core/maintenance/reclaim.ts'
import { runNow } from '../core/session/operation.ts'
import type {
  ApiToken,
  Batch,
  CatalogueOptions,
  Commit,
  DefinitionChanges,
  DeleteRequest,
  Edit,
  FindTypesRequest,
  IdempotencyKey,
  ObjectStore,
  OntologyDeletion,
  OntologySummary,
  PublishMode,
  ReadPageRequest,
  ReadSetPageRequest,
  Reclaimed,
  RewriteProgress,
  SavedChange,
  SaveOutcome,
  StoredPage,
  StoredSetPage,
  StoreOptions,
  StoreStatus,
  TypeState,
} from '../object-store.ts'
import { PageCache } from '../page-cache.ts'
import type { FoundToken } from '../port/credentials.ts'
import type { AggregateRequest, AggregateResult } from '../port/pages.ts'
import { INTERNAL_CONTEXT, type RequestContext } from '../port/request-context.ts'
import { DEFAULT_DEFINITION_LIMITS } from '../sql/definition-limits.ts'
import { openCatalogue } from './catalogue/open-catalogue.ts'
import { changeEncoding } from './changes/change-encoding.ts'
import type { DefinitionMessage } from './construction/definition-jobs.ts'
import { runIn } from './file/sqlite-session.ts'
import type { StoreGuard } from './file/store-guard.ts'
import { publishInSteps } from './main-thread/publish-in-steps.ts'
import { commitEditInThread, commitInThread, deleteFoundRows } from './main-thread/send-write.ts'
import { openWriteConnections, type WriteConnections } from './main-thread/write-connections.ts'
import type { ReadConnection } from './queries/read-connection.ts'
import { SqliteDocuments } from './sqlite-documents.ts'
import { SqliteOperations } from './sqlite-operations.ts'
import { SqliteReads } from './store-reads.ts'
import type { Checkpointer, SlowReaders, StoreThreads } from './threads/store-threads.ts'
import type { JobInput, JobResult } from './threads/thread-jobs.ts'
import type { WorkerThread } from './threads/worker-thread.ts'
import type { WriteJobs } from './threads/write-jobs.ts'
import type { DeleteSearch } from './writes/delete-matches.ts'

/** The SQLite store. `openSqliteStore` opens its file first. */
export class SqliteStore extends CoreStore implements ObjectStore {
  readonly encoding = changeEncoding((operation) =>
    this.#read(() => runIn(this.#reading, operation)),
  )
  readonly definitionChanges: DefinitionChanges = {
    find: async (ontologyRid) => this.#reads.findDefinitionChange(ontologyRid),
    tryObjects: (change, context = INTERNAL_CONTEXT) => this.#reads.tryObjects(change, context),
    cancel: (ontologyRid, context = INTERNAL_CONTEXT) =>
      this.#writeInTurn('cancelDefinitionChange', ontologyRid, context),
  }
  readonly cachedCatalogue = (name: OntologyName) => this.#catalogue.cached(name)
  readonly verify = (signal: AbortSignal) => this.#reads.verify(signal)
  readonly reportDamage = (cause: string) => this.#guard.reportDamage(new Error(cause))
  readonly #guard: StoreGuard
  readonly #reading: ReadConnection
  readonly #catalogue: CatalogueReader
  readonly #cache: PageCache
  readonly #writer: WorkerThread<WriteJobs>
  readonly #checkpointer: Checkpointer
  readonly #connections: WriteConnections
  readonly #slowReaders: SlowReaders
  readonly #reads: SqliteReads
  readonly #savingOptions: Pick<DefinitionMessage, 'rewrittenAtOnceMax' | 'limits'>

  constructor(
    reading: ReadConnection,
    guard: StoreGuard,
    { writer, checkpointer, slowReaders }: StoreThreads,
    options: StoreOptions,
  ) {
    const connections = openWriteConnections(reading, guard, { writer, checkpointer }, options)
    const cache = new PageCache(options.pageCacheBytes)
    const reads = new SqliteReads({ reading, guard, slowReaders, cache })
    const operations = new SqliteOperations(connections, reads)
    super(operations, reclaimSteps(connections), new SqliteDocuments(operations, connections))
    this.#guard = guard
    this.#savingOptions = {
      rewrittenAtOnceMax: options.rewrittenAtOnceMax ?? REWRITTEN_AT_ONCE_MAX,
      limits: options.definitionLimits ?? DEFAULT_DEFINITION_LIMITS,
    }
    this.#reading = reading
    this.#catalogue = openCatalogue(reading, options.definitions)
    this.#cache = cache
    this.#writer = writer
    this.#connections = connections
    this.#checkpointer = checkpointer
    this.#slowReaders = slowReaders
    this.#reads = reads
  }

  async check(): Promise<void> {
    this.#guard.checkFiles()
    this.#read(() => this.#reading.statements.prepare('SELECT generation FROM oqs_catalogue').get())
  }

  async readCatalogue(options?: CatalogueOptions): Promise<Catalogue> {
    return this.#read(() => runNow(this.#catalogue.read(options)))
  }

  async readOntologySummaries(): Promise<readonly OntologySummary[]> {
    return this.#read(() => runIn(this.#reading, readSummaries))
  }

  async readTypeStates(ontologyRid: string): Promise<readonly TypeState[]> {
    return this.#read(() => runIn(this.#reading, (session) => readTypeStates(session, ontologyRid)))
  }

  async readStatus(): Promise<StoreStatus> {
    const { isReclaiming } = this
    return { ...this.#reads.readStatus(), isReclaiming, pageCache: this.#cache.state() }
  }

  readPage(request: ReadPageRequest, context = INTERNAL_CONTEXT): Promise<StoredPage | Reclaimed> {
    return this.#reads.readPage(request, context)
  }

  readSetPage(
    request: ReadSetPageRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredSetPage | Reclaimed> {
    return this.#reads.readSetPage(request, context)
  }

  findTypes(request: FindTypesRequest, context = INTERNAL_CONTEXT): Promise<string[]> {
    return this.#reads.findTypes(request, context)
  }

  aggregate(
    request: AggregateRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<AggregateResult | Reclaimed> {
    return this.#reads.readSlowly('aggregate', request, context)
  }

  saveOntology(
    { ontology, idempotencyKey, ...change }: SavedChange,
    context = INTERNAL_CONTEXT,
  ): Promise<SaveOutcome> {
    const definition = JSON.stringify(ontology.definition)
    const { callerId } = context
    const saved = {
      ...change,
      ...this.#savingOptions,
      idempotencyKey: toKeyMessage(idempotencyKey),
    }
    const input = { ...saved, definition, callerId }
    return auditedDefinition(context, (auditEntry) =>
      this.#writeInTurn('saveOntology', { ...input, auditEntry }, context),
    )
  }

  deleteOntology(deletion: OntologyDeletion, context = INTERNAL_CONTEXT): Promise<void> {
    const idempotencyKey = toKeyMessage(deletion.idempotencyKey)
    return auditedDefinition(context, (auditEntry) =>
      this.#writeInTurn('deleteOntology', { ...deletion, idempotencyKey, auditEntry }, context),
    )
  }

  async commit(batch: Batch, context = INTERNAL_CONTEXT): Promise<Commit> {
    return audited(context, batch, (write) => commitInThread(this.#connections, write, context))
  }

  edit(edit: Edit, context = INTERNAL_CONTEXT): Promise<Commit> {
    return audited(context, edit, (write) =>
      commitEditInThread(this.#connections, write, ownerOf(context)),
    )
  }

  deleteMatches(request: DeleteRequest, context = INTERNAL_CONTEXT): Promise<Commit> {
    const find = (search: DeleteSearch) =>
      this.#reads.readSlowly('findRowsToDelete', search, context)
    return audited(context, request, (write) =>
      deleteFoundRows(this.#connections, write, ownerOf(context), find),
    )
  }

  startReplacement(
    { rid: typeRid }: ObjectType,
    context = INTERNAL_CONTEXT,
    idempotencyKey?: IdempotencyKey,
  ): Promise<string> {
    const input = { typeRid, idempotencyKey: toKeyMessage(idempotencyKey) }
    return this.#writeInTurn('startReplacement', input, context)
  }

  publishReplacement(
    objectType: ObjectType,
    replacement: string,
    mode: PublishMode = 'replace',
    context = INTERNAL_CONTEXT,
    onIndexed?: (indexes: number) => void,
  ): Promise<Commit> {
    const publication = { objectType, typeRid: objectType.rid, replacement, mode }
    return audited(context, publication, (write) =>
      publishInSteps(this.#connections, write, ownerOf(context), onIndexed),
    )
  }

  abandonReplacement({ rid: typeRid }: ObjectType, replacement: string): Promise<void> {
    return this.#write('abandonReplacement', { typeRid, replacement })
  }

  async rewriteNext(): Promise<RewriteProgress | undefined> {
    const hasNext = this.#read(() => runIn(this.#reading, hasRewrites))
    return hasNext ? this.#write('rewriteStep', undefined) : undefined
  }

  async findApiToken(secretHash: string): Promise<ApiToken | undefined> {
    return this.tokenAtHand(secretHash)?.token
  }

  tokenAtHand(secretHash: string): FoundToken | undefined {
    return this.#read(() => runIn(this.#reading, (session) => findApiToken(session, secretHash)))
  }

  drain(reason: string, graceMs: number): void {
    // Not closed: a write that has begun may need further ones to complete.
    this.#connections.queue.refuseWaiting(reason)
    this.#connections.staged.drain(reason)
    this.#slowReaders.drain(reason, graceMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.#writer[Symbol.asyncDispose](),
      this.#checkpointer[Symbol.asyncDispose](),
      this.#slowReaders[Symbol.asyncDispose](),
    ])
    this.#guard[Symbol.dispose]()
    this.#reading.db.close()
  }

  #write<Name extends keyof WriteJobs & string>(
    name: Name,
    input: JobInput<WriteJobs[Name]>,
  ): Promise<JobResult<WriteJobs[Name]>> {
    return this.#guard.write(() => this.#writer.run(name, input))
  }

  #writeInTurn<Name extends keyof WriteJobs & string>(
    name: Name,
    input: JobInput<WriteJobs[Name]>,
    context: RequestContext,
  ): Promise<JobResult<WriteJobs[Name]>> {
    return this.#connections.queue.run(ownerOf(context), () => this.#write(name, input))
  }

  #read<T>(read: () => T): T {
    return this.#guard.read(read)
  }
}

/** How maintenance deletes rows: in the writer thread, in steps between which other writes run. */
function reclaimSteps({ guard, writer, staged }: WriteConnections): ReclaimSteps {
  return {
    finishWrites: () => staged.removeAbandoned(ownerOf(INTERNAL_CONTEXT)),
    deleteClosedRows: (table, closedBy) =>
      guard.write(() => writer.run('deleteClosedRows', { table, closedBy })),
    removeAbandoned: () => guard.write(() => writer.run('removeAbandoned', undefined)),
  }
}

/** Without the signal: a write that was received is committed even if its client disconnects. */
function ownerOf({ callerId }: RequestContext) {
  return { callerId }
}
