/** Puts groups in order, and drops those beyond the maxima of their groupings. */
import type { Grouping, Metric } from '../../../query/aggregation/aggregation.ts'
import type { Accumulator } from './accumulator.ts'
import type { GroupKeys } from './group-keys.ts'
import { compareNumbers } from './sums.ts'

export interface FoundGroup {
  readonly group: number
  /** The number of its objects. */
  readonly count: number
  /** The codes of its keys. */
  readonly codes: readonly number[]
}

/** The groups that are left, in order. */
export interface FoundGroups {
  readonly groups: readonly FoundGroup[]
  /** Objects in groups that were dropped; undefined if no grouping has a maximum. */
  readonly excludedItems: number | undefined
  /** The values of the keys of a group, as JSON texts. */
  readonly keysOf: (group: FoundGroup) => string[]
  /** The values of its metrics; undefined for one without a value. */
  readonly metricsOf: (group: FoundGroup) => (string | undefined)[]
}

export interface GroupedMetrics {
  readonly keys: readonly GroupKeys[]
  readonly groupings: readonly Grouping[]
  readonly metrics: readonly Metric[]
  readonly accumulators: readonly (Accumulator | 'count')[]
}

type Compare = (a: FoundGroup, b: FoundGroup) => number

export function sortGroups(groups: readonly FoundGroup[], grouped: GroupedMetrics): FoundGroups {
  const { keys, groupings, accumulators } = grouped
  const byMetrics = metricOrders(grouped)
  const byKeys = keys.map((_, level) => keyOrder(keys, level))
  const sorted = groups.toSorted((a, b) => firstDifference([...byMetrics, ...byKeys], a, b))
  const kept = keptGroups(sorted, groupings, byMetrics, byKeys)
  const objects = (list: readonly FoundGroup[]) => list.reduce((sum, { count }) => sum + count, 0)
  return {
    groups: kept,
    excludedItems: groupings.some((grouping) => maxOf(grouping) !== undefined)
      ? objects(groups) - objects(kept)
      : undefined,
    keysOf: ({ codes }) => keys.map(({ json }, level) => json(codes[level] ?? 0)),
    metricsOf: ({ group, count }) =>
      accumulators.map((one) => (one === 'count' ? String(count) : one.json(group))),
  }
}

function maxOf(grouping: Grouping): number | undefined {
  return grouping.kind === 'exact' ? grouping.maxGroups : undefined
}

function firstDifference(orders: readonly Compare[], a: FoundGroup, b: FoundGroup): number {
  for (const compare of orders) {
    const difference = compare(a, b)
    if (difference !== 0) return difference
  }
  return 0
}

/** The orders by metrics; groups without a value come last. */
function metricOrders({ metrics, accumulators }: GroupedMetrics): Compare[] {
  return metrics.flatMap((metric, index): Compare[] => {
    const { direction } = metric
    const one = accumulators[index]
    if (direction === undefined || one === undefined) return []
    const sign = direction === 'desc' ? -1 : 1
    if (one === 'count') return [(a, b) => sign * (a.count - b.count)]
    return [
      (a, b) => {
        const [left, right] = [one.json(a.group), one.json(b.group)]
        if (left === undefined || right === undefined) {
          return Number(left === undefined) - Number(right === undefined)
        }
        return sign * one.compare(a.group, b.group)
      },
    ]
  })
}

function keyOrder(keys: readonly GroupKeys[], level: number): Compare {
  const rankOf = keys[level]?.ranks() ?? (() => 0)
  const order = (found: FoundGroup) => rankOf(found.codes[level] ?? 0)
  return (a, b) => {
    const [left, right] = [order(a), order(b)]
    return left === undefined || right === undefined
      ? Number(left === undefined) - Number(right === undefined)
      : compareNumbers(left, right)
  }
}

/** Keeps the largest groups of each grouping with a maximum, within each outer group. */
function keptGroups(
  sorted: readonly FoundGroup[],
  groupings: readonly Grouping[],
  byMetrics: readonly Compare[],
  byKeys: readonly Compare[],
): readonly FoundGroup[] {
  const kept = groupings.map((grouping, level) => {
    const max = maxOf(grouping)
    return max === undefined ? undefined : largestGroups(sorted, level, max, byMetrics, byKeys)
  })
  return sorted.filter(({ codes }) =>
    kept.every((names, level) => names === undefined || names.has(nameOf(codes, level))),
  )
}

/** Identifies the group of a level that a group belongs to. */
function nameOf(codes: readonly number[], level: number): string {
  return codes.slice(0, level + 1).join()
}

function largestGroups(
  sorted: readonly FoundGroup[],
  level: number,
  max: number,
  byMetrics: readonly Compare[],
  byKeys: readonly Compare[],
): ReadonlySet<string> {
  const ofLevel = new Map<string, { first: FoundGroup; count: number }>()
  for (const found of sorted) {
    const name = nameOf(found.codes, level)
    const known = ofLevel.get(name)
    if (known === undefined) ofLevel.set(name, { first: found, count: found.count })
    else known.count += found.count
  }
  const siblings = Map.groupBy(ofLevel, ([, { first }]) => nameOf(first.codes, level - 1))
  const byKey = byKeys[level] ?? (() => 0)
  return new Set(
    [...siblings.values()].flatMap((entries) =>
      entries
        .sort(([, a], [, b]) =>
          byMetrics.length > 0
            ? firstDifference([...byMetrics, byKey], a.first, b.first)
            : b.count - a.count || byKey(a.first, b.first),
        )
        .slice(0, max)
        .map(([name]) => name),
    ),
  )
}
