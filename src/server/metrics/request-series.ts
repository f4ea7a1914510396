/**
 * Metrics that change with every request. Those of prom-client validate and hash the labels each
 * time, which costs several percent of a small page. These look a series up by one text.
 */
import type { Metric, MetricObject, Registry } from 'prom-client'

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

/** A counter with one series for each combination of labels. */
export class SeriesCounter {
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>()

  constructor(registry: Registry, options: SeriesOptions) {
    register(registry, options, 'counter', () => [...this.#series.values()])
  }

  /** The key identifies the labels. */
  add(key: string, labels: Labels, value: number): void {
    const known = this.#series.get(key)
    if (known === undefined) this.#series.set(key, { labels, value })
    else known.value += value
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
  readonly #series = new Map<string, Distribution>()

  constructor(registry: Registry, options: SeriesOptions & { readonly bounds: readonly number[] }) {
    this.#bounds = options.bounds
    register(registry, options, 'histogram', () =>
      [...this.#series.values()].flatMap((series) => this.#valuesOf(series, options.name)),
    )
  }

  /** The key identifies the labels. */
  observe(key: string, labels: Labels, value: number): void {
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { labels, counts: Array<number>(this.#bounds.length + 1).fill(0), sum: 0 }
      this.#series.set(key, series)
    }
    const bucket = this.#bounds.findIndex((bound) => value <= bound)
    const index = bucket === -1 ? this.#bounds.length : bucket
    series.counts[index] = (series.counts[index] ?? 0) + 1
    series.sum += value
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
  const metric = {
    name,
    get: async () =>
      ({ name, help, type, values: values(), aggregator: 'sum' }) as unknown as MetricObject,
  }
  registry.registerMetric(metric as unknown as Metric)
}
