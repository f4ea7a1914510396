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

export function sortGroups(found: Iterable<FoundGroup>, grouped: GroupedMetrics): FoundGroups {
  const { keys, groupings, accumulators } = grouped
  const byMetrics = metricOrders(grouped)
  const byKeys = keys.map((_, level) => keyOrder(keys, level))
  let objects = 0
  const all = Iterator.from(found).map((group) => {
    objects += group.count
    return group
  })
  const order: Compare = (a, b) => firstDifference([...byMetrics, ...byKeys], a, b)
  const [only, ...others] = groupings
  const max = only === undefined || others.length > 0 ? undefined : maxOf(only)
  const kept =
    max === undefined
      ? keptGroups([...all].sort(order), groupings, byKeys)
      : firstGroups(all, max, byMetrics.length > 0 ? order : largestFirst(byKeys)).sort(order)
  return {
    groups: kept,
    excludedItems: groupings.some((grouping) => maxOf(grouping) !== undefined)
      ? kept.reduce((rest, { count }) => rest - count, objects)
      : undefined,
    keysOf: ({ codes }) => keys.map(({ json }, level) => json(codes[level] ?? 0)),
    metricsOf: ({ group, count }) =>
      accumulators.map((one) => (one === 'count' ? String(count) : one.json(group))),
  }
}

/** Returns the first groups of an order. There can be a million others, which are neither sorted nor kept. */
function firstGroups(groups: Iterable<FoundGroup>, max: number, compare: Compare): FoundGroup[] {
  const first: FoundGroup[] = []
  let last: FoundGroup | undefined
  for (const group of groups) {
    if (last !== undefined && compare(group, last) > 0) continue
    first.push(group)
    if (first.length < 2 * max) continue
    first.sort(compare).splice(max)
    last = first.at(-1)
  }
  return first.sort(compare).slice(0, max)
}

/** Groups without metrics that order them are kept by the number of their objects. */
function largestFirst(byKeys: readonly Compare[]): Compare {
  return (a, b) => b.count - a.count || firstDifference(byKeys, a, b)
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

/**
 * Keeps the largest groups of each grouping with a maximum, within each outer group. Only one
 * grouping alone can be ordered by metrics.
 */
function keptGroups(
  sorted: readonly FoundGroup[],
  groupings: readonly Grouping[],
  byKeys: readonly Compare[],
): readonly FoundGroup[] {
  const kept = groupings.map((grouping, level) => {
    const max = maxOf(grouping)
    return max === undefined ? undefined : largestGroups(sorted, level, max, byKeys)
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
        .sort(([, a], [, b]) => b.count - a.count || byKey(a.first, b.first))
        .slice(0, max)
        .map(([name]) => name),
    ),
  )
}
