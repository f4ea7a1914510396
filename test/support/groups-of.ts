import type { AggregateResult, Reclaimed } from '../../src/store/object-store.ts'

/** Returns the groups of an aggregation, with keys as JSON and metrics as numbers. */
export function groupsOf(result: AggregateResult | Reclaimed) {
  if (result === 'reclaimed') throw new Error('the version was reclaimed')
  const { records } = result
  const groups = JSON.parse(`[${Buffer.concat(records)}]`) as {
    group: Record<string, unknown>
    metrics: { value?: number | string }[]
  }[]
  return groups.map(({ group, metrics }) => ({
    keys: Object.values(group).map((key) => JSON.stringify(key)),
    metrics: metrics.map(({ value }) => (value === undefined ? undefined : Number(value))),
  }))
}
