/** Builds aggregation requests from named metrics, and names the metrics of the result. */
import type { AggregateResponse } from '../endpoints/revision-1.ts'
import type { AggregationResult } from '../types/aggregate.ts'

interface WithField {
  readonly field?: string
}

export interface AggregationSpec {
  readonly metrics: Readonly<Record<string, object>>
  readonly groupBy?: readonly object[]
}

export function toAggregateRequest(
  { metrics, groupBy = [] }: AggregationSpec,
  writeField: (property: string) => object,
) {
  const withField = ({ field, ...rest }: WithField) => ({
    ...rest,
    ...(field === undefined ? {} : writeField(field)),
  })
  return {
    aggregation: Object.entries(metrics).map(([name, metric]) => ({ ...withField(metric), name })),
    groupBy: groupBy.map(withField),
  }
}

export function toAggregationResult({
  data,
  ...rest
}: AggregateResponse): AggregationResult<string, string> {
  return {
    ...rest,
    data: data.map(({ group, metrics }) => ({
      group,
      metrics: Object.fromEntries(metrics.map(({ name, value }) => [name, value])),
    })),
  }
}
