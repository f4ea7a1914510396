/** Assembles the service from its configuration, starts it and stops it. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { CallerLimits } from '../admission/caller-limits.ts'
import { FairTurns } from '../admission/fair-turns.ts'
import { MemoryBudget } from '../admission/memory-budget.ts'
import { BatchParsers } from '../http/batch/batch-parsers.ts'
import { buildApp } from '../http/build-app.ts'
import type { OpenExplorer } from '../http/explorer/serve-explorer.ts'
import { Admission } from '../http/request/admission.ts'
import { hashSecret } from '../http/request/caller.ts'
import { CredentialUses } from '../http/request/credential-uses.ts'
import type { RequestLimits } from '../http/services.ts'
import { SALT_BYTES, TokenKeys } from '../paging/token-keys.ts'
import { WalkTokens } from '../paging/walk-tokens.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { closeApp } from './close-app.ts'
import { type Config, ConfigError } from './config.ts'
import { limitConnections } from './limit-connections.ts'
import { isLogged, type Log } from './log.ts'
import { startMaintenance } from './maintenance.ts'
import { DAMAGE_ADVICE, openStore } from './open-store.ts'
import { openIdProviderOf } from './openid-provider.ts'
import { reloadCertificate } from './reload-certificate.ts'
import { requestMemory } from './request-memory.ts'
import { readTlsFiles } from './tls-files.ts'
import { readVersion } from './version.ts'

/** How long a stopping service still accepts requests on idle connections. */
const IDLE_GRACE_MS = 500

/** How long slow queries may continue while the service stops; less than the stop timeout. */
const QUERY_GRACE_MS = 5000
const STOPPING = 'The service is stopping.'

/** A running service; disposing stops it. */
export interface Server extends AsyncDisposable {
  readonly url: string
  readonly store: ObjectStore
  /** Reads the certificate again. Returns false if the service has none. */
  readonly reload: () => boolean
}

export interface ServerOptions {
  readonly log: Log
  /** The clock, in milliseconds. */
  readonly now?: () => number
  /** False if another process runs the maintenance of the store. */
  readonly isMaintainer?: boolean
  /** How long idle connections stay open when the service stops. */
  readonly idleGraceMs?: number
  /** The explorer at `/`, if it is served. */
  readonly explorer?: OpenExplorer
}

/** An open store with its maintenance running; disposing stops both. */
export interface MaintainedStore extends AsyncDisposable {
  readonly store: ObjectStore
}

/** Opens the store, migrated to the schema of this release, and starts its maintenance. */
export async function openMaintainedStore(
  config: Config,
  { log, now = Date.now, isMaintainer = true }: ServerOptions,
): Promise<MaintainedStore> {
  await using parts = new AsyncDisposableStack()
  const store = parts.use(
    await openStore(config.OQS_STORE, {
      pageCacheBytes: config.OQS_PAGE_CACHE_BYTES,
      queryTimeoutMs: 1000 * config.OQS_QUERY_TIMEOUT_SECONDS,
      onDamage: (error) => log({ event: 'storeDamaged', advice: DAMAGE_ADVICE, error }),
      onReaderExit: (exit) => log({ event: 'readerEnded', ...exit }),
    }),
  )
  if (isMaintainer) {
    parts.use(
      startMaintenance({
        store,
        snapshotMaxAgeSeconds: config.OQS_SNAPSHOT_MAX_AGE_SECONDS,
        pageTokenTtlSeconds: config.OQS_PAGE_TOKEN_TTL_SECONDS,
        now,
        log,
      }),
    )
  }
  const opened = parts.move()
  return { store, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Assembles the service and starts to listen. */
export async function startServer(config: Config, options: ServerOptions): Promise<Server> {
  const { log, now = Date.now, idleGraceMs = IDLE_GRACE_MS } = options
  // Before the store is opened, so that an invalid setting does not create one.
  const tls = readTlsFiles(config, now())
  const openIdTokens = openIdProviderOf(config, now)
  const memory = new MemoryBudget(requestMemory(config))
  let isStopping = false
  await using parts = new AsyncDisposableStack()

  const { store } = parts.use(await openMaintainedStore(config, options))
  const keys = config.OQS_PAGE_TOKEN_KEYS?.reveal() ?? (await store.readPageTokenKeys())
  const admin = config.OQS_ADMIN_TOKEN?.reveal()
  const version = readVersion()
  const callers: RequestLimits['callers'] = {
    maxConcurrentRequests: config.OQS_MAX_CONCURRENT_REQUESTS,
    requestsPerMinute: config.OQS_RATE_LIMIT_PER_MINUTE,
  }
  const admission = new Admission(new CallerLimits({ ...callers, now }), new FairTurns())
  const app = await buildApp(
    {
      store,
      admission,
      batchParsers: parts.use(new BatchParsers(store.encoding)),
      credentialUses: new CredentialUses(store.documents),
      memory,
      walkTokens: new WalkTokens(new TokenKeys(keys, randomBytes(SALT_BYTES)), {
        ttlSeconds: config.OQS_PAGE_TOKEN_TTL_SECONDS,
        snapshotMaxAgeSeconds: config.OQS_SNAPSHOT_MAX_AGE_SECONDS,
      }),
      adminTokenHash: admin === undefined ? undefined : hashSecret(admin),
      openIdTokens,
      limits: {
        callers,
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
      version,
      startedAtMs: now(),
      newUuid: randomUUID,
      emit: log,
      isLoggingRequests: isLogged('requestFinished', config.OQS_LOG_LEVEL),
      isStopping: () => isStopping,
    },
    {
      version,
      docs: config.OQS_DOCS,
      explorer: options.explorer,
      tls,
      corsOrigins: config.OQS_CORS_ORIGINS,
    },
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
  const url = `${tls === undefined ? 'http' : 'https'}://${host}:${port}`
  log({ event: 'started', url, version })

  const running = parts.move()
  const reload = () => reloadCertificate(app.server, config, { log, now })
  return { url, store, reload, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Names the setting that an address in use or not available comes from. */
function cannotListen({ OQS_HOST, OQS_PORT }: Config, error: NodeJS.ErrnoException): Error {
  const { code = '', message } = error
  if (/^(?:ENOTFOUND|EAI_\w+|EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/.test(code)) {
    const advice = 'It must be a name or an address of this machine.'
    return new ConfigError(`OQS_HOST is "${OQS_HOST}": ${message}. ${advice}`, { cause: error })
  }
  if (code === 'EACCES') {
    const advice = 'Ports below 1024 usually need extra rights; choose a higher one.'
    return new ConfigError(`OQS_PORT is ${OQS_PORT}: ${message}. ${advice}`, { cause: error })
  }
  return error
}
