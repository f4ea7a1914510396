/**
 * The use of CPU, memory and the main thread by this process. `collectDefaultMetrics` of prom-client
 * has more, but its observers cannot be stopped.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

const DELAY_RESOLUTION_MS = 10

export class ProcessMetrics implements Disposable {
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })

  constructor(registry: Registry) {
    this.#delay.enable()
    const registers = [registry]
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    const counter = (name: string, help: string, read: () => number) =>
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    counter('process_cpu_seconds_total', 'CPU time of the process, all threads.', () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    })
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', () =>
      process.memoryUsage.rss(),
    )
    gauge(
      'nodejs_heap_size_used_bytes',
      'Memory used by JavaScript objects.',
      () => process.memoryUsage().heapUsed,
    )
    counter('nodejs_event_loop_busy_seconds_total', 'Time that the main thread was busy.', () => {
      return performance.eventLoopUtilization().active / 1000
    })
    const delay = new Gauge({
      name: 'nodejs_event_loop_delay_seconds',
      help: 'Delay of the main thread since the last scrape.',
      labelNames: ['quantile'],
      registers,
      aggregator: 'max',
      collect: () => {
        for (const quantile of [0.5, 0.99, 1]) {
          // The timer fires after its resolution at the earliest.
          const delayMs = this.#delay.percentile(100 * quantile) / 1e6 - DELAY_RESOLUTION_MS
          delay.set({ quantile }, Math.max(0, delayMs) / 1000)
        }
        this.#delay.reset()
      },
    })
  }

  [Symbol.dispose](): void {
    this.#delay.disable()
  }
}
