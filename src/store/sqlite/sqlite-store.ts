/** Implements the store port with SQLite. */

import { siblingModule } from '../../contract/sibling-module.ts'
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import { hasRewrites } from '../core/changes/change-step.ts'
import { CoreStore } from '../core/core-store.ts'
import { findApiToken } from '../core/credentials/api-tokens.ts'
import type { CatalogueReader } from '../core/definitions/catalogue-reader.ts'
import type { SizeSql } from '../core/definitions/type-states.ts'
import { LocalPublications } from '../core/maintenance/local-publications.ts'
import type { ReclaimSteps } from '../core/maintenance/reclaim.ts'
import { runNow } from '../core/session/session.ts'
import type {
  AggregateRequest,
  AggregateResult,
  ApiToken,
  CatalogueOptions,
  FindTypesRequest,
  FoundToken,
  ObjectStore,
  ReadPageRequest,
  ReadRecordsRequest,
  ReadSetPageRequest,
  Reclaimed,
  RewriteProgress,
  StoredPage,
  StoredSetPage,
  StoreOptions,
  Verified,
} from '../object-store.ts'
import { PageCache, releaserOf } from '../page-cache.ts'
import type { StoreLoad } from '../port/maintenance.ts'
import { INTERNAL_CONTEXT, type RequestContext, reported } from '../port/request-context.ts'
import { openCatalogue } from './catalogue/open-catalogue.ts'
import { KnownUntilCommit, runIn } from './file/sqlite-session.ts'
import type { StoreGuard } from './file/store-guard.ts'
import { applyInThread } from './main-thread/send-transactions.ts'
import { commitEditInThread, commitInThread, deleteFoundRows } from './main-thread/send-write.ts'
import { openWriteConnections, type WriteConnections } from './main-thread/write-connections.ts'
import { readQuickPage } from './pages/read-page.ts'
import { readRecords } from './pages/read-records.ts'
import { readQuickSetPage } from './pages/sqlite-set-reader.ts'
import type { ReadConnection } from './queries/read-connection.ts'
import { findTypesQuickly } from './queries/sqlite-type-searcher.ts'
import { SqliteDocuments, SqliteOperations } from './sqlite-operations.ts'
import type { StoreThreads } from './threads/store-threads.ts'
import { verifyTables } from './threads/verify-tables.ts'

/** The SQLite store. `openSqliteStore` opens its file first. */
export class SqliteStore extends CoreStore implements ObjectStore {
  readonly cachedCatalogue = (name: OntologyName) => this.#catalogue.cached(name)
  readonly reportDamage = (cause: string) => this.#guard.reportDamage(new Error(cause))
  readonly #guard: StoreGuard
  readonly #catalogue: CatalogueReader
  readonly #threads: StoreThreads
  readonly #connections: WriteConnections
  readonly #operations: SqliteOperations
  readonly #cache: PageCache
  /** Looking up the token takes about 5 % of the time of a get. */
  readonly #knownTokens: KnownUntilCommit<FoundToken | undefined>

  constructor(
    reading: ReadConnection,
    guard: StoreGuard,
    threads: StoreThreads,
    options: StoreOptions,
  ) {
    const connections = openWriteConnections(reading, guard, threads, options)
    const cache = new PageCache(options.pageCacheBytes)
    const operations = new SqliteOperations(connections, threads.slowReaders)
    super({
      operations,
      reclaimSteps: reclaimSteps(connections),
      publishInSteps: ({ replacement }, callerId, { buildIndexes, publish }) => {
        const owner = { callerId, key: replacement }
        return connections.staged.alone(owner, async () => {
          await buildIndexes()
          return connections.staged.untilFree(owner, publish)
        })
      },
      writes: {
        commit: (batch, context) => commitInThread(connections, batch, context),
        edit: (edit, context) => commitEditInThread(connections, edit, ownerOf(context)),
        applyTransactions: (request, context) =>
          applyInThread(connections, request, ownerOf(context)),
        deleteMatches: (request, context) =>
          deleteFoundRows(connections, request, ownerOf(context), (search) =>
            operations.runSlowly('findRowsToDelete', search, context),
          ),
      },
      size: FILE_SIZE,
      publications: new LocalPublications(),
      canReadCurrentRows: true,
      encoder: siblingModule('changes/change-encoder', import.meta.url),
      cache,
      options,
      documents: new SqliteDocuments(operations, connections),
    })
    this.#guard = guard
    this.#catalogue = openCatalogue(reading, options.definitions)
    this.#threads = threads
    this.#connections = connections
    this.#operations = operations
    this.#cache = cache
    this.#knownTokens = new KnownUntilCommit(reading.statements)
  }

  async check(): Promise<void> {
    const { statements } = this.#connections.reading
    this.#guard.checkFiles()
    this.#guard.read(() => statements.prepare('SELECT generation FROM oqs_catalogue').get())
  }

  async readCatalogue(options?: CatalogueOptions): Promise<Catalogue> {
    return this.#guard.read(() => runNow(this.#catalogue.read(options)))
  }

  /** Reads a page on this thread if it is quick, and in a reader process if it may be slow. */
  async readPage(
    request: ReadPageRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredPage | Reclaimed> {
    const quickPage = await this.readQuickPage(request, context)
    if (quickPage !== undefined) return quickPage
    const page = reported(context, await this.#operations.runSlowly('readPage', request, context))
    if (page === 'reclaimed') return page
    return this.#cache.keep(request, { ...page, release: releaserOf(page.records) })
  }

  async readQuickPage(
    request: ReadPageRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredPage | Reclaimed | undefined> {
    const { reading } = this.#connections
    const page = this.#guard.read(() => readQuickPage(reading, request, context, this.#cache))
    return page && reported(context, page)
  }

  readElsewhere<Result>(read: () => Promise<Result>): Promise<Result> {
    return this.#guard.readElsewhere(read)
  }

  prepareSlowQueries(): void {
    this.#threads.slowReaders.prepare()
  }

  async readRecords(
    request: ReadRecordsRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredPage | Reclaimed> {
    const { reading } = this.#connections
    return reported(
      context,
      this.#guard.read(() => readRecords(reading, request, context)),
    )
  }

  async readSetPage(
    request: ReadSetPageRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredSetPage | Reclaimed> {
    const { reading } = this.#connections
    const quickPage = this.#guard.read(() => readQuickSetPage(reading, request))
    if (quickPage !== undefined) return reported(context, quickPage)
    const slowPage = await this.#operations.runSlowly('readSetPage', request, context)
    const page = reported(context, slowPage)
    return page === 'reclaimed' ? page : { ...page, release: releaserOf(page.records) }
  }

  async findTypes(request: FindTypesRequest, context = INTERNAL_CONTEXT): Promise<string[]> {
    const found = this.#guard.read(() => findTypesQuickly(this.#connections.reading, request))
    return found ?? this.#operations.runSlowly('findTypes', request, context)
  }

  aggregate(
    request: AggregateRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<AggregateResult | Reclaimed> {
    return this.#operations.runSlowly('aggregate', request, context)
  }

  verify(signal: AbortSignal): Promise<Verified> {
    const path = this.#connections.reading.db.location() ?? ''
    return this.#guard.readElsewhere(() => verifyTables(path, signal))
  }

  async rewriteNext(): Promise<RewriteProgress | undefined> {
    const { reading, writer } = this.#connections
    if (!this.#guard.read(() => runIn(reading, hasRewrites))) return undefined
    const progress = await this.#guard.write(() => writer.run('rewriteStep', undefined))
    if (progress?.phase === 'published') this.publications.announce(progress.typeRid)
    return progress
  }

  async findApiToken(secretHash: string): Promise<ApiToken | undefined> {
    return this.tokenAtHand(secretHash)?.token
  }

  tokenAtHand(secretHash: string): FoundToken | undefined {
    const { session } = this.#connections.reading
    return this.#guard.read(() =>
      this.#knownTokens.find(secretHash, () => runNow(findApiToken(session, secretHash))),
    )
  }

  load(): StoreLoad {
    const writes = this.#connections.queue.state()
    return {
      queues: { writes, 'slow queries': this.#threads.slowReaders.state() },
      connections: {},
    }
  }

  drain(reason: string, graceMs: number): void {
    // Not closed: a write that has begun may need further ones to complete.
    this.#connections.queue.refuseWaiting(reason)
    this.#connections.staged.drain(reason)
    this.#connections.checkpoints.close()
    this.#threads.slowReaders.drain(reason, graceMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { writer, checkpointer, slowReaders } = this.#threads
    await Promise.all(
      [writer, checkpointer, slowReaders].map((thread) => thread[Symbol.asyncDispose]()),
    )
    this.#guard[Symbol.dispose]()
    this.#connections.reading.db.close()
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

/** SQLite would have to visit every page of the file to count the bytes of one table. */
const FILE_SIZE: SizeSql = {
  kind: 'sqlite',
  storedBytes: '(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)',
  typeBytes: 'NULL',
}
