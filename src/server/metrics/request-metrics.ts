/** Counts and times requests, from the events that the HTTP layer reports. */
import { Counter, type Registry } from 'prom-client'
import type { HttpEvent } from '../../http/events.ts'
import { type AddToSeries, SeriesCounter, SeriesHistogram } from './request-series.ts'

/** From a page that comes from memory to the longest query. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The series of one route, each added with its first value. */
interface RouteSeries {
  readonly durations: {
    readonly method: string
    readonly status: number
    readonly add: AddToSeries
  }[]
  storeTimes?: AddToSeries
  pages?: AddToSeries
  objects?: AddToSeries
  bytes?: AddToSeries
}

export class RequestMetrics {
  readonly #routes = new Map<string, RouteSeries>()
  readonly #plans = new Map<string, AddToSeries>()
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
    if (event.event === 'pageRead') this.#observePlan(event.plan, event.planMs + event.sqlMs)
    if (event.event === 'requestFinished') this.#observeRequest(event)
  }

  #observePlan(plan: string, milliseconds: number): void {
    let add = this.#plans.get(plan)
    if (add === undefined) {
      add = this.#planTimes.addSeries({ plan })
      this.#plans.set(plan, add)
    }
    add(milliseconds / 1000)
  }

  #observeRequest(finished: HttpEvent & { event: 'requestFinished' }): void {
    const { method, route, status, durationMs, storeMs, objects, bytes, errorName } = finished
    let series = this.#routes.get(route)
    if (series === undefined) {
      series = { durations: [] }
      this.#routes.set(route, series)
    }
    this.#durationsOf(series, { method, route, status })(durationMs / 1000)
    if (storeMs > 0) {
      series.storeTimes ??= this.#storeTimes.addSeries({ route })
      series.storeTimes(storeMs / 1000)
    }
    if (bytes !== undefined) {
      series.bytes ??= this.#bytes.addSeries({ route })
      series.bytes(bytes)
    }
    if (errorName !== undefined) this.#errors.inc({ error: errorName })
    if (objects !== undefined && errorName === undefined) {
      series.pages ??= this.#pages.addSeries({ route })
      series.pages(1)
      series.objects ??= this.#objects.addSeries({ route })
      series.objects(objects)
    }
  }

  /** Searches a list, because a route has few pairs of method and status. */
  #durationsOf(
    { durations }: RouteSeries,
    labels: { readonly method: string; readonly route: string; readonly status: number },
  ): AddToSeries {
    const { method, status } = labels
    for (const known of durations) {
      if (known.status === status && known.method === method) return known.add
    }
    const add = this.#durations.addSeries(labels)
    durations.push({ method, status, add })
    return add
  }
}
