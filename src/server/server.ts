import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { CallerLimits } from '../admission/caller-limits.ts'
import { FairTurns } from '../admission/fair-turns.ts'
import { MemoryBudget } from '../admission/memory-budget.ts'
import { PROCESS_BASE_BYTES } from '../contract/limits.ts'
import { buildApp } from '../http/build-app.ts'
import { Admission } from '../http/request/admission.ts'
import { hashSecret } from '../http/request/caller.ts'
import { SALT_BYTES, TokenKeys } from '../paging/token-keys.ts'
import { WalkTokens } from '../paging/walk-tokens.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { closeApp } from './close-app.ts'
import { type Config, ConfigError } from './config.ts'
import { startHousekeeping } from './housekeeping.ts'
import { limitConnections } from './limit-connections.ts'
import { isShown, type Log, openLog } from './log.ts'
import { DAMAGE_ADVICE, openStore } from './open-store.ts'
import { readVersion } from './version.ts'

/** How long a stopping service takes requests that were on their way when it began to stop. */
const IDLE_GRACE_MS = 500

/** How long slow queries may go on while the service stops; less than stopping may take. */
const QUERY_GRACE_MS = 5000
const STOPPING = 'The service is stopping.'

/** A running service; disposing stops it. */
export interface Server extends AsyncDisposable {
  readonly url: string
  readonly store: ObjectStore
  readonly log: Log
}

export interface ServerOptions {
  /** The clock, in milliseconds. */
  readonly now?: () => number
  /** Whether this process keeps the store in order; not where another one does. */
  readonly keepsHouse?: boolean
  /** How long connections without a request are kept when the service stops. */
  readonly idleGraceMs?: number
}

/** An open store, of the schema of this release, that is kept in order; disposing closes it. */
export interface KeptStore extends AsyncDisposable {
  readonly store: ObjectStore
  readonly log: Log
}

/** Opens what is behind the endpoints, without serving anything. */
export async function openKeptStore(
  config: Config,
  { now = Date.now, keepsHouse = true }: ServerOptions = {},
): Promise<KeptStore> {
  const log = openLog(config.OQS_LOG_LEVEL)
  await using parts = new AsyncDisposableStack()
  const store = parts.use(
    await openStore(config.OQS_STORE, {
      pageCacheBytes: config.OQS_PAGE_CACHE_BYTES,
      queryTimeoutMs: 1000 * config.OQS_QUERY_TIMEOUT_SECONDS,
      onDamage: (error) => log({ event: 'storeDamaged', advice: DAMAGE_ADVICE, error }),
    }),
  )
  if (keepsHouse) {
    parts.use(
      startHousekeeping({
        store,
        snapshotMaxAgeSeconds: config.OQS_SNAPSHOT_MAX_AGE_SECONDS,
        pageTokenTtlSeconds: config.OQS_PAGE_TOKEN_TTL_SECONDS,
        now,
        log,
      }),
    )
  }
  const kept = parts.move()
  return { store, log, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Assembles the service from its configuration and starts to listen. */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<Server> {
  const { now = Date.now, idleGraceMs = IDLE_GRACE_MS } = options
  let isStopping = false
  await using parts = new AsyncDisposableStack()

  const { store, log } = parts.use(await openKeptStore(config, options))
  const keys = config.OQS_PAGE_TOKEN_KEYS?.reveal() ?? (await store.readPageTokenKeys())
  const admin = config.OQS_ADMIN_TOKEN?.reveal()
  const version = readVersion()
  const admission = new Admission(
    new CallerLimits({
      maxConcurrentRequests: config.OQS_MAX_CONCURRENT_REQUESTS,
      requestsPerMinute: config.OQS_RATE_LIMIT_PER_MINUTE,
      now,
    }),
    new FairTurns(),
  )
  const app = await buildApp(
    {
      store,
      admission,
      memory: new MemoryBudget(requestMemory(config)),
      walkTokens: new WalkTokens(new TokenKeys(keys, randomBytes(SALT_BYTES)), {
        ttlSeconds: config.OQS_PAGE_TOKEN_TTL_SECONDS,
        snapshotMaxAgeSeconds: config.OQS_SNAPSHOT_MAX_AGE_SECONDS,
      }),
      adminTokenHash: admin === undefined ? undefined : hashSecret(admin),
      limits: {
        pageMaxBytes: config.OQS_PAGE_MAX_BYTES,
        listObjectsLimit: config.OQS_LIST_OBJECTS_LIMIT,
        query: {
          maxDepth: config.OQS_QUERY_MAX_DEPTH,
          maxTerms: config.OQS_QUERY_MAX_TERMS,
          maxTextLength: config.OQS_QUERY_MAX_TEXT_LENGTH,
        },
        aggregateMaxGroups: config.OQS_AGGREGATE_MAX_GROUPS,
      },
      now,
      newUuid: randomUUID,
      emit: log,
      isLoggingRequests: isShown('requestFinished', config.OQS_LOG_LEVEL),
      isStopping: () => isStopping,
    },
    { version, docs: config.OQS_DOCS },
  )
  parts.defer(async () => {
    isStopping = true
    admission.drain(STOPPING)
    store.drain(STOPPING, QUERY_GRACE_MS)
    await closeApp(app, idleGraceMs)
  })
  limitConnections(app.server, admission, config.OQS_MAX_CONNECTIONS)
  try {
    await app.listen({ host: config.OQS_HOST, port: config.OQS_PORT })
  } catch (error) {
    throw cannotListen(config, error as NodeJS.ErrnoException)
  }

  const { port } = app.server.address() as AddressInfo
  const host = config.OQS_HOST.includes(':') ? `[${config.OQS_HOST}]` : config.OQS_HOST
  const url = `http://${host}:${port}`
  log({ event: 'started', url, version })

  const running = parts.move()
  return { url, store, log, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** What is left for requests: the rest is the process itself and the pages that it keeps. */
function requestMemory({ OQS_MEMORY_BUDGET_BYTES, OQS_PAGE_CACHE_BYTES }: Config): number {
  const left = OQS_MEMORY_BUDGET_BYTES - PROCESS_BASE_BYTES - OQS_PAGE_CACHE_BYTES
  if (left >= OQS_MEMORY_BUDGET_BYTES / 4) return left
  throw new ConfigError(
    `OQS_MEMORY_BUDGET_BYTES is ${OQS_MEMORY_BUDGET_BYTES}, which leaves too little for requests: OQS_PAGE_CACHE_BYTES is ${OQS_PAGE_CACHE_BYTES}; raise the first or lower the second`,
  )
}

/** Which setting an address that cannot be taken comes from. */
function cannotListen({ OQS_HOST, OQS_PORT }: Config, error: NodeJS.ErrnoException): Error {
  const { code = '', message } = error
  if (/^(?:ENOTFOUND|EAI_\w+|EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/.test(code)) {
    const allowed = 'it must be a name or an address of this machine'
    return new ConfigError(`OQS_HOST is "${OQS_HOST}": ${message}; ${allowed}`, { cause: error })
  }
  if (code === 'EACCES') {
    return new ConfigError(`OQS_PORT is ${OQS_PORT}: ${message}`, { cause: error })
  }
  return error
}
