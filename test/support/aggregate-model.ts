/** Aggregation as a plain program over plain objects: what every store must agree with. */

export type ModelType = keyof typeof TYPES

export interface ModelObject {
  readonly id: number
  readonly [property: string]: unknown
}

export interface ModelMetric {
  readonly type: string
  readonly property: ModelType
  readonly name: string
}

export interface ModelGrouping {
  readonly type: 'exact' | 'fixedWidth' | 'ranges' | 'duration'
  readonly property: ModelType
  readonly maxGroupCount?: number
  readonly fixedWidth?: number
  readonly ranges?: readonly Readonly<Record<string, unknown>>[]
  readonly seconds?: number
}

export interface ModelRow {
  readonly group: Readonly<Record<string, unknown>>
  readonly metrics: readonly { readonly name: string; readonly value?: unknown }[]
}

/** A value as something that compares, and as it is shown. */
interface Key {
  readonly sort: string | number | bigint
  readonly shown: unknown
}

/** Decimals have at most so many digits behind the point here. */
const SCALE = 10
const UNIT = 10n ** BigInt(SCALE)

interface TypeModel {
  /** Compares as the property sorts. NaN is larger than every number. */
  readonly sort: (value: never) => string | number | bigint
  readonly shown?: (value: never) => unknown
  /** The exact number, in units of 10^-SCALE, where it is one. */
  readonly units?: (value: never) => bigint | undefined
  readonly milliseconds?: (value: never) => number
}

/** Each property is named after its type. */
export const TYPES = {
  string: { sort: (text: string) => Buffer.from(text).toString('hex') },
  boolean: { sort: (flag: boolean) => Number(flag) },
  integer: { sort: (n: number) => n, units: (n: number) => BigInt(n) * UNIT },
  long: { sort: (n: string) => BigInt(n), units: (n: string) => BigInt(n) * UNIT },
  double: {
    sort: (n: number | string) => (n === 'NaN' ? 'NaN' : Number(n)),
    units: (n: number | string) =>
      typeof n === 'string'
        ? undefined
        : Number.isInteger(n)
          ? BigInt(n) * UNIT
          : BigInt(n * 4) * (UNIT / 4n),
  },
  decimal: {
    sort: (text: string) => unitsOf(text),
    shown: (text: string) => textOf(unitsOf(text)),
    units: (text: string) => unitsOf(text),
  },
  date: { sort: (text: string) => text, milliseconds: (text: string) => Date.parse(text) },
  timestamp: {
    sort: (text: string) => microsOf(text),
    // By way of decimal text, which is read exactly.
    milliseconds: (text: string) => Number(`${microsOf(text)}e-3`) + 0,
  },
} as const satisfies Record<string, TypeModel>

function unitsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  const units = BigInt(whole + fraction.padEnd(SCALE, '0'))
  return text.startsWith('-') ? -units : units
}

function microsOf(text: string): bigint {
  const fraction = text.slice(20, -1).padEnd(6, '0')
  return BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(fraction)
}

function textOf(units: bigint): string {
  const digits = String(units)
    .replace('-', '')
    .padStart(SCALE + 1, '0')
  const text = `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`.replace(/\.?0+$/, '')
  return units < 0n ? `-${text}` : text
}

const model = (type: ModelType): TypeModel => TYPES[type]

export function aggregateModel(
  objects: readonly ModelObject[],
  metrics: readonly ModelMetric[],
  groupings: readonly ModelGrouping[],
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
  const kept = keepLargest([...groups.values()], groupings, 0)
  const items = (all: Iterable<{ members: ModelObject[] }>) =>
    [...all].reduce((sum, { members }) => sum + members.length, 0)
  return {
    rows: kept.map(({ keys, members }) => ({
      group: Object.fromEntries(
        keys.map(({ shown }, index) => [groupings[index]?.property ?? '', shown]),
      ),
      metrics: metrics.map((metric) => withValue(metric.name, metricOf(metric, members))),
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

/** In key order; within each group of a level, the largest groups of the next. */
function keepLargest<T extends ModelGroup>(
  groups: readonly T[],
  groupings: readonly ModelGrouping[],
  level: number,
): T[] {
  const grouping = groupings[level]
  if (grouping === undefined) return [...groups]
  const parts: { key: Key; groups: T[]; size: number }[] = []
  for (const group of groups) {
    const key = group.keys[level] as Key
    const part = parts.find((other) => other.key.sort === key.sort)
    if (part === undefined) parts.push({ key, groups: [group], size: group.members.length })
    else {
      part.groups.push(group)
      part.size += group.members.length
    }
  }
  const byKey = (a: { key: Key }, b: { key: Key }) => compare(a.key.sort, b.key.sort)
  return parts
    .sort((a, b) => b.size - a.size || byKey(a, b))
    .slice(0, grouping.maxGroupCount)
    .sort(byKey)
    .flatMap((part) => keepLargest(part.groups, groupings, level + 1))
}

function compare(a: Key['sort'], b: Key['sort']): number {
  // NaN is the only text among numbers.
  if (typeof a !== typeof b) return a === 'NaN' ? 1 : b === 'NaN' ? -1 : Number(a > b) * 2 - 1
  return a < b ? -1 : a > b ? 1 : 0
}

function keysOf(grouping: ModelGrouping, object: ModelObject): Key[] {
  const value = object[grouping.property] as never
  if (value === undefined || value === null) return []
  const { sort, shown, units, milliseconds } = model(grouping.property)
  switch (grouping.type) {
    case 'exact':
      return [{ sort: sort(value), shown: shown === undefined ? value : shown(value) }]
    case 'fixedWidth': {
      const exact = units?.(value)
      if (exact === undefined) return []
      const width = BigInt(grouping.fixedWidth ?? 1)
      if (grouping.property === 'double' && Math.abs(Number(value)) > 9e18) {
        const rounded = Math.floor(Number(value) / Number(width)) * Number(width)
        const start = Math.sign(rounded) * Math.min(Math.abs(rounded), Number.MAX_VALUE)
        return [{ sort: BigInt(start), shown: start }]
      }
      const start = floorDivide(exact, UNIT * width) * width
      return [{ sort: start, shown: Number(start) }]
    }
    case 'ranges':
      return (grouping.ranges ?? []).flatMap((range, index) => {
        const isInside = Object.entries(range).every(([operator, bound]) => {
          const side = compare(sort(value), sort(bound as never))
          return operator === 'gte'
            ? side >= 0
            : operator === 'gt'
              ? side > 0
              : operator === 'lt'
                ? side < 0
                : side <= 0
        })
        return isInside ? [{ sort: index, shown: range }] : []
      })
    case 'duration': {
      const step = (grouping.seconds ?? 1) * 1000
      const start = Math.floor((milliseconds?.(value) ?? 0) / step) * step
      const earliest = Date.parse('0000-01-01T00:00:00Z')
      const text = new Date(Math.max(start, earliest)).toISOString()
      const name = grouping.property === 'date' ? text.slice(0, 10) : `${text.slice(0, 19)}Z`
      return [{ sort: name, shown: name }]
    }
  }
}

function floorDivide(value: bigint, by: bigint): bigint {
  return value / by - (value % by < 0n ? 1n : 0n)
}

function metricOf({ type, property }: ModelMetric, members: readonly ModelObject[]): unknown {
  if (type === 'count') return members.length
  const values = members.flatMap((object) => {
    const value = object[property]
    return value === undefined || value === null ? [] : [value as never]
  })
  const { sort, units, milliseconds } = model(property)
  if (type === 'approximateDistinct') return new Set(values.map(sort)).size
  if (values.length === 0) return undefined
  if (type === 'min' || type === 'max') {
    const sorted = values.toSorted((a, b) => compare(sort(a), sort(b)))
    const value = (type === 'min' ? sorted[0] : sorted.at(-1)) as never
    return milliseconds === undefined ? shownNumber(Number(value)) : milliseconds(value)
  }
  const odd = new Set(values.filter((value) => units?.(value) === undefined) as unknown[])
  if (odd.has('NaN') || odd.size > 1) return 'NaN'
  if (odd.size === 1) return [...odd][0]
  const sum = values.reduce((total, value) => total + (units?.(value) ?? 0n), 0n)
  // By way of decimal text, which is read exactly; with more digits than doubles can tell apart.
  const digits = type === 'sum' ? sum * 10n ** 60n : (sum * 10n ** 60n) / BigInt(values.length)
  return shownNumber(Number(`${digits}e-${SCALE + 60}`))
}

function shownNumber(value: number): number | string {
  return Number.isFinite(value) ? value + 0 : String(value)
}
