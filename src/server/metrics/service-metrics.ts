/** The metrics of one process, and their text for Prometheus. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { AggregatorRegistry, type Registry } from 'prom-client'
import type { Log } from '../log.ts'
import { readCommit, readVersion } from '../release.ts'
import { EventMetrics } from './event-metrics.ts'
import { counter, gauge, type MetricFamily } from './metric-family.ts'
import { StateMetrics, type StateSources } from './state-metrics.ts'

/** The metrics of a process as data, which a supervisor can send to another process. */
export type CollectedMetrics = readonly MetricFamily[]

export const METRICS_CONTENT_TYPE = aggregate([]).contentType

const DELAY_RESOLUTION_MS = 10

export class ServiceMetrics implements Disposable {
  readonly #events = new EventMetrics()
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  readonly #build = { version: readVersion(), commit: readCommit() ?? 'unknown' }
  #state: StateMetrics | undefined

  constructor() {
    this.#delay.enable()
  }

  /** Returns a log that also counts events. */
  observing(log: Log): Log {
    return this.#events.observing(log)
  }

  /** Adds the state of the service, which is read whenever the metrics are. */
  watch(sources: StateSources): void {
    this.#state = new StateMetrics(sources)
  }

  async collect(): Promise<CollectedMetrics> {
    return [
      ...this.#events.collect(),
      ...this.#process(),
      ...((await this.#state?.collect()) ?? []),
    ]
  }

  [Symbol.dispose](): void {
    this.#delay.disable()
  }

  /** `collectDefaultMetrics` of prom-client has more, but its observers cannot be stopped. */
  #process(): MetricFamily[] {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    const busySeconds = performance.eventLoopUtilization().active / 1000
    const delays = [50, 99, 100].map((percentile) => {
      // The timer fires after its resolution at the earliest.
      const delayMs = this.#delay.percentile(percentile) / 1e6 - DELAY_RESOLUTION_MS
      return [{ percentile }, Math.max(0, delayMs) / 1000] as const
    })
    this.#delay.reset()
    return [
      counter(
        'process_cpu_seconds_total',
        'CPU time of the process, all threads.',
        (user + system) / 1e6,
      ),
      gauge('oqs_build_info', 'The release, as labels.', [[this.#build, 1]], 'first'),
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
