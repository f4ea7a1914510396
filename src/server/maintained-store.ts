/** The store of a running service. Apart from the server, because a supervisor needs only this. */
import { REWRITTEN_AT_ONCE_MAX } from '../contract/limits.ts'
import type { OntologyCache } from '../ontology/ontology-cache.ts'
import type { ColumnsClient } from '../store/columns/columns-client.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { type ColumnsOptions, connectToSupervisor, startColumns } from './columns.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { startMaintenance } from './maintenance.ts'
import { DAMAGE_ADVICE, openStore } from './open-store.ts'
import { readRelease } from './release.ts'
import { startRewriting } from './rewriting.ts'
import { startVerification } from './verification.ts'

export interface MaintainedStoreOptions {
  readonly log: Log
  /** The clock, in milliseconds. */
  readonly now?: () => number
  /** False if another process runs the maintenance of the store. */
  readonly isMaintainer?: boolean
  /** A change that rewrites more objects than this is a background change. */
  readonly rewrittenAtOnceMax?: number
  /** Where definitions are kept, if requests use them. */
  readonly definitions?: OntologyCache
  readonly columns?: ColumnsOptions
  /** Opens the store; tests pass one that runs in a single thread. */
  readonly open?: typeof openStore
}

/** An open store with its maintenance running; disposing stops both. */
export interface MaintainedStore extends AsyncDisposable {
  readonly store: ObjectStore
  /** Undefined if columns are turned off. */
  readonly columns: ColumnsClient | undefined
}

/** Opens the store, migrated to the schema of this release, and starts its maintenance. */
export async function openMaintainedStore(
  config: Config,
  {
    log,
    now = Date.now,
    isMaintainer = true,
    open = openStore,
    ...options
  }: MaintainedStoreOptions,
): Promise<MaintainedStore> {
  await using parts = new AsyncDisposableStack()
  const store = parts.use(
    await open(config.OQS_STORE, {
      rewrittenAtOnceMax: options.rewrittenAtOnceMax ?? REWRITTEN_AT_ONCE_MAX,
      pageCacheBytes: config.OQS_PAGE_CACHE_BYTES,
      ...(options.definitions && { definitions: options.definitions }),
      definitionLimits: {
        totalBytes: config.OQS_DEFINITIONS_MAX_BYTES,
        callerBytes: config.OQS_CALLER_DEFINITIONS_MAX_BYTES,
      },
      queryTimeoutMs: 1000 * config.OQS_QUERY_TIMEOUT_SECONDS,
      onDamage: (error) => log({ event: 'storeDamaged', advice: DAMAGE_ADVICE, error }),
      onReaderExit: (exit) => log({ event: 'readerEnded', ...exit }),
    }),
  )
  if (isMaintainer) {
    await noteRelease(store, now())
    parts.use(
      startMaintenance({
        store,
        snapshotMaxAgeSeconds: config.OQS_SNAPSHOT_MAX_AGE_SECONDS,
        changesMaxAgeSeconds: config.OQS_CHANGES_MAX_AGE_SECONDS,
        pageTokenTtlSeconds: config.OQS_PAGE_TOKEN_TTL_SECONDS,
        auditRetentionDays: config.OQS_AUDIT_RETENTION_DAYS,
        now,
        log,
      }),
    )
    parts.use(startRewriting({ store, log }))
    parts.use(startVerification({ store, log }))
  }
  const started = isMaintainer ? startColumns(config, store, log, options.columns) : undefined
  parts.use(started)
  const columns = isMaintainer ? started?.client : parts.use(connectToSupervisor(config))
  const opened = parts.move()
  return { store, columns, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Notes in the store which release opens it. */
async function noteRelease({ documents }: ObjectStore, nowMs: number): Promise<void> {
  const body = readRelease()
  const [known] = await documents.list('release', nowMs)
  if (known?.body === body) return
  await documents.put({ kind: 'release', id: 'last', body, expiresAtMs: undefined })
}
