/** Opens the PostgreSQL store and implements the store port with it. */

import { LRUCache } from 'lru-cache'
import { REWRITTEN_AT_ONCE_MAX } from '../../contract/limits.ts'
import type { Catalogue, OntologyName } from '../../ontology/catalogue.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { audited, auditedDefinition } from '../core/audit/audit-records.ts'
import { CoreStore } from '../core/core-store.ts'
import { CatalogueReader, readSummaries } from '../core/definitions/catalogue-reader.ts'
import { readDatabaseStatus, readTypeStates } from '../core/definitions/type-states.ts'
import { toKeyMessage } from '../core/idempotency/idempotency-keys.ts'
import { runAwaited } from '../core/session/operation.ts'
import { cancelChange, readDefinitionChange } from '../core/tables/definition-changes.ts'
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
import type { DefinitionLimits } from '../port/maintenance.ts'
import type { AggregateRequest, AggregateResult } from '../port/pages.ts'
import { INTERNAL_CONTEXT, reported } from '../port/request-context.ts'
import { DEFAULT_DEFINITION_LIMITS } from '../sql/definition-limits.ts'
import type { TypeConverter } from '../sql/stored-change.ts'
import { KnownTokens } from './catalogue/known-tokens.ts'
import { migrate } from './catalogue/migrate.ts'
import { readObjects } from './catalogue/missing-tables.ts'
import { SharedCatalogue } from './catalogue/shared-catalogue.ts'
import { sizeSql } from './catalogue/table-sizes.ts'
import { type Capabilities, readCapabilities, refuseUnsupported } from './citus/capabilities.ts'
import { recoverPending } from './citus/pending-commit.ts'
import {
  abandonReplacement,
  publishReplacement,
  startReplacement,
} from './construction/replacement.ts'
import { rewriteInBackground } from './construction/rewriting.ts'
import { deleteOntology, saveOntology } from './construction/save-definition.ts'
import { tryObjects } from './construction/try-objects.ts'
import { Database, type Session } from './driver/database.ts'
import { PostgresOperations, readIn, runIn } from './driver/postgres-session.ts'
import type { ReadPool } from './driver/read-pool.ts'
import { reclaimSteps } from './maintenance/reclaim-rows.ts'
import { verifyRows } from './maintenance/verify-rows.ts'
import { PageReader } from './pages/page-reader.ts'
import { poolOfSet, readSetPage } from './pages/postgres-set-reader.ts'
import { aggregate } from './queries/aggregate.ts'
import { findTypes } from './queries/postgres-type-searcher.ts'
import { TypeFieldsCache } from './queries/queried-types.ts'
import { changeEncoding } from './writes/change-encoding.ts'
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
    return new PostgresStore(database, capabilities, options)
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

class PostgresStore extends CoreStore implements ObjectStore {
  readonly database: Database
  readonly capabilities: Capabilities
  readonly fields = new TypeFieldsCache()
  readonly encoding = changeEncoding((operation) => readIn(this.database, operation))
  readonly definitionChanges: DefinitionChanges = {
    find: (ontologyRid) =>
      readIn(this.database, (session) => readDefinitionChange(session, ontologyRid)),
    tryObjects: (change, context = INTERNAL_CONTEXT) => tryObjects(this, change, context),
    cancel: (ontologyRid) =>
      this.database.write((session) => runIn(session, (core) => cancelChange(core, ontologyRid))),
  }
  readonly converters = new LRUCache<string, TypeConverter>({ max: 8 })
  readonly verify = (signal: AbortSignal) => verifyRows(this.database, signal)
  readonly rewrittenAtOnceMax: number
  readonly definitionLimits: DefinitionLimits
  readonly groups: GroupCommits | undefined
  readonly #tokens: KnownTokens
  readonly #catalogue: CatalogueReader
  readonly #pages: PageReader
  readonly #cache: PageCache

  constructor(database: Database, capabilities: Capabilities, options: PostgresOptions) {
    super(new PostgresOperations(database), reclaimSteps({ database, capabilities }))
    const cache = new PageCache(options.pageCacheBytes)
    this.database = database
    this.capabilities = capabilities
    this.rewrittenAtOnceMax = options.rewrittenAtOnceMax ?? REWRITTEN_AT_ONCE_MAX
    this.definitionLimits = options.definitionLimits ?? DEFAULT_DEFINITION_LIMITS
    this.#tokens = new KnownTokens(database)
    this.#catalogue = new CatalogueReader(new SharedCatalogue(database), options.definitions)
    this.#cache = cache
    // Where versions are published separately, only one may be pending.
    this.groups = capabilities.needsSeparatePublication ? undefined : new GroupCommits(this)
    this.#pages = new PageReader(this, cache)
  }

  async check(): Promise<void> {
    await this.database.check('SELECT generation FROM oqs_catalogue')
  }

  readCatalogue(options?: CatalogueOptions): Promise<Catalogue> {
    return runAwaited(this.#catalogue.read(options))
  }

  readOntologySummaries(): Promise<readonly OntologySummary[]> {
    return readIn(this.database, readSummaries)
  }

  readTypeStates(ontologyRid: string): Promise<readonly TypeState[]> {
    return readIn(this.database, (session) => readTypeStates(session, ontologyRid))
  }

  async readStatus(): Promise<StoreStatus> {
    const size = sizeSql(this.capabilities)
    const status = await readIn(this.database, (session) => readDatabaseStatus(session, size))
    return { ...status, isReclaiming: this.isReclaiming, pageCache: this.#cache.state() }
  }

  cachedCatalogue(name: OntologyName): Catalogue | undefined {
    return this.#catalogue.cached(name)
  }

  saveOntology(change: SavedChange, context = INTERNAL_CONTEXT): Promise<SaveOutcome> {
    return auditedDefinition(context, (auditEntry) =>
      saveOntology(this, change, context.callerId, auditEntry),
    )
  }

  deleteOntology(deletion: OntologyDeletion, context = INTERNAL_CONTEXT): Promise<void> {
    return auditedDefinition(context, (auditEntry) =>
      deleteOntology(this, deletion, context.callerId, auditEntry),
    )
  }

  readPage(request: ReadPageRequest, context = INTERNAL_CONTEXT): Promise<StoredPage | Reclaimed> {
    return this.#pages.read(request, context)
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
    return this.database.readSlowly(context, (pool) =>
      pool.read((session) => findTypes(session, request)),
    )
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

  commit(batch: Batch, context = INTERNAL_CONTEXT): Promise<Commit> {
    return audited(context, batch, (write) => commitBatch(this, write, context))
  }

  edit(edit: Edit, context = INTERNAL_CONTEXT): Promise<Commit> {
    return audited(context, edit, (write) => commitEdit(this, write, context.callerId))
  }

  deleteMatches(request: DeleteRequest, context = INTERNAL_CONTEXT): Promise<Commit> {
    return audited(context, request, (write) => deleteMatches(this, write, context))
  }

  startReplacement(
    { rid: typeRid }: ObjectType,
    { callerId } = INTERNAL_CONTEXT,
    idempotencyKey?: IdempotencyKey,
  ): Promise<string> {
    return startReplacement(this, {
      typeRid,
      callerId,
      idempotencyKey: toKeyMessage(idempotencyKey),
    })
  }

  publishReplacement(
    objectType: ObjectType,
    replacement: string,
    mode: PublishMode = 'replace',
    context = INTERNAL_CONTEXT,
    onIndexed?: (indexes: number) => void,
  ): Promise<Commit> {
    const { callerId } = context
    const publication = { objectType, typeRid: objectType.rid, replacement, mode, callerId }
    return audited(context, publication, (write) => publishReplacement(this, write, onIndexed))
  }

  abandonReplacement({ rid: typeRid }: ObjectType, replacement: string): Promise<void> {
    return abandonReplacement(this, { typeRid, replacement })
  }

  rewriteNext(): Promise<RewriteProgress | undefined> {
    return rewriteInBackground(this)
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
  }
}
