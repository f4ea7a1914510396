/** Counts and times requests and maintenance, from the events that are logged. */
import type { Log, ServerEvent } from '../log.ts'
import { counters, type Labels, type MetricFamily, type MetricValue } from './metric-family.ts'

/** From a page that comes from memory to the longest query. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The series of requests with one route, method and status, each added with its first value. */
interface RequestSeries {
  readonly durations: AddToSeries
  readTimes?: AddToSeries
  writeTimes?: AddToSeries
  pages?: AddToSeries
  objects?: AddToSeries
  bytes?: AddToSeries
}

export class EventMetrics {
  readonly #requests = new Map<string, RequestSeries>()
  readonly #plans = new Map<string, AddToSeries>()
  readonly #all = {
    durations: new Series(
      'oqs_http_request_duration_seconds',
      'The time from the arrival of a request to the end of its response.',
      SECONDS,
    ),
    aborted: new Series(
      'oqs_http_requests_aborted_total',
      'Requests whose connection was closed before their response was complete.',
    ),
    readTimes: new Series(
      'oqs_store_read_duration_seconds',
      'The time that a request spent reading from the store, including the wait for its turn.',
      SECONDS,
    ),
    writeTimes: new Series(
      'oqs_store_write_duration_seconds',
      'The time that a request spent writing to the store, including the wait for its turn.',
      SECONDS,
    ),
    planTimes: new Series(
      'oqs_plan_duration_seconds',
      'The time that a store took to plan and read a page, by the kind of its plan.',
      SECONDS,
    ),
    pages: new Series('oqs_pages_total', 'Pages of objects that were sent.'),
    objects: new Series('oqs_page_objects_total', 'Objects in the pages that were sent.'),
    bytes: new Series('oqs_response_bytes_total', 'Bytes of response bodies, exports excluded.'),
    errors: new Series(
      'oqs_errors_total',
      'Requests that were answered with an error, by its name.',
    ),
    refusedTokens: new Series(
      'oqs_page_tokens_refused_total',
      'Page tokens that were refused, by reason.',
    ),
  }

  readonly #reclaims = { runs: 0, ms: 0, rows: 0, failed: 0 }
  readonly #verifications = { runs: 0, ms: 0, failed: 0 }

  /** Returns a log that also counts events. */
  observing(log: Log): Log {
    return (event) => {
      this.#observe(event)
      log(event)
    }
  }

  collect(): MetricFamily[] {
    const { rows, runs, ms, failed } = this.#reclaims
    const verified = this.#verifications
    const maintenance = counters({
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
    return [...Object.values(this.#all).map((series) => series.family()), ...maintenance]
  }

  #observe(event: ServerEvent): void {
    switch (event.event) {
      case 'requestFinished':
        this.#observeRequest(event)
        break
      case 'requestAborted':
        this.#all.aborted.of({ method: event.method, route: event.route })(1)
        break
      case 'pageRead':
        this.#observePlan(event.plan, event.planMs + event.sqlMs)
        break
      case 'pageTokenRefused':
        this.#all.refusedTokens.of({ reason: event.refusal })(1)
        break
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
    }
  }

  #observePlan(plan: string, milliseconds: number): void {
    const add = this.#plans.get(plan) ?? this.#all.planTimes.of({ plan })
    this.#plans.set(plan, add)
    add(milliseconds / 1000)
  }

  #observeRequest(finished: ServerEvent & { event: 'requestFinished' }): void {
    const { method, route, status, durationMs, objects, bytes, errorName } = finished
    const all = this.#all
    const key = `${status} ${method} ${route}`
    let series = this.#requests.get(key)
    if (series === undefined) {
      series = { durations: all.durations.of({ method, route, status }) }
      this.#requests.set(key, series)
    }
    series.durations(durationMs / 1000)
    const { storeMs, writeMs } = finished
    if (storeMs > writeMs) {
      series.readTimes ??= all.readTimes.of({ route })
      series.readTimes((storeMs - writeMs) / 1000)
    }
    if (writeMs > 0) {
      series.writeTimes ??= all.writeTimes.of({ route })
      series.writeTimes(writeMs / 1000)
    }
    if (bytes !== undefined) {
      series.bytes ??= all.bytes.of({ route })
      series.bytes(bytes)
    }
    if (errorName !== undefined) all.errors.of({ error: errorName })(1)
    else if (objects !== undefined) {
      series.pages ??= all.pages.of({ route })
      series.pages(1)
      series.objects ??= all.objects.of({ route })
      series.objects(objects)
    }
  }
}

/** Adds a value to a series. */
type AddToSeries = (value: number) => void

interface Distribution {
  readonly labels: Labels
  /** The number of values in each bucket, without those of smaller buckets; the last has no bound. */
  readonly counts: number[]
  sum: number
}

/**
 * A counter, or with bounds a histogram, with one series for each combination of labels. Those of
 * prom-client validate and hash the labels of each value, which costs several percent of a small page.
 * Here, callers keep the function that adds values to a series.
 */
class Series {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[] | undefined
  readonly #series = new Map<string, Distribution>()

  constructor(name: string, help: string, bounds?: readonly number[]) {
    this.#name = name
    this.#help = help
    this.#bounds = bounds
  }

  /** Returns the function that adds to the series with these labels. */
  of(labels: Labels): AddToSeries {
    const key = JSON.stringify(labels)
    const bounds = this.#bounds ?? []
    const counts = Array<number>(bounds.length + 1).fill(0)
    const series: Distribution = this.#series.get(key) ?? { labels, counts, sum: 0 }
    this.#series.set(key, series)
    return (value) => {
      const bucket = bounds.findIndex((bound) => value <= bound)
      const index = bucket === -1 ? bounds.length : bucket
      series.counts[index] = (series.counts[index] ?? 0) + 1
      series.sum += value
    }
  }

  family(): MetricFamily {
    const series = [...this.#series.values()]
    const shared = { name: this.#name, help: this.#help, aggregator: 'sum' as const }
    const bounds = this.#bounds
    if (bounds === undefined) {
      const values = series.map(({ labels, sum }) => ({ labels, value: sum }))
      return { ...shared, type: 'counter', values }
    }
    const values = series.flatMap((one) => histogramValues(one, bounds, this.#name))
    return { ...shared, type: 'histogram', values }
  }
}

function histogramValues(
  { labels, counts, sum }: Distribution,
  bounds: readonly number[],
  name: string,
): MetricValue[] {
  let count = 0
  const buckets = counts.map((inBucket, index): MetricValue => {
    count += inBucket
    const le = bounds[index] ?? '+Inf'
    return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket` }
  })
  return [
    ...buckets,
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}
