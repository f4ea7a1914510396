import type { AggregateResult } from '../../src/store/object-store.ts'

/** The groups of an aggregation: what names each, as JSON, and its metrics as numbers. */
export function groupsOf({ records }: AggregateResult) {
  const groups = JSON.parse(`[${Buffer.from(records)}]`) as {
    group: Record<string, unknown>
    metrics: { value?: number | string }[]
  }[]
  return groups.map(({ group, metrics }) => ({
    keys: Object.values(group).map((key) => JSON.stringify(key)),
    metrics: metrics.map(({ value }) => (value === undefined ? undefined : Number(value))),
  }))
}
