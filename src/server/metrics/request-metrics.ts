/** Counts and times requests, from the events that the HTTP layer reports. */
import { Counter, type Registry } from 'prom-client'
import type { HttpEvent } from '../../http/events.ts'
import { SeriesCounter, SeriesHistogram } from './request-series.ts'

/** From a page that comes from memory to the longest query. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export class RequestMetrics {
  readonly #durations: SeriesHistogram
  readonly #storeTimes: SeriesHistogram
  readonly #planTimes: SeriesHistogram
  readonly #pages: SeriesCounter
  readonly #objects: SeriesCounter
  readonly #bytes: SeriesCounter
  readonly #errors: Counter
  readonly #refusedTokens: Counter

  constructor(registry: Registry) {
    const registers = [registry]
    this.#durations = new SeriesHistogram(registry, {
      name: 'oqs_http_request_duration_seconds',
      help: 'The time from the arrival of a request to the end of its response.',
      bounds: SECONDS,
    })
    this.#storeTimes = new SeriesHistogram(registry, {
      name: 'oqs_store_read_duration_seconds',
      help: 'The time that a request spent reading from the store, including the wait for its turn.',
      bounds: SECONDS,
    })
    this.#planTimes = new SeriesHistogram(registry, {
      name: 'oqs_plan_duration_seconds',
      help: 'The time that a store took to plan and read a page, by the kind of its plan.',
      bounds: SECONDS,
    })
    this.#pages = new SeriesCounter(registry, {
      name: 'oqs_pages_total',
      help: 'Pages of objects that were sent.',
    })
    this.#objects = new SeriesCounter(registry, {
      name: 'oqs_page_objects_total',
      help: 'Objects in the pages that were sent.',
    })
    this.#bytes = new SeriesCounter(registry, {
      name: 'oqs_response_bytes_total',
      help: 'Bytes of response bodies, exports excluded.',
    })
    this.#errors = new Counter({
      name: 'oqs_errors_total',
      help: 'Requests that were answered with an error, by its name.',
      labelNames: ['error'],
      registers,
    })
    this.#refusedTokens = new Counter({
      name: 'oqs_page_tokens_refused_total',
      help: 'Page tokens that were refused, by reason.',
      labelNames: ['reason'],
      registers,
    })
  }

  observe(event: HttpEvent): void {
    if (event.event === 'pageTokenRefused') this.#refusedTokens.inc({ reason: event.refusal })
    if (event.event === 'pageRead') {
      const { plan, planMs, sqlMs } = event
      this.#planTimes.observe(plan, { plan }, (planMs + sqlMs) / 1000)
    }
    if (event.event === 'requestFinished') this.#observeRequest(event)
  }

  #observeRequest(finished: HttpEvent & { event: 'requestFinished' }): void {
    const { method, route, status, durationMs, storeMs, objects, bytes, errorName } = finished
    const labels = { method, route, status }
    this.#durations.observe(`${method} ${status} ${route}`, labels, durationMs / 1000)
    const ofRoute = { route }
    if (storeMs > 0) this.#storeTimes.observe(route, ofRoute, storeMs / 1000)
    if (bytes !== undefined) this.#bytes.add(route, ofRoute, bytes)
    if (errorName !== undefined) this.#errors.inc({ error: errorName })
    if (objects !== undefined && errorName === undefined) {
      this.#pages.add(route, ofRoute, 1)
      this.#objects.add(route, ofRoute, objects)
    }
  }
}
