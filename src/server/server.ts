/** Assembles the service from its configuration, starts it and stops it. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { OpenIdTokens } from '../access/access-services.ts'
import { CredentialUses, hashSecret, TokenLookups } from '../access/credentials.ts'
import { CallerViews } from '../access/policies/view-cache.ts'
import type { CallerView } from '../access/policies/view-ontology.ts'
import { Admission } from '../admission/admission.ts'
import { MemoryBudget } from '../admission/request-memory.ts'
import { STALLED_CONNECTION_SECONDS } from '../contract/limits.ts'
import { FOLLOWERS_SHARE } from '../contract/memory-limits.ts'
import { type AppOptions, buildApp } from '../http/build-app.ts'
import type { OpenExplorer } from '../http/explorer/serve-explorer.ts'
import { OpenRequests } from '../http/request/http-context.ts'
import type { GivenServices, Metrics, RequestLimits } from '../http/services.ts'
import { OntologyCache } from '../ontology/ontology-cache.ts'
import { SALT_BYTES, TokenKeys } from '../paging/token-keys.ts'
import { WalkTokens } from '../paging/walk-tokens.ts'
import { BatchParsers } from '../service/batches/batch-parsers.ts'
import { Followers } from '../service/changes/followers.ts'
import { TableFiles } from '../service/exports/table-files.ts'
import { TierCache } from '../service/relevance/tier-cache.ts'
import { withColumns } from '../store/columns/column-objects.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { openAuditLines } from './audit/audit-lines.ts'
import { AuditWriter } from './audit/audit-writer.ts'
import { closeApp } from './close-app.ts'
import { columnLoading } from './columns.ts'
import { type Config, ConfigError, requireBothOrNeither } from './config.ts'
import { limitConnections } from './limit-connections.ts'
import { isLogged, type Log } from './log.ts'
import { type MaintainedStoreOptions, openMaintainedStore } from './maintained-store.ts'
import { definitionsMemory, requestMemory } from './memory-settings.ts'
import {
  type CollectedMetrics,
  METRICS_CONTENT_TYPE,
  renderMetrics,
  ServiceMetrics,
} from './metrics/service-metrics.ts'
import { queryLimitsOf } from './query-limits.ts'
import { readRelease, readVersion } from './release.ts'
import { readTlsFiles, reloadCertificate } from './tls-files.ts'
import type { StartedTracing } from './tracing/start-tracing.ts'

/** How long a stopping service still accepts requests on idle connections. */
const IDLE_GRACE_MS = 500

/** How long slow queries may continue while the service stops; less than the stop timeout. */
const QUERY_GRACE_MS = 5000
const STOPPING = 'The service is stopping.'
const RANDOM: Random = {
  bytes: randomBytes,
  // Node.js joins it from pieces, which would take half a kilobyte for as long as a request waits.
  uuid: () => Buffer.from(randomUUID(), 'latin1').toString('latin1'),
}

/** A running service; disposing stops it. */
export interface Server extends AsyncDisposable {
  readonly url: string
  readonly store: ObjectStore
  /** Reads the certificate again. Returns false if the service has none. */
  readonly reload: () => boolean
}

interface Random {
  readonly bytes: (count: number) => Buffer
  readonly uuid: () => string
}

export interface ServerOptions extends MaintainedStoreOptions {
  /** How long idle connections stay open when the service stops. */
  readonly idleGraceMs?: number
  /** How long the client of a stream may stop reading. */
  readonly stalledStreamMs?: number
  /** The source of page token salts and of RIDs; random unless a test must be repeatable. */
  readonly random?: Random
  /** The explorer at `/`, if it is served. */
  readonly explorer?: OpenExplorer
  /** Returns a function that collects the metrics of all processes; without it, there is only one. */
  readonly shareMetrics?: (
    collect: () => Promise<CollectedMetrics>,
  ) => () => Promise<readonly CollectedMetrics[]>
}

/** A service that does not listen yet. */
export interface AssembledService {
  readonly services: GivenServices
  readonly appOptions: AppOptions
  /** Also counts events, if there are metrics. */
  readonly log: Log
  /** Rejects what waits, before the application is closed. */
  readonly drain: () => void
}

/** Opens the store and creates what the endpoints work with; `parts` disposes of it. */
export async function assembleService(
  config: Config,
  options: ServerOptions,
  parts: AsyncDisposableStack,
): Promise<AssembledService> {
  const { now = Date.now, random = RANDOM } = options
  const metrics = config.OQS_METRICS === 'off' ? undefined : new ServiceMetrics()
  const log = metrics?.observing(options.log) ?? options.log
  // Before the store is opened, so that an invalid setting does not create one.
  const tls = readTlsFiles(config, now())
  const openIdTokens = await openIdProviderOf(config, now)
  const auditLines = openAuditLines(config, log)
  const memory = new MemoryBudget(requestMemory(config))
  const definitions = new OntologyCache<CallerView>(definitionsMemory(config))
  const stopping = new AbortController()
  if (metrics !== undefined) parts.use(metrics)

  const opened = parts.use(await openMaintainedStore(config, { ...options, definitions, log }))
  const { store, columns } = opened
  const { OQS_AUDIT: level } = config
  const audit =
    level === 'off'
      ? undefined
      : parts.use(new AuditWriter({ level, store, lines: auditLines, log }))
  const release = readRelease()
  const tracing = await openTracing(config, release)
  if (tracing !== undefined) parts.use(tracing)
  const keys = config.OQS_PAGE_TOKEN_KEYS?.reveal() ?? (await store.readPageTokenKeys())
  const admin = config.OQS_ADMIN_TOKEN?.reveal()
  const callers: RequestLimits['callers'] = {
    maxConcurrentRequests: config.OQS_MAX_CONCURRENT_REQUESTS,
    requestsPerMinute: config.OQS_RATE_LIMIT_PER_MINUTE,
  }
  const queryLimits = queryLimitsOf(config)
  const maxFollowers = Math.max(1, Math.floor(config.OQS_MAX_CONNECTIONS * FOLLOWERS_SHARE))
  const admission = new Admission({ ...callers, maxFollowers, now })
  const tokenLookups = new TokenLookups()
  metrics?.watch({
    queues: () => ({ ...admission.queues(), ...tokenLookups.queues() }),
    followers: () => admission.followerCount,
    memory: () => ({ used: memory.used, limit: requestMemory(config) }),
    audit: audit && (() => audit.state()),
    store,
    columns: async () => columns?.status(),
    now,
  })
  return {
    services: {
      store,
      columns,
      storedObjects:
        columns === undefined
          ? store
          : withColumns(store, columns, 1000 * config.OQS_QUERY_TIMEOUT_SECONDS),
      admission,
      tokenLookups,
      openRequests: new OpenRequests(),
      batchParsers: parts.use(
        new BatchParsers(store.encoding, {
          columns: columns && columnLoading(config),
          onLoad: () => columns?.start(),
        }),
      ),
      tableFiles: parts.use(new TableFiles()),
      credentialUses: new CredentialUses(store.documents),
      memory,
      walkTokens: new WalkTokens(new TokenKeys(keys, random.bytes(SALT_BYTES)), {
        ttlSeconds: config.OQS_PAGE_TOKEN_TTL_SECONDS,
        snapshotMaxAgeSeconds: config.OQS_SNAPSHOT_MAX_AGE_SECONDS,
        changesMaxAgeSeconds: config.OQS_CHANGES_MAX_AGE_SECONDS,
      }),
      followers: parts.use(new Followers(store.publications, stopping.signal)),
      tierCache: new TierCache(),
      adminTokenHash: admin === undefined ? undefined : hashSecret(admin),
      openIdTokens,
      views: new CallerViews({
        documents: store.documents,
        definitions,
        limits: queryLimits,
        providerClaims: config.OQS_OIDC_RULE_CLAIMS ?? [],
        now,
      }),
      limits: {
        callers,
        pageMaxBytes: config.OQS_PAGE_MAX_BYTES,
        listObjectsLimit: config.OQS_LIST_OBJECTS_LIMIT,
        query: queryLimits,
        aggregateMaxGroups: config.OQS_AGGREGATE_MAX_GROUPS,
        stalledStreamMs: options.stalledStreamMs ?? 1000 * STALLED_CONNECTION_SECONDS,
      },
      basePath: config.OQS_BASE_PATH,
      now,
      version: release,
      startedAtMs: now(),
      newUuid: random.uuid,
      emit: log,
      isReportingRequests:
        metrics !== undefined || isLogged('requestFinished', config.OQS_LOG_LEVEL),
      audit,
      tracing,
      trustedProxies: config.OQS_TRUSTED_PROXIES,
      metrics: metrics && exposeMetrics(metrics, config, options),
      stopping: stopping.signal,
    },
    appOptions: {
      version: readVersion(),
      docs: config.OQS_DOCS,
      explorer: options.explorer,
      tls,
      corsOrigins: config.OQS_CORS_ORIGINS,
    },
    log,
    drain: () => {
      stopping.abort()
      admission.drain(STOPPING)
      store.drain(STOPPING, QUERY_GRACE_MS)
    },
  }
}

/** Assembles the service and starts to listen. */
export async function startServer(config: Config, options: ServerOptions): Promise<Server> {
  const { now = Date.now, idleGraceMs = IDLE_GRACE_MS } = options
  await using parts = new AsyncDisposableStack()
  const { services, appOptions, log, drain } = await assembleService(config, options, parts)
  const { store, openRequests, version } = services
  const app = await buildApp(services, appOptions)
  parts.defer(async () => {
    drain()
    await closeApp(app, idleGraceMs)
  })
  limitConnections(app.server, openRequests, {
    maxConnections: config.OQS_MAX_CONNECTIONS,
    trustedProxies: config.OQS_TRUSTED_PROXIES,
  })
  try {
    await app.listen({ host: config.OQS_HOST, port: config.OQS_PORT })
  } catch (error) {
    throw cannotListen(config, error as NodeJS.ErrnoException)
  }

  const { port } = app.server.address() as AddressInfo
  const host = config.OQS_HOST.includes(':') ? `[${config.OQS_HOST}]` : config.OQS_HOST
  const url = `${appOptions.tls === undefined ? 'http' : 'https'}://${host}:${port}${config.OQS_BASE_PATH}`
  log({ event: 'started', url, version })

  const running = parts.move()
  const reload = () => reloadCertificate(app.server, config, { log, now })
  return { url, store, reload, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function exposeMetrics(
  metrics: ServiceMetrics,
  { OQS_METRICS }: Config,
  { shareMetrics }: ServerOptions,
): Metrics | undefined {
  if (OQS_METRICS === 'off') return undefined
  const collect = () => metrics.collect()
  const collectAll = shareMetrics?.(collect) ?? (async () => [await collect()])
  return {
    access: OQS_METRICS,
    contentType: METRICS_CONTENT_TYPE,
    render: async () => renderMetrics(await collectAll()),
  }
}

/** Loads the packages of OpenTelemetry only if they are used. */
async function openTracing(config: Config, version: string): Promise<StartedTracing | undefined> {
  if (config.OQS_TRACE_SAMPLING === 0) return undefined
  const { startTracing } = await import('./tracing/start-tracing.ts')
  return startTracing(config, version)
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

/** Opens the OpenID provider of the settings; undefined if there is none. */
export async function openIdProviderOf(
  config: Config,
  now: () => number,
): Promise<OpenIdTokens | undefined> {
  const { OQS_OIDC_ISSUER: issuer, OQS_OIDC_AUDIENCE: audience } = config
  requireBothOrNeither(config, 'OQS_OIDC_ISSUER', 'OQS_OIDC_AUDIENCE')
  if (issuer === undefined || audience === undefined) return undefined
  // Most services have no provider, and start faster without the library for signed tokens.
  const { OpenIdProvider } = await import('../access/openid/openid-provider.ts')
  return new OpenIdProvider({
    issuer,
    audience,
    algorithms: config.OQS_OIDC_ALGORITHMS,
    jwksUrl: config.OQS_OIDC_JWKS_URL,
    scopeClaim: config.OQS_OIDC_SCOPE_CLAIM,
    scopes: config.OQS_OIDC_SCOPES,
    ontologyClaim: config.OQS_OIDC_ONTOLOGY_CLAIM,
    policyClaim: config.OQS_OIDC_POLICY_CLAIM,
    ruleClaims: config.OQS_OIDC_RULE_CLAIMS ?? [],
    now,
  })
}
