/** Implements the store port with SQLite. */
import { randomBytes } from 'node:crypto'
import { REWRITTEN_AT_ONCE_MAX } from '../../contract/limits.ts'
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { KEY_BYTES } from '../../paging/token-keys.ts'
import type { AggregateRequest, AggregateResult } from '../aggregate-request.ts'
import type { AuditLog } from '../audit-log.ts'
import { hasRewrites } from '../core/changes/rewrite-next.ts'
import { type CatalogueReader, readSummaries } from '../core/definitions/catalogue-reader.ts'
import { readTypeStates } from '../core/definitions/type-states.ts'
import { runNow } from '../core/session/operation.ts'
import type {
  Batch,
  CatalogueOptions,
  Commit,
  DefinitionChanges,
  DeleteRequest,
  Edit,
  FindTypesRequest,
  ObjectStore,
  OnceKey,
  OntologyDeletion,
  OntologySummary,
  PublishMode,
  ReadPageRequest,
  ReadSetPageRequest,
  Reclaimed,
  Retention,
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
import { INTERNAL_CONTEXT, type RequestContext } from '../port/request-context.ts'
import { audited, auditedDefinition } from '../sql/audit-row.ts'
import { DEFAULT_DEFINITION_LIMITS } from '../sql/definition-limits.ts'
import { toOnceMessage } from '../sql/once-key.ts'
import { openCatalogue } from './catalogue/open-catalogue.ts'
import { readSightings } from './catalogue/sightings.ts'
import { changeEncoding } from './changes/change-encoding.ts'
import type { DefinitionMessage } from './construction/definition-jobs.ts'
import { runIn } from './file/sqlite-session.ts'
import type { StoreGuard } from './file/store-guard.ts'
import { publishInSteps } from './main-thread/publish-in-steps.ts'
import { reclaimInSteps } from './main-thread/reclaim-in-steps.ts'
import { commitEditInThread, commitInThread, deleteFoundRows } from './main-thread/send-write.ts'
import { openWriteConnections, type WriteConnections } from './main-thread/write-connections.ts'
import type { ReadConnection } from './queries/read-connection.ts'
import { SqliteDocuments } from './store-documents.ts'
import { SqliteReads } from './store-reads.ts'
import { SqliteTokens } from './store-tokens.ts'
import type { Checkpointer, SlowReaders, StoreThreads } from './threads/store-threads.ts'
import type { JobInput, JobResult } from './threads/thread-jobs.ts'
import type { WorkerThread } from './threads/worker-thread.ts'
import type { WriteJobs } from './threads/write-jobs.ts'
import type { DeleteSearch } from './writes/delete-matches.ts'

/** The SQLite store. `openSqliteStore` opens its file first. */
export class SqliteStore extends SqliteTokens implements ObjectStore {
  readonly documents: SqliteDocuments
  readonly audit: AuditLog = {
    append: (records) => this.#write('appendAuditRecords', JSON.stringify(records)),
    list: (request, context = INTERNAL_CONTEXT) =>
      this.#reads.readSlowly('listAuditRecords', request, context),
  }
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
  #reclaims = 0

  constructor(
    reading: ReadConnection,
    guard: StoreGuard,
    { writer, checkpointer, slowReaders }: StoreThreads,
    options: StoreOptions,
  ) {
    super(reading, guard, writer)
    this.#guard = guard
    this.#savingOptions = {
      rewrittenAtOnceMax: options.rewrittenAtOnceMax ?? REWRITTEN_AT_ONCE_MAX,
      limits: options.definitionLimits ?? DEFAULT_DEFINITION_LIMITS,
    }
    this.documents = new SqliteDocuments({
      read: (read) => this.#read(() => read(this.#reading.statements)),
      write: (name, input, context) => this.#writeInTurn(name, input, context),
    })
    this.#reading = reading
    this.#catalogue = openCatalogue(reading, options.definitions)
    this.#cache = new PageCache(options.pageCacheBytes)
    this.#writer = writer
    this.#connections = openWriteConnections(reading, guard, { writer, checkpointer }, options)
    this.#checkpointer = checkpointer
    this.#slowReaders = slowReaders
    this.#reads = new SqliteReads({ reading, guard, slowReaders, cache: this.#cache })
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
    const isReclaiming = this.#reclaims > 0
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
    { ontology, once, ...change }: SavedChange,
    context = INTERNAL_CONTEXT,
  ): Promise<SaveOutcome> {
    const definition = JSON.stringify(ontology.definition)
    const { callerId } = context
    const saved = { ...change, ...this.#savingOptions, once: toOnceMessage(once) }
    const input = { ...saved, definition, callerId }
    return auditedDefinition(context, (auditEntry) =>
      this.#writeInTurn('saveOntology', { ...input, auditEntry }, context),
    )
  }

  deleteOntology(deletion: OntologyDeletion, context = INTERNAL_CONTEXT): Promise<void> {
    const once = toOnceMessage(deletion.once)
    return auditedDefinition(context, (auditEntry) =>
      this.#writeInTurn('deleteOntology', { ...deletion, once, auditEntry }, context),
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

  findRepeated(once: OnceKey): Promise<Commit | undefined> {
    return this.#write('findRecorded', toOnceMessage(once))
  }

  startReplacement(
    { rid: typeRid }: ObjectType,
    context = INTERNAL_CONTEXT,
    once?: OnceKey,
  ): Promise<string> {
    const input = { typeRid, once: toOnceMessage(once) }
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

  async reclaim(retention: Retention): Promise<number> {
    this.#reclaims += 1
    try {
      return await reclaimInSteps(
        retention,
        () => this.#read(() => readSightings(this.#reading.statements)),
        (name, input) => this.#write(name, input),
        () => this.#connections.staged.removeAbandoned(ownerOf(INTERNAL_CONTEXT)),
      )
    } finally {
      this.#reclaims -= 1
    }
  }

  async rewriteNext(): Promise<RewriteProgress | undefined> {
    const hasNext = this.#read(() => runIn(this.#reading, hasRewrites))
    return hasNext ? this.#write('rewriteStep', undefined) : undefined
  }

  readPageTokenKeys(): Promise<readonly Uint8Array[]> {
    return this.#write('readPageTokenKeys', randomBytes(KEY_BYTES))
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

/** Without the signal: a write that was received is committed even if its client disconnects. */
function ownerOf({ callerId }: RequestContext) {
  return { callerId }
}
