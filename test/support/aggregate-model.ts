/** Aggregation as a plain program over plain objects: what every store must agree with. */
import { compareKeys, type Key, keysOf } from './aggregate-model-keys.ts'
import { compareByMetric, metricOf } from './aggregate-model-metrics.ts'
import type { ModelGrouping, ModelMetric, ModelObject } from './aggregate-model-types.ts'

export {
  type ModelGrouping,
  type ModelMetric,
  type ModelObject,
  type ModelType,
  type TimeUnit,
  TYPES,
} from './aggregate-model-types.ts'

export interface ModelRow {
  readonly group: Readonly<Record<string, unknown>>
  readonly metrics: readonly { readonly name: string; readonly value?: unknown }[]
}

export function aggregateModel(
  objects: readonly ModelObject[],
  metrics: readonly ModelMetric[],
  groupings: readonly ModelGrouping[],
  times: 'milliseconds' | 'text' = 'milliseconds',
): { rows: ModelRow[]; excludedItems: number } {
  const groups = new Map<string, { keys: Key[]; members: ModelObject[] }>()
  if (groupings.length === 0) groups.set('', { keys: [], members: [...objects] })
  else {
    for (const object of objects) {
      for (const keys of combinations(groupings.map((grouping) => keysOf(grouping, object)))) {
        const name = keys.map(({ sort }) => `${typeof sort} ${sort}`).join('|')
        const group = groups.get(name) ?? { keys, members: [] }
        group.members.push(object)
        groups.set(name, group)
      }
    }
  }
  const ordering = metrics.filter(({ direction }) => direction !== undefined)
  const kept =
    ordering.length === 0
      ? keepLargest([...groups.values()], groupings, 0)
      : keepFirst([...groups.values()], groupings[0]?.maxGroupCount, ordering)
  const items = (all: Iterable<{ members: ModelObject[] }>) =>
    [...all].reduce((sum, { members }) => sum + members.length, 0)
  return {
    rows: kept.map(({ keys, members }) => ({
      group: Object.fromEntries(
        keys.map(({ shown }, index) => {
          const { name, property = '' } = groupings[index] ?? {}
          return [name ?? property, shown]
        }),
      ),
      metrics: metrics.map((metric) => withValue(metric.name, metricOf(metric, members, times))),
    })),
    excludedItems: items(groups.values()) - items(kept),
  }
}

function withValue(name: string, value: unknown) {
  return value === undefined ? { name } : { name, value }
}

function combinations(lists: readonly (readonly Key[])[]): Key[][] {
  return lists.reduce<Key[][]>(
    (all, list) => all.flatMap((keys) => list.map((key) => [...keys, key])),
    [[]],
  )
}

interface ModelGroup {
  readonly keys: readonly Key[]
  readonly members: readonly ModelObject[]
}

/** In the order of the metrics, then of the keys of the only grouping. */
function keepFirst<T extends ModelGroup>(
  groups: readonly T[],
  maxGroupCount: number | undefined,
  ordering: readonly ModelMetric[],
): T[] {
  return groups
    .toSorted(
      (a, b) =>
        ordering.reduce(
          (order, metric) => order || compareByMetric(metric, a.members, b.members),
          0,
        ) || compareKeys(a.keys[0] as Key, b.keys[0] as Key),
    )
    .slice(0, maxGroupCount)
}

/** In key order; within each group of a level, the largest groups of the next. */
function keepLargest<T extends ModelGroup>(
  groups: readonly T[],
  groupings: readonly ModelGrouping[],
  level: number,
): T[] {
  const grouping = groupings[level]
  if (grouping === undefined) return [...groups]
  const parts = new Map<Key['sort'], { key: Key; groups: T[]; size: number }>()
  for (const group of groups) {
    const key = group.keys[level] as Key
    const part = parts.get(key.sort)
    if (part === undefined) {
      parts.set(key.sort, { key, groups: [group], size: group.members.length })
    } else {
      part.groups.push(group)
      part.size += group.members.length
    }
  }
  const byKey = (a: { key: Key }, b: { key: Key }) => compareKeys(a.key, b.key)
  return [...parts.values()]
    .sort((a, b) => b.size - a.size || byKey(a, b))
    .slice(0, grouping.maxGroupCount)
    .sort(byKey)
    .flatMap((part) => keepLargest(part.groups, groupings, level + 1))
}
