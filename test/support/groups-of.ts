import type { AggregateResult } from '../../src/store/object-store.ts'

/** Returns the groups of an aggregation, with keys as JSON and metrics as numbers. */
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
