/** Implements the store port with SQLite. */
import { randomBytes } from 'node:crypto'
import { INTERNAL_CONTEXT, type RequestContext } from '../../admission/request-context.ts'
import type { Catalogue } from '../../ontology/catalogue.ts'
import type { OntologyChange } from '../../ontology/definition/change-definition.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { KEY_BYTES } from '../../paging/token-keys.ts'
import type { AggregateRequest, AggregateResult } from '../aggregate-request.ts'
import type {
  ApiToken,
  Batch,
  Commit,
  DeleteRequest,
  Edit,
  FindTypesRequest,
  ObjectStore,
  OntologyDeletion,
  PublishMode,
  ReadPageRequest,
  ReadSetPageRequest,
  Reclaimed,
  Retention,
  RewriteProgress,
  StoredPage,
  StoredSetPage,
  StoreOptions,
  StoreStatus,
  TypeState,
} from '../object-store.ts'
import { PageCache } from '../page-cache.ts'
import { releaserOf } from '../page-memory.ts'
import { CatalogueReader } from './catalogue/read-catalogue.ts'
import { isIdleReplacement } from './catalogue/replacement.ts'
import { hasRewrites } from './catalogue/rewrite-states.ts'
import { findApiToken, findApiTokenById, listApiTokens } from './catalogue/secrets.ts'
import { readSightings } from './catalogue/sightings.ts'
import { readDatabaseStatus, readTypeStates } from './catalogue/type-states.ts'
import type { StoreGuard } from './file/store-guard.ts'
import { readQuickPage } from './pages/read-page.ts'
import { readQuickSetPage } from './pages/read-set-page.ts'
import { findTypesQuickly } from './queries/find-types.ts'
import { SqliteDocuments } from './store-documents.ts'
import { changeEncoding } from './threads/change-encoding.ts'
import { publishInSteps, type RunWrite } from './threads/publish-in-steps.ts'
import { inReadTransaction, type ReadConnection } from './threads/read-connection.ts'
import type { ReadJobs } from './threads/read-jobs.ts'
import { reclaimInSteps } from './threads/reclaim-in-steps.ts'
import type { SlowReaders, StoreThreads } from './threads/store-threads.ts'
import type { JobInput, JobResult } from './threads/thread-jobs.ts'
import type { WorkerThread } from './threads/worker-thread.ts'
import type { WriteJobs } from './threads/write-jobs.ts'
import {
  commitEditInThread,
  commitInThread,
  deleteFoundRows,
  type WriteConnections,
} from './writes/send-write.ts'
import { WriteGroups } from './writes/write-groups.ts'
import { createWriteQueue } from './writes/write-queue.ts'

/** The SQLite store. `openSqliteStore` opens its file first. */
export class SqliteStore implements ObjectStore {
  readonly documents: SqliteDocuments
  readonly encoding = changeEncoding((read) => this.#read(() => read(this.#reading.db)))
  readonly #guard: StoreGuard
  readonly #reading: ReadConnection
  readonly #catalogue: CatalogueReader
  readonly #cache: PageCache
  readonly #writer: WorkerThread<WriteJobs>
  readonly #writes = createWriteQueue()
  readonly #connections: WriteConnections
  readonly #slowReaders: SlowReaders
  #reclaims = 0

  constructor(
    reading: ReadConnection,
    guard: StoreGuard,
    { writer, slowReaders }: StoreThreads,
    options: StoreOptions,
  ) {
    this.#guard = guard
    this.documents = new SqliteDocuments({
      read: (read) => this.#read(() => read(this.#reading.statements)),
      write: (name, input, context) =>
        this.#writes.run(ownerOf(context), () => this.#write(name, input)),
    })
    this.#reading = reading
    this.#catalogue = new CatalogueReader(reading.db, reading.statements)
    this.#cache = new PageCache(options.pageCacheBytes)
    this.#writer = writer
    const queue = this.#writes
    const groups = new WriteGroups(queue, guard, writer)
    this.#connections = { reading, guard, writer, queue, groups }
    this.#slowReaders = slowReaders
  }

  async check(): Promise<void> {
    this.#guard.checkFiles()
    this.#read(() => this.#reading.statements.prepare('SELECT generation FROM catalogue').get())
  }

  async readCatalogue(): Promise<Catalogue> {
    return this.#read(() => this.#catalogue.read())
  }

  async readTypeStates(ontologyRid: string): Promise<readonly TypeState[]> {
    return this.#read(() => readTypeStates(this.#reading.statements, ontologyRid))
  }

  async readStatus(): Promise<StoreStatus> {
    const { statements } = this.#reading
    const read = () => inReadTransaction(this.#reading, () => readDatabaseStatus(statements))
    const isReclaiming = this.#reclaims > 0
    return { ...this.#read(read), isReclaiming, pageCache: this.#cache.state() }
  }

  async readPage(
    request: ReadPageRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredPage | Reclaimed> {
    const quickPage = this.#read(() => readQuickPage(this.#reading, request, this.#cache))
    if (quickPage !== undefined) return quickPage
    const page = await this.#readSlowly('readPage', request, context)
    if (page === 'reclaimed') return page
    return this.#cache.keep(request, { ...page, release: releaserOf(page.records) })
  }

  async readSetPage(
    request: ReadSetPageRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredSetPage | Reclaimed> {
    const quickPage = this.#read(() => readQuickSetPage(this.#reading, request))
    if (quickPage !== undefined) return quickPage
    const page = await this.#readSlowly('readSetPage', request, context)
    return page === 'reclaimed' ? page : { ...page, release: releaserOf(page.records) }
  }

  async findTypes(request: FindTypesRequest, context = INTERNAL_CONTEXT): Promise<string[]> {
    const found = this.#read(() => findTypesQuickly(this.#reading, request))
    return found ?? this.#readSlowly('findTypes', request, context)
  }

  aggregate(
    request: AggregateRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<AggregateResult | Reclaimed> {
    return this.#readSlowly('aggregate', request, context)
  }

  async findApiToken(secretHash: string): Promise<ApiToken | undefined> {
    return this.#read(() => findApiToken(this.#reading.statements, secretHash))
  }

  async findApiTokenById(id: string): Promise<ApiToken | undefined> {
    return this.#read(() => findApiTokenById(this.#reading.statements, id))
  }

  async listApiTokens(): Promise<readonly ApiToken[]> {
    return this.#read(() => listApiTokens(this.#reading.statements))
  }

  saveOntology({ ontology, ...change }: OntologyChange, context = INTERNAL_CONTEXT): Promise<void> {
    const input = { ...change, definition: ontology.definition }
    return this.#writes.run(ownerOf(context), () => this.#write('saveOntology', input))
  }

  deleteOntology(deletion: OntologyDeletion, context = INTERNAL_CONTEXT): Promise<void> {
    return this.#writes.run(ownerOf(context), () => this.#write('deleteOntology', deletion))
  }

  async commit(batch: Batch, context = INTERNAL_CONTEXT): Promise<Commit> {
    if (batch.replacement !== undefined) this.#touchReplacement(batch.replacement)
    return commitInThread(this.#connections, batch, ownerOf(context))
  }

  edit(edit: Edit, context = INTERNAL_CONTEXT): Promise<Commit> {
    return commitEditInThread(this.#connections, edit, ownerOf(context))
  }

  deleteMatches(request: DeleteRequest, context = INTERNAL_CONTEXT): Promise<Commit> {
    return deleteFoundRows(this.#connections, request, ownerOf(context), (search) =>
      this.#readSlowly('findRowsToDelete', search, context),
    )
  }

  startReplacement({ rid: typeRid }: ObjectType, context = INTERNAL_CONTEXT): Promise<string> {
    return this.#writes.run(ownerOf(context), () => this.#write('startReplacement', { typeRid }))
  }

  publishReplacement(
    { rid: typeRid }: ObjectType,
    replacement: string,
    mode: PublishMode = 'replace',
    context = INTERNAL_CONTEXT,
    onIndexed?: (indexes: number) => void,
  ): Promise<Commit> {
    const run: RunWrite = (name, input) =>
      this.#writes.run(ownerOf(context), () => this.#write(name, input))
    return publishInSteps({ typeRid, replacement, mode }, run, onIndexed)
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
      )
    } finally {
      this.#reclaims -= 1
    }
  }

  async rewriteNext(): Promise<RewriteProgress | undefined> {
    const hasNext = this.#read(() => hasRewrites(this.#reading.statements))
    return hasNext ? this.#write('rewriteStep', undefined) : undefined
  }

  readPageTokenKeys(): Promise<readonly Uint8Array[]> {
    return this.#write('readPageTokenKeys', randomBytes(KEY_BYTES))
  }

  createApiToken(token: ApiToken, secretHash: string): Promise<void> {
    return this.#write('createApiToken', { token, secretHash })
  }

  revokeApiTokens(ids: readonly string[], nowMs: number): Promise<number> {
    return this.#write('revokeApiTokens', { ids, nowMs })
  }

  deleteApiTokens(ids: readonly string[]): Promise<void> {
    return this.#write('deleteApiTokens', ids)
  }

  revokeIssuedTokens(clientOrGrantId: string, nowMs: number): Promise<number> {
    return this.#write('revokeIssuedTokens', { clientOrGrantId, nowMs })
  }

  drain(reason: string, graceMs: number): void {
    // Not closed: a write that has begun may need further ones to complete.
    this.#writes.refuseWaiting(reason)
    this.#slowReaders.drain(reason, graceMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.#writer[Symbol.asyncDispose](),
      this.#slowReaders[Symbol.asyncDispose](),
    ])
    this.#guard[Symbol.dispose]()
    this.#reading.db.close()
  }

  /**
   * Keeps a replacement from expiring while its next batch arrives, which may take minutes. Writes
   * only if maintenance has marked it as idle, and does not delay the batch.
   */
  #touchReplacement(replacement: string): void {
    const isIdle = this.#read(() => isIdleReplacement(this.#reading.statements, replacement))
    // Ignored, because the batch itself fails in the same way.
    if (isIdle) this.#write('touchReplacement', replacement).catch(() => {})
  }

  #readSlowly<Name extends keyof ReadJobs & string>(
    name: Name,
    request: JobInput<ReadJobs[Name]>,
    context: RequestContext,
  ): Promise<JobResult<ReadJobs[Name]>> {
    return this.#guard.readElsewhere(() => this.#slowReaders.run(name, request, context))
  }

  #write<Name extends keyof WriteJobs & string>(
    name: Name,
    input: JobInput<WriteJobs[Name]>,
  ): Promise<JobResult<WriteJobs[Name]>> {
    return this.#guard.write(() => this.#writer.run(name, input))
  }

  #read<T>(read: () => T): T {
    return this.#guard.read(read)
  }
}

/** Without the signal: a batch that was received is written even if its client disconnects. */
function ownerOf({ callerId }: RequestContext) {
  return { callerId }
}
