/** Metrics as the data that prom-client aggregates and renders. */

export type Labels = Readonly<Record<string, string | number>>

export interface MetricValue {
  readonly value: number
  readonly labels: Labels
  readonly metricName?: string
}

/** All series of one metric. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly values: readonly MetricValue[]
  /** How the values of several processes become one. */
  readonly aggregator: 'sum' | 'first' | 'min' | 'max'
}

/** A number, or one for each combination of labels. */
type Numbers = number | readonly (readonly [Labels, number])[]

function toValues(numbers: Numbers): readonly MetricValue[] {
  const pairs = typeof numbers === 'number' ? [[{}, numbers] as const] : numbers
  return pairs.map(([labels, value]) => ({ labels, value }))
}

export function counter(name: string, help: string, numbers: Numbers): MetricFamily {
  return { name, help, type: 'counter', values: toValues(numbers), aggregator: 'sum' }
}

/** Returns counters by name, each with its help and its numbers. */
export function counters(
  all: Readonly<Record<string, readonly [help: string, numbers: Numbers]>>,
): MetricFamily[] {
  return Object.entries(all).map(([name, [help, numbers]]) => counter(name, help, numbers))
}

export function gauge(
  name: string,
  help: string,
  numbers: Numbers,
  aggregator: MetricFamily['aggregator'] = 'sum',
): MetricFamily {
  return { name, help, type: 'gauge', values: toValues(numbers), aggregator }
}
