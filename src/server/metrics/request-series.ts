/**
 * Metrics that change with every request. Those of prom-client validate and hash the labels each
 * time, which costs several percent of a small page. Here, callers add a series once, and keep the
 * function that adds values to it.
 */
import type { Metric, Registry } from 'prom-client'

export type Labels = Readonly<Record<string, string | number>>

interface Value {
  readonly value: number
  readonly labels: Labels
  readonly metricName?: string
}

export interface SeriesOptions {
  readonly name: string
  readonly help: string
}

/** Adds a value to a series. */
export type AddToSeries = (value: number) => void

/** A counter with one series for each combination of labels. */
export class SeriesCounter {
  readonly #series: { readonly labels: Labels; value: number }[] = []

  constructor(registry: Registry, options: SeriesOptions) {
    register(registry, options, 'counter', () => [...this.#series])
  }

  /** Adds a series, whose labels no other may have. */
  addSeries(labels: Labels): AddToSeries {
    const series = { labels, value: 0 }
    this.#series.push(series)
    return (value) => {
      series.value += value
    }
  }
}

interface Distribution {
  readonly labels: Labels
  /** The number of values in each bucket, without those of smaller buckets; the last has no bound. */
  readonly counts: number[]
  sum: number
}

/** A histogram with one series for each combination of labels. */
export class SeriesHistogram {
  readonly #bounds: readonly number[]
  readonly #series: Distribution[] = []

  constructor(registry: Registry, options: SeriesOptions & { readonly bounds: readonly number[] }) {
    this.#bounds = options.bounds
    register(registry, options, 'histogram', () =>
      this.#series.flatMap((series) => this.#valuesOf(series, options.name)),
    )
  }

  /** Adds a series, whose labels no other may have. */
  addSeries(labels: Labels): AddToSeries {
    const counts = Array<number>(this.#bounds.length + 1).fill(0)
    const series: Distribution = { labels, counts, sum: 0 }
    this.#series.push(series)
    return (value) => {
      const bucket = this.#bounds.findIndex((bound) => value <= bound)
      const index = bucket === -1 ? this.#bounds.length : bucket
      counts[index] = (counts[index] ?? 0) + 1
      series.sum += value
    }
  }

  #valuesOf({ labels, counts, sum }: Distribution, name: string): Value[] {
    let count = 0
    const buckets = counts.map((inBucket, index): Value => {
      count += inBucket
      const le = this.#bounds[index] ?? '+Inf'
      return { labels: { le, ...labels }, value: count, metricName: `${name}_bucket` }
    })
    return [
      ...buckets,
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: count, metricName: `${name}_count` },
    ]
  }
}

/** Registers an object with the members that a registry reads from a metric. */
function register(
  registry: Registry,
  { name, help }: SeriesOptions,
  type: 'counter' | 'histogram',
  values: () => readonly Value[],
): void {
  const metric: unknown = {
    name,
    get: async () => ({ name, help, type, values: values(), aggregator: 'sum' }),
  }
  registry.registerMetric(metric as Metric)
}
