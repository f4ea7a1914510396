/** The state of the service at the moment when its metrics are read. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { QueueState } from '../../admission/fair-queue.ts'
import type { StoreStatus } from '../../store/object-store.ts'
import type { AuditState } from '../audit/audit-writer.ts'

export interface StateSources {
  readonly queues: () => Readonly<Record<string, QueueState>>
  readonly memory: () => { readonly used: number; readonly limit: number }
  /** Undefined if the audit log is off. */
  readonly audit: (() => AuditState) | undefined
  readonly readStatus: () => Promise<StoreStatus>
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

/** All processes of a service share a store, so its state counts once and not once per process. */
const OF_THE_STORE = 'first' as const

export class StateMetrics {
  readonly #sources: StateSources
  readonly #tasks: Gauge
  readonly #memory: Gauge
  readonly #cache: Gauge
  readonly #cacheRequests: Counter
  readonly #auditRecords: Counter
  readonly #auditFailures: Counter
  readonly #waitingAuditRecords: Gauge
  readonly #rewrites: Gauge
  readonly #isStoreUp: Gauge
  readonly #storedBytes: Gauge
  readonly #objects: Gauge
  readonly #replacements: Gauge
  readonly #tablesToRemove: Gauge

  constructor(registry: Registry, sources: StateSources) {
    this.#sources = sources
    const gauge = (name: string, help: string, labelNames: string[] = []) =>
      new Gauge({ name, help, labelNames, registers: [registry] })
    const storeGauge = (name: string, help: string, labelNames: string[] = []) =>
      new Gauge({ name, help, labelNames, registers: [registry], aggregator: OF_THE_STORE })
    this.#tasks = gauge('oqs_queue_tasks', 'Tasks in a queue, by state.', ['queue', 'state'])
    this.#memory = gauge('oqs_request_memory_bytes', 'Memory of requests, used and allowed.', [
      'kind',
    ])
    this.#cache = gauge('oqs_page_cache_bytes', 'The page cache, used and allowed.', ['kind'])
    const counter = (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers: [registry] })
    this.#cacheRequests = counter(
      'oqs_page_cache_requests_total',
      'Requests for pages that can be cached, by result: hit or miss.',
      ['result'],
    )
    this.#auditRecords = counter(
      'oqs_audit_records_total',
      'Records of the audit log, by result: stored, or dropped because there were too many.',
      ['result'],
    )
    this.#auditFailures = counter(
      'oqs_audit_failures_total',
      'Failed attempts to add records to the audit log.',
    )
    this.#waitingAuditRecords = gauge(
      'oqs_audit_waiting_records',
      'Records of the audit log that are not stored yet.',
    )
    this.#rewrites = storeGauge('oqs_rewrites', 'Types that are being rewritten, by phase.', [
      'phase',
    ])
    this.#isStoreUp = new Gauge({
      name: 'oqs_store_up',
      help: 'Whether the store replied when the metrics were read: 1 or 0.',
      registers: [registry],
      aggregator: 'min',
    })
    this.#storedBytes = storeGauge('oqs_stored_bytes', 'Bytes that the database takes on disk.')
    this.#objects = storeGauge('oqs_objects', 'Objects of a type.', TYPE_LABELS)
    this.#replacements = storeGauge('oqs_replacements', 'Replacements that are being loaded.')
    this.#tablesToRemove = storeGauge(
      'oqs_tables_to_remove',
      'Tables that maintenance still has to remove.',
    )
  }

  async update(): Promise<void> {
    const { queues, memory, readStatus } = this.#sources
    for (const [queue, { running, waiting }] of Object.entries(queues())) {
      this.#tasks.set({ queue, state: 'running' }, running)
      this.#tasks.set({ queue, state: 'waiting' }, waiting)
    }
    const { used, limit } = memory()
    this.#memory.set({ kind: 'used' }, used)
    this.#memory.set({ kind: 'limit' }, limit)
    this.#setAudit(this.#sources.audit?.())
    const status = await withinTime(readStatus()).catch(() => undefined)
    this.#isStoreUp.set(status === undefined ? 0 : 1)
    if (status !== undefined) this.#setStoreState(status)
  }

  #setAudit(state: AuditState = { stored: 0, dropped: 0, failures: 0, waiting: 0 }): void {
    setCounter(this.#auditRecords, { result: 'stored' }, state.stored)
    setCounter(this.#auditRecords, { result: 'dropped' }, state.dropped)
    setCounter(this.#auditFailures, {}, state.failures)
    this.#waitingAuditRecords.set(state.waiting)
  }

  #setStoreState(status: StoreStatus): void {
    this.#cache.set({ kind: 'used' }, status.pageCache.bytes)
    this.#cache.set({ kind: 'limit' }, status.pageCache.maxBytes)
    setCounter(this.#cacheRequests, { result: 'hit' }, status.pageCache.hits)
    setCounter(this.#cacheRequests, { result: 'miss' }, status.pageCache.misses)
    for (const phase of REWRITE_PHASES) {
      const inPhase = status.rewrites.filter((rewrite) => rewrite.phase === phase)
      this.#rewrites.set({ phase }, inPhase.length)
    }
    if (status.storedBytes !== undefined) this.#storedBytes.set(status.storedBytes)
    this.#replacements.set(status.replacements.length)
    this.#tablesToRemove.set(status.tablesToRemove)
    this.#setTypes(status)
  }

  #setTypes({ types, typeNames }: StoreStatus): void {
    // Types can be renamed or dropped.
    this.#objects.reset()
    for (const { typeRid, count } of types) {
      const { ontology, objectType: type } = typeNames.get(typeRid) ?? {}
      if (ontology !== undefined && type !== undefined) this.#objects.set({ ontology, type }, count)
    }
  }
}

/** Sets a counter to a number that is counted elsewhere. */
function setCounter(counter: Counter, labels: Readonly<Record<string, string>>, value: number) {
  counter.remove(labels)
  counter.inc(labels, value)
}

const REWRITE_PHASES = ['copying', 'indexing', 'catchingUp', 'failed'] as const
const TYPE_LABELS = ['ontology', 'type']
