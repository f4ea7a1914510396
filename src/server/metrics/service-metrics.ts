/** The metrics of one process, and their text for Prometheus. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Log, ServerEvent } from '../log.ts'
import { counter, counters, gauge, type MetricFamily } from './metric-family.ts'
import { RequestMetrics } from './request-metrics.ts'
import { StateMetrics, type StateSources } from './state-metrics.ts'

/** The metrics of a process as data, which a supervisor can send to another process. */
export type CollectedMetrics = readonly MetricFamily[]

export const METRICS_CONTENT_TYPE = aggregate([]).contentType

const DELAY_RESOLUTION_MS = 10

export class ServiceMetrics implements Disposable {
  readonly #requests = new RequestMetrics()
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  readonly #reclaims = { runs: 0, ms: 0, rows: 0, failed: 0 }
  readonly #verifications = { runs: 0, ms: 0, failed: 0 }
  #state: StateMetrics | undefined

  constructor() {
    this.#delay.enable()
  }

  /** Returns a log that also counts events. */
  observing(log: Log): Log {
    return (event) => {
      this.#observe(event)
      log(event)
    }
  }

  #observe(event: ServerEvent): void {
    switch (event.event) {
      case 'reclaimed':
        this.#reclaims.runs += 1
        this.#reclaims.ms += event.durationMs
        this.#reclaims.rows += event.rows
        break
      case 'reclaimFailed':
        this.#reclaims.failed += 1
        break
      case 'verified':
        this.#verifications.runs += 1
        this.#verifications.ms += event.durationMs
        break
      case 'verificationFailed':
        this.#verifications.failed += 1
        break
      case 'requestFinished':
      case 'pageRead':
      case 'pageTokenRefused':
        this.#requests.observe(event)
    }
  }

  /** Adds the state of the service, which is read whenever the metrics are. */
  watch(sources: StateSources): void {
    this.#state = new StateMetrics(sources)
  }

  async collect(): Promise<CollectedMetrics> {
    return [
      ...this.#requests.collect(),
      ...this.#maintenance(),
      ...this.#process(),
      ...((await this.#state?.collect()) ?? []),
    ]
  }

  [Symbol.dispose](): void {
    this.#delay.disable()
  }

  #maintenance(): MetricFamily[] {
    const { rows, runs, ms, failed } = this.#reclaims
    const verified = this.#verifications
    return counters({
      oqs_reclaimed_rows_total: ['Deleted row versions that no snapshot needs.', rows],
      oqs_reclaims_total: ['Runs of maintenance that deleted something.', runs],
      oqs_reclaim_seconds_total: ['The time that these runs of maintenance took.', ms / 1000],
      oqs_failed_reclaims_total: ['Failed attempts to delete row versions.', failed],
      oqs_verifications_total: ['Runs of verification that found no damage.', verified.runs],
      oqs_verification_seconds_total: [
        'The time that these runs of verification took.',
        verified.ms / 1000,
      ],
      oqs_failed_verifications_total: [
        'Runs of verification that failed before their end, for another reason than damage.',
        verified.failed,
      ],
    })
  }

  /** `collectDefaultMetrics` of prom-client has more, but its observers cannot be stopped. */
  #process(): MetricFamily[] {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    const busySeconds = performance.eventLoopUtilization().active / 1000
    const delays = [0.5, 0.99, 1].map((quantile) => {
      // The timer fires after its resolution at the earliest.
      const delayMs = this.#delay.percentile(100 * quantile) / 1e6 - DELAY_RESOLUTION_MS
      return [{ quantile }, Math.max(0, delayMs) / 1000] as const
    })
    this.#delay.reset()
    return [
      counter(
        'process_cpu_seconds_total',
        'CPU time of the process, all threads.',
        (user + system) / 1e6,
      ),
      gauge('process_resident_memory_bytes', 'Resident memory of the process.', rss),
      gauge('nodejs_heap_size_used_bytes', 'Memory used by JavaScript objects.', heapUsed),
      counter(
        'nodejs_event_loop_busy_seconds_total',
        'Time that the main thread was busy.',
        busySeconds,
      ),
      gauge(
        'nodejs_event_loop_delay_seconds',
        'Delay of the main thread since the last scrape.',
        delays,
        'max',
      ),
    ]
  }
}

/** Adds up the metrics of several processes. */
export async function addUpMetrics(
  processes: readonly CollectedMetrics[],
): Promise<CollectedMetrics> {
  const added: unknown = await aggregate(processes).getMetricsAsJSON()
  return added as CollectedMetrics
}

/** Returns the text of the metrics of all processes of one service. */
export async function renderMetrics(processes: readonly CollectedMetrics[]): Promise<string> {
  return await aggregate(processes).metrics()
}

/** Drops the gauges of a process that has ended; its counters still count. */
export function withoutGauges(collected: CollectedMetrics): CollectedMetrics {
  return collected.filter(({ type }) => type !== 'gauge')
}

function aggregate(processes: readonly CollectedMetrics[]): Registry {
  return AggregatorRegistry.aggregate([...processes])
}
