/**
 * Metrics as the data that prom-client aggregates and renders. Its own counters validate and hash the
 * labels of each value, which costs several percent of a small page. Here, callers keep the function
 * that adds values to a series.
 */

export type Labels = Readonly<Record<string, string | number>>

interface Value {
  readonly value: number
  readonly labels: Labels
  readonly metricName?: string
}

/** All series of one metric. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly values: readonly Value[]
  /** How the values of several processes become one. */
  readonly aggregator: 'sum' | 'first' | 'min' | 'max'
}

/** A number, or one for each combination of labels. */
type Numbers = number | readonly (readonly [Labels, number])[]

function toValues(numbers: Numbers): readonly Value[] {
  const pairs = typeof numbers === 'number' ? [[{}, numbers] as const] : numbers
  return pairs.map(([labels, value]) => ({ labels, value }))
}

export function counter(name: string, help: string, numbers: Numbers): MetricFamily {
  return { name, help, type: 'counter', values: toValues(numbers), aggregator: 'sum' }
}

export function gauge(
  name: string,
  help: string,
  numbers: Numbers,
  aggregator: MetricFamily['aggregator'] = 'sum',
): MetricFamily {
  return { name, help, type: 'gauge', values: toValues(numbers), aggregator }
}

/** Adds a value to a series. */
export type AddToSeries = (value: number) => void

interface Distribution {
  readonly labels: Labels
  /** The number of values in each bucket, without those of smaller buckets; the last has no bound. */
  readonly counts: number[]
  sum: number
}

/** A counter, or with bounds a histogram, with one series for each combination of labels. */
export class Series {
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
): Value[] {
  let count = 0
  const buckets = counts.map((inBucket, index): Value => {
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
