/** The state of the service at the moment when its metrics are read. */
import type { QueueState } from '../../admission/fair-queue.ts'
import type { SourceReport } from '../../contract/source-report.ts'
import { listReports } from '../../service/sources/source-reports.ts'
import type {
  ColumnsStatus,
  ObjectStore,
  StoreLoad,
  StoreStatus,
  WriteState,
} from '../../store/object-store.ts'
import type { AuditState } from '../audit/audit-writer.ts'
import { counter, gauge, type MetricFamily } from './metric-family.ts'
import { syncMetrics } from './sync-metrics.ts'

export interface StateSources {
  readonly queues: () => Readonly<Record<string, QueueState>>
  readonly followers: () => number
  readonly memory: () => { readonly used: number; readonly limit: number }
  /** Undefined if the audit log is off. */
  readonly audit: (() => AuditState) | undefined
  readonly store: Pick<ObjectStore, 'check' | 'documents' | 'load' | 'readStatus' | 'writeState'>
  /** Undefined while there are no columns. */
  readonly columns: () => Promise<ColumnsStatus | undefined>
  readonly now: () => number
}

/** How long metrics wait for the store. The others matter most when the store does not reply. */
const STORE_TIMEOUT_MS = 1000

/** Returns the result, or undefined if it takes too long. */
async function withinTime<T>(result: Promise<T>): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => timeout.resolve(undefined), STORE_TIMEOUT_MS)
  try {
    return await Promise.race([result, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

export class StateMetrics {
  readonly #sources: StateSources
  /** The last status that the store replied with. */
  #status: StoreStatus | undefined
  #reports: readonly SourceReport[] = []

  constructor(sources: StateSources) {
    this.#sources = sources
  }

  async collect(): Promise<MetricFamily[]> {
    const { queues, followers, memory, audit, store, columns, now } = this.#sources
    const [isUp, status, ofColumns, reports] = await Promise.all([
      withinTime(store.check().then(() => true)).catch(() => undefined),
      withinTime(store.readStatus()).catch(() => undefined),
      withinTime(columns()).catch(() => undefined),
      withinTime(listReports({ store, now })).catch(() => undefined),
    ])
    this.#status = status ?? this.#status
    this.#reports = reports ?? this.#reports
    const { used, limit } = memory()
    const load = store.load()
    return [
      ...queueMetrics({ ...queues(), ...load.queues }),
      ...connectionMetrics(load),
      ...writeMetrics(store.writeState()),
      gauge('oqs_followers', 'Requests, streams and WebSockets that follow changes.', followers()),
      gauge('oqs_request_memory_bytes', 'Memory of requests, used and allowed.', [
        [{ kind: 'used' }, used],
        [{ kind: 'limit' }, limit],
      ]),
      ...auditMetrics(audit?.()),
      gauge(
        'oqs_store_up',
        'Whether the store replied when the metrics were read: 1 or 0.',
        isUp === undefined ? 0 : 1,
        'min',
      ),
      ...(this.#status === undefined ? [] : storeMetrics(this.#status)),
      ...columnsMetrics(ofColumns),
      ...syncMetrics(this.#reports, now()),
    ]
  }
}

function queueMetrics(queues: Readonly<Record<string, QueueState>>): MetricFamily[] {
  const all = Object.entries(queues)
  return [
    gauge(
      'oqs_queue_tasks',
      'Tasks in a queue, by state.',
      all.flatMap(([queue, { running, waiting }]) => [
        [{ queue, state: 'running' }, running],
        [{ queue, state: 'waiting' }, waiting],
      ]),
    ),
    counter(
      'oqs_queue_wait_seconds_total',
      'The time that tasks have waited for their turn in a queue.',
      all.map(([queue, { waitedMs }]) => [{ queue }, waitedMs / 1000]),
    ),
  ]
}

const CONNECTION_STATES = ['inUse', 'idle', 'waiting', 'limit'] as const

function connectionMetrics({ connections }: StoreLoad): MetricFamily[] {
  return [
    gauge(
      'oqs_database_connections',
      'Connections to PostgreSQL by pool: in use, idle, tasks that wait for one, and the limit.',
      Object.entries(connections).flatMap(([pool, counts]) =>
        CONNECTION_STATES.map((state) => [{ pool, state }, counts[state]] as const),
      ),
    ),
  ]
}

function writeMetrics({ commits, failed, failure }: WriteState): MetricFamily[] {
  return [
    counter('oqs_commits_total', 'Writes that the store has committed.', commits),
    counter('oqs_failed_writes_total', 'Writes that a full or failing disk has refused.', failed),
    gauge(
      'oqs_store_writable',
      'Whether the last write succeeded: 0 if a full or failing disk has refused it.',
      failure === undefined ? 1 : 0,
      'min',
    ),
  ]
}

function auditMetrics(
  state: AuditState = { stored: 0, dropped: 0, failures: 0, waiting: 0 },
): MetricFamily[] {
  return [
    counter(
      'oqs_audit_records_total',
      'Records of the audit log, by result: stored, or dropped because there were too many.',
      [
        [{ result: 'stored' }, state.stored],
        [{ result: 'dropped' }, state.dropped],
      ],
    ),
    counter(
      'oqs_audit_failures_total',
      'Failed attempts to add records to the audit log.',
      state.failures,
    ),
    gauge(
      'oqs_audit_waiting_records',
      'Records of the audit log that are not stored yet.',
      state.waiting,
    ),
  ]
}

const COLUMNS_STATES = ['building', 'ready', 'tooLarge', 'failed'] as const

const NO_COLUMNS: ColumnsStatus = { residentBytes: 0, usedBytes: 0, maxBytes: 0, types: [] }

function columnsMetrics({
  residentBytes,
  usedBytes,
  maxBytes,
  types,
}: ColumnsStatus = NO_COLUMNS): MetricFamily[] {
  const memory = [
    [{ kind: 'used' }, usedBytes],
    [{ kind: 'limit' }, maxBytes],
    [{ kind: 'process' }, residentBytes],
  ] as const
  return [
    gauge(
      'oqs_columns_bytes',
      'Memory of columns, used and allowed, and that of their whole process.',
      memory,
      OF_THE_STORE,
    ),
    gauge(
      'oqs_columns_types',
      'Types that have columns or should have them, by state.',
      COLUMNS_STATES.map((state) => [
        { state },
        types.filter((type) => type.state === state).length,
      ]),
      OF_THE_STORE,
    ),
  ]
}

/** All processes of a service share a store, so its state counts once and not once per process. */
const OF_THE_STORE = 'first'
const REWRITE_PHASES = ['copying', 'indexing', 'catchingUp'] as const

function storeMetrics(status: StoreStatus): MetricFamily[] {
  const { pageCache, rewrites, types, typeNames } = status
  const ofStore = (...[name, help, numbers]: Parameters<typeof gauge>) =>
    gauge(name, help, numbers, OF_THE_STORE)
  return [
    gauge('oqs_page_cache_bytes', 'The page cache, used and allowed.', [
      [{ kind: 'used' }, pageCache.bytes],
      [{ kind: 'limit' }, pageCache.maxBytes],
    ]),
    counter(
      'oqs_page_cache_requests_total',
      'Requests for pages that can be cached, by result: hit or miss.',
      [
        [{ result: 'hit' }, pageCache.hits],
        [{ result: 'miss' }, pageCache.misses],
      ],
    ),
    ofStore(
      'oqs_rewrites',
      'Types that are being rewritten, by phase.',
      REWRITE_PHASES.map((phase) => [
        { phase },
        rewrites.filter((rewrite) => rewrite.phase === phase).length,
      ]),
    ),
    ofStore('oqs_stored_bytes', 'Bytes that the database takes on disk.', status.storedBytes ?? 0),
    ofStore(
      'oqs_objects',
      'Objects of a type.',
      types.flatMap(({ typeRid, count }) => {
        const { ontology, objectType: type } = typeNames.get(typeRid) ?? {}
        return ontology && type ? [[{ ontology, type }, count]] : []
      }),
    ),
    ofStore('oqs_replacements', 'Replacements that are being loaded.', status.replacements.length),
    ofStore(
      'oqs_tables_to_remove',
      'Tables that maintenance still has to remove.',
      status.tablesToRemove,
    ),
  ]
}
