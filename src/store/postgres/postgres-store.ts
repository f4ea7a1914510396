/** Opens the PostgreSQL store and implements the store port with it. */

import { LRUCache } from 'lru-cache'
import { siblingModule } from '../../contract/sibling-module.ts'
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import { CoreStore } from '../core/core-store.ts'
import { CatalogueReader } from '../core/definitions/catalogue-reader.ts'
import { runAwaited } from '../core/session/session.ts'
import type {
  ApiToken,
  CatalogueOptions,
  FindTypesRequest,
  ObjectStore,
  ReadPageRequest,
  ReadRecordsRequest,
  ReadSetPageRequest,
  Reclaimed,
  RewriteProgress,
  StoredPage,
  StoredSetPage,
  StoreOptions,
} from '../object-store.ts'
import { PageCache } from '../page-cache.ts'
import type { FoundToken } from '../port/credentials.ts'
import type { StoreLoad } from '../port/maintenance.ts'
import type { AggregateRequest, AggregateResult } from '../port/pages.ts'
import { INTERNAL_CONTEXT, reported } from '../port/request-context.ts'
import { isQuick } from '../sql/plan/plan-rules.ts'
import type { TypeConverter } from '../sql/stored-change.ts'
import { aggregate } from './aggregate/aggregate-objects.ts'
import { KnownTokens } from './catalogue/known-tokens.ts'
import { migrate } from './catalogue/migrate.ts'
import { readObjects } from './catalogue/missing-tables.ts'
import { SharedCatalogue } from './catalogue/shared-catalogue.ts'
import { sizeSql } from './catalogue/table-sizes.ts'
import { type Capabilities, readCapabilities, refuseUnsupported } from './citus/capabilities.ts'
import { distributeGrown } from './citus/distribution.ts'
import { type PostgresContext, publishPendingOf, recoverPending } from './citus/pending-commit.ts'
import { ShardReader } from './citus/shard-reader.ts'
import { buildBeside } from './construction/indexes-beside.ts'
import { buildLateIndexes } from './construction/late-indexes.ts'
import { PostgresOperations } from './construction/postgres-operations.ts'
import { finishChange, rewriteInBackground } from './construction/rewrite-step.ts'
import { Database, type Session } from './driver/database.ts'
import type { ReadPool } from './driver/read-pool.ts'
import { reclaimSteps } from './maintenance/reclaim-rows.ts'
import { verifyRows } from './maintenance/verify-rows.ts'
import { PageReader } from './pages/page-reader.ts'
import { poolOfSet, readSetPage } from './pages/postgres-set-reader.ts'
import { RecordReader } from './pages/record-reader.ts'
import { findTypes } from './queries/postgres-type-searcher.ts'
import { TypeFieldsCache } from './queries/queried-types.ts'
import { applyTransactions } from './writes/apply-transactions.ts'
import { commitBatch, commitEdit } from './writes/commit-batch.ts'
import { deleteMatches } from './writes/delete-matches.ts'
import { GroupCommits } from './writes/group-commits.ts'

export interface PostgresOptions extends StoreOptions {
  /** Overrides the capabilities that are read from the database. */
  readonly capabilities?: Capabilities
}

/** Opens the store of a PostgreSQL URL. Any number of nodes may open it at the same time. */
export async function openPostgresStore(
  url: string,
  options: PostgresOptions = {},
): Promise<ObjectStore> {
  const database = new Database(url, options)
  try {
    await refuseUnsupported(database)
    await migrate(database)
    const capabilities = options.capabilities ?? (await database.read(readCapabilities))
    await recoverPending({ database, capabilities })
    const shards = capabilities.isDistributed ? new ShardReader(url, options) : undefined
    return new PostgresStore({ database, capabilities, shards }, options)
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

interface ShardedContext extends PostgresContext {
  /** Undefined if the tables are not distributed. */
  readonly shards: ShardReader | undefined
}

class PostgresStore extends CoreStore implements ObjectStore {
  readonly database: Database
  readonly capabilities: Capabilities
  readonly shards: ShardReader | undefined
  readonly fields = new TypeFieldsCache()
  readonly converters = new LRUCache<string, TypeConverter>({ max: 8 })
  readonly verify = (signal: AbortSignal) => verifyRows(this.database, signal)
  readonly groups: GroupCommits | undefined
  readonly #tokens: KnownTokens
  readonly #catalogue: CatalogueReader
  readonly #pages: PageReader
  readonly #records: RecordReader

  constructor(store: ShardedContext, options: PostgresOptions) {
    const { database, capabilities, shards } = store
    const cache = new PageCache(options.pageCacheBytes)
    super({
      operations: new PostgresOperations(store),
      reclaimSteps: reclaimSteps(store),
      publishInSteps: async ({ typeRid, replacement }, _callerId, { buildIndexes, publish }) => {
        await buildBeside(this, replacement, buildIndexes)
        await buildIndexes()
        const commit = await publish()
        if ('blockedBy' in commit) throw new Error('no write takes several transactions')
        await publishPendingOf(store, typeRid)
        return commit
      },
      finishChange: (change) => finishChange(this, change),
      writes: {
        commit: (batch, context) => commitBatch(this, batch, context),
        edit: (edit, { callerId }) => commitEdit(this, edit, callerId),
        applyTransactions: (request, context) => applyTransactions(this, request, context),
        deleteMatches: (request, context) => deleteMatches(this, request, context),
      },
      size: sizeSql(capabilities),
      publications: database.publications,
      canReadCurrentRows: capabilities.canReadCurrentRows,
      encoder: siblingModule('writes/change-encoder', import.meta.url),
      cache,
      options,
    })
    this.database = database
    this.capabilities = capabilities
    this.shards = shards
    this.#tokens = new KnownTokens(database)
    this.#catalogue = new CatalogueReader(new SharedCatalogue(database), options.definitions)
    // Where versions are published separately, only one may be pending.
    this.groups = capabilities.needsSeparatePublication ? undefined : new GroupCommits(this)
    this.#pages = new PageReader(this, cache)
    this.#records = new RecordReader(this, this.#pages.heads)
  }

  async check(): Promise<void> {
    await this.database.check('SELECT generation FROM oqs_catalogue')
  }

  readCatalogue(options?: CatalogueOptions): Promise<Catalogue> {
    return runAwaited(this.#catalogue.read(options))
  }

  cachedCatalogue(name: OntologyName): Catalogue | undefined {
    return this.#catalogue.cached(name)
  }

  readPage(request: ReadPageRequest, context = INTERNAL_CONTEXT): Promise<StoredPage | Reclaimed> {
    return this.#pages.read(request, context)
  }

  /** Every property has an index. To count the matches of a condition first would be a query more. */
  async readQuickPage(
    request: ReadPageRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredPage | Reclaimed | undefined> {
    return isQuick(request) ? this.readPage(request, context) : undefined
  }

  readRecords(
    request: ReadRecordsRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredPage | Reclaimed> {
    return this.#records.read(request, context)
  }

  async readSetPage(
    request: ReadSetPageRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<StoredSetPage | Reclaimed> {
    const types = request.parts.map(({ objectType }) => objectType)
    const readIn = (session: Session) => readSetPage(session, request, this)
    const read = (pool: ReadPool) => readObjects(this, types, readIn, pool)
    const isQuick = poolOfSet(request) === 'quick'
    const page = isQuick
      ? this.database.readQuickly(context, read)
      : this.database.readSlowly(context, read)
    return reported(context, await page)
  }

  findTypes(request: FindTypesRequest, context = INTERNAL_CONTEXT): Promise<readonly string[]> {
    const findIn = (session: Session) => findTypes(session, request)
    const find = (pool: ReadPool) => readObjects(this, [], findIn, pool)
    return 'keys' in request
      ? this.database.readQuickly(context, find)
      : this.database.readSlowly(context, find)
  }

  aggregate(
    request: AggregateRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<AggregateResult | Reclaimed> {
    const aggregateIn = (session: Session) => aggregate(session, request, this)
    return this.database.readSlowly(context, (pool) => {
      // The table of each type may be missing: each reader creates that of its type and tries again.
      const readers = request.sources.reduce<Pick<ReadPool, 'read'>>(
        (inner, { objectType }) => ({ read: (run) => readObjects(this, objectType, run, inner) }),
        pool,
      )
      return readers.read(aggregateIn)
    })
  }

  async rewriteNext(): Promise<RewriteProgress | undefined> {
    const progress = await rewriteInBackground(this)
    if (progress === undefined) {
      await distributeGrown(this)
      await buildLateIndexes(this)
    }
    if (progress?.phase === 'published') this.publications.announce(progress.typeRid)
    return progress
  }

  load(): StoreLoad {
    return this.database.load()
  }

  drain(reason: string, graceMs: number): void {
    this.database.drain(reason, graceMs)
  }

  findApiToken(secretHash: string): Promise<ApiToken | undefined> {
    return this.#tokens.find(secretHash)
  }

  tokenAtHand(secretHash: string): FoundToken | undefined {
    return this.#tokens.cached(secretHash)
  }

  /** Waits for all work in progress. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.database[Symbol.asyncDispose]()
    await this.shards?.[Symbol.asyncDispose]()
  }
}
