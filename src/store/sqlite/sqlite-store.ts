/** Implements the store port with SQLite. */
import { siblingModule } from '../../contract/sibling-module.ts'
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import { hasRewrites } from '../core/changes/change-step.ts'
import { CoreStore } from '../core/core-store.ts'
import { findApiToken } from '../core/credentials/api-tokens.ts'
import type { CatalogueReader } from '../core/definitions/catalogue-reader.ts'
import type { SizeSql } from '../core/definitions/type-states.ts'
import type { ReclaimSteps } from '../core/maintenance/reclaim.ts'
import { runNow } from '../core/session/operation.ts'
import type {
  AggregateRequest,
  AggregateResult,
  ApiToken,
  CatalogueOptions,
  FindTypesRequest,
  FoundToken,
  ObjectStore,
  ReadPageRequest,
  ReadSetPageRequest,
  Reclaimed,
  RewriteProgress,
  StoredPage,
  StoredSetPage,
  StoreOptions,
} from '../object-store.ts'
import { PageCache } from '../page-cache.ts'
import { INTERNAL_CONTEXT, type RequestContext } from '../port/request-context.ts'
import { openCatalogue } from './catalogue/open-catalogue.ts'
import { runIn } from './file/sqlite-session.ts'
import type { StoreGuard } from './file/store-guard.ts'
import { commitEditInThread, commitInThread, deleteFoundRows } from './main-thread/send-write.ts'
import { openWriteConnections, type WriteConnections } from './main-thread/write-connections.ts'
import type { ReadConnection } from './queries/read-connection.ts'
import { SqliteDocuments, SqliteOperations } from './sqlite-operations.ts'
import { SqliteReads } from './store-reads.ts'
import type { StoreThreads } from './threads/store-threads.ts'

/** The SQLite store. `openSqliteStore` opens its file first. */
export class SqliteStore extends CoreStore implements ObjectStore {
  readonly cachedCatalogue = (name: OntologyName) => this.#catalogue.cached(name)
  readonly verify = (signal: AbortSignal) => this.#reads.verify(signal)
  readonly reportDamage = (cause: string) => this.#guard.reportDamage(new Error(cause))
  readonly #guard: StoreGuard
  readonly #catalogue: CatalogueReader
  readonly #threads: StoreThreads
  readonly #connections: WriteConnections
  readonly #reads: SqliteReads

  constructor(
    reading: ReadConnection,
    guard: StoreGuard,
    threads: StoreThreads,
    options: StoreOptions,
  ) {
    const connections = openWriteConnections(reading, guard, threads, options)
    const cache = new PageCache(options.pageCacheBytes)
    const reads = new SqliteReads({ reading, guard, slowReaders: threads.slowReaders, cache })
    const operations = new SqliteOperations(connections, reads)
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
        deleteMatches: (request, context) =>
          deleteFoundRows(connections, request, ownerOf(context), (search) =>
            reads.readSlowly('findRowsToDelete', search, context),
          ),
      },
      tryObjects: (change, context) => reads.tryObjects(change, context),
      size: FILE_SIZE,
      encoder: siblingModule('changes/change-encoder', import.meta.url),
      cache,
      options,
      documents: new SqliteDocuments(operations, connections),
    })
    this.#guard = guard
    this.#catalogue = openCatalogue(reading, options.definitions)
    this.#threads = threads
    this.#connections = connections
    this.#reads = reads
  }

  async check(): Promise<void> {
    const { statements } = this.#connections.reading
    this.#guard.checkFiles()
    this.#guard.read(() => statements.prepare('SELECT generation FROM oqs_catalogue').get())
  }

  async readCatalogue(options?: CatalogueOptions): Promise<Catalogue> {
    return this.#guard.read(() => runNow(this.#catalogue.read(options)))
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

  async rewriteNext(): Promise<RewriteProgress | undefined> {
    const { reading, writer } = this.#connections
    if (!this.#guard.read(() => runIn(reading, hasRewrites))) return undefined
    return this.#guard.write(() => writer.run('rewriteStep', undefined))
  }

  async findApiToken(secretHash: string): Promise<ApiToken | undefined> {
    return this.tokenAtHand(secretHash)?.token
  }

  tokenAtHand(secretHash: string): FoundToken | undefined {
    const { session } = this.#connections.reading
    return this.#guard.read(() => runNow(findApiToken(session, secretHash)))
  }

  drain(reason: string, graceMs: number): void {
    // Not closed: a write that has begun may need further ones to complete.
    this.#connections.queue.refuseWaiting(reason)
    this.#connections.staged.drain(reason)
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
