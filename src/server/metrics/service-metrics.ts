/** The metrics of one process, and their text for Prometheus. */
import { AggregatorRegistry, Counter, type MetricObject, Registry } from 'prom-client'
import type { Metrics } from '../../http/metrics-source.ts'
import type { ServerEvent } from '../log.ts'
import { ProcessMetrics } from './process-metrics.ts'
import { RequestMetrics } from './request-metrics.ts'
import { StateMetrics, type StateSources } from './state-metrics.ts'

/** The metrics of a process as data, which a supervisor can send to another process. */
export type CollectedMetrics = readonly MetricObject[]

export class ServiceMetrics implements Disposable {
  readonly #registry = new Registry()
  readonly #requests = new RequestMetrics(this.#registry)
  readonly #process = new ProcessMetrics(this.#registry)
  readonly #reclaimedRows: Counter
  readonly #reclaims: Counter
  readonly #reclaimSeconds: Counter
  readonly #failedReclaims: Counter
  readonly #verifications: Counter
  readonly #verificationSeconds: Counter
  readonly #failedVerifications: Counter
  #state: StateMetrics | undefined

  constructor() {
    const registers = [this.#registry]
    this.#reclaimedRows = new Counter({
      name: 'oqs_reclaimed_rows_total',
      help: 'Deleted row versions that no snapshot needs.',
      registers,
    })
    this.#reclaims = new Counter({
      name: 'oqs_reclaims_total',
      help: 'Runs of maintenance that deleted something.',
      registers,
    })
    this.#reclaimSeconds = new Counter({
      name: 'oqs_reclaim_seconds_total',
      help: 'The time that these runs of maintenance took.',
      registers,
    })
    this.#failedReclaims = new Counter({
      name: 'oqs_failed_reclaims_total',
      help: 'Failed attempts to delete row versions.',
      registers,
    })
    this.#verifications = new Counter({
      name: 'oqs_verifications_total',
      help: 'Runs of verification that found no damage.',
      registers,
    })
    this.#verificationSeconds = new Counter({
      name: 'oqs_verification_seconds_total',
      help: 'The time that these runs of verification took.',
      registers,
    })
    this.#failedVerifications = new Counter({
      name: 'oqs_failed_verifications_total',
      help: 'Runs of verification that failed before their end, for another reason than damage.',
      registers,
    })
  }

  get contentType(): Metrics['contentType'] {
    return this.#registry.contentType
  }

  readonly observe = (event: ServerEvent): void => {
    switch (event.event) {
      case 'reclaimed':
        this.#reclaims.inc()
        this.#reclaimSeconds.inc(event.durationMs / 1000)
        this.#reclaimedRows.inc(event.rows)
        break
      case 'reclaimFailed':
        this.#failedReclaims.inc()
        break
      case 'verified':
        this.#verifications.inc()
        this.#verificationSeconds.inc(event.durationMs / 1000)
        break
      case 'verificationFailed':
        this.#failedVerifications.inc()
        break
      case 'requestFinished':
      case 'pageRead':
      case 'pageTokenRefused':
        this.#requests.observe(event)
    }
  }

  /** Adds the state of the service, which is read whenever the metrics are. */
  watch(sources: StateSources): void {
    this.#state = new StateMetrics(this.#registry, sources)
  }

  async collect(): Promise<CollectedMetrics> {
    await this.#state?.update()
    return await this.#registry.getMetricsAsJSON()
  }

  [Symbol.dispose](): void {
    this.#process[Symbol.dispose]()
  }
}

/** Adds up the metrics of several processes. */
export async function addUpMetrics(
  processes: readonly CollectedMetrics[],
): Promise<CollectedMetrics> {
  return await aggregate(processes).getMetricsAsJSON()
}

/** Returns the text of the metrics of all processes of one service. */
export async function renderMetrics(processes: readonly CollectedMetrics[]): Promise<string> {
  return await aggregate(processes).metrics()
}

/** Drops the gauges of a process that has ended; its counters still count. */
export function withoutGauges(collected: CollectedMetrics): CollectedMetrics {
  return collected.filter(({ type }) => String(type) !== 'gauge')
}

function aggregate(processes: readonly CollectedMetrics[]): Registry {
  return AggregatorRegistry.aggregate([...processes])
}
