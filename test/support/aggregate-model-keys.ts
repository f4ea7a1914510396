/** Groupings of the aggregation model: the groups that an object belongs to. */
import {
  compare,
  type ModelGrouping,
  type ModelObject,
  model,
  type Sortable,
  type TimeUnit,
  UNIT,
} from './aggregate-model-types.ts'

/** A value as something that compares, and as it is shown. */
export interface Key {
  /** Undefined for the group of objects without a value, which comes last. */
  readonly sort: Sortable | undefined
  readonly shown: unknown
}

export function compareKeys(a: Key, b: Key): number {
  if (a.sort === undefined || b.sort === undefined) {
    return Number(a.sort === undefined) - Number(b.sort === undefined)
  }
  return compare(a.sort, b.sort)
}

export function keysOf(grouping: ModelGrouping, object: ModelObject): Key[] {
  const value = (object[grouping.property] ?? grouping.defaultValue) as never
  if (value === undefined || value === null) {
    return grouping.includeNullValues === true ? [{ sort: undefined, shown: null }] : []
  }
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
          switch (operator) {
            case 'gte':
            case 'startValue':
              return side >= 0
            case 'gt':
              return side > 0
            case 'lt':
            case 'endValue':
              return side < 0
            default:
              return side <= 0
          }
        })
        return isInside ? [{ sort: index, shown: range }] : []
      })
    case 'duration': {
      const start = intervalStart(grouping, milliseconds?.(value) ?? 0)
      const earliest = Date.parse('0000-01-01T00:00:00Z')
      const text = new Date(Math.max(start, earliest)).toISOString()
      const name = grouping.property === 'date' ? text.slice(0, 10) : text.replace('.000Z', 'Z')
      return [{ sort: text, shown: name }]
    }
  }
}

function floorDivide(value: bigint, by: bigint): bigint {
  return value / by - (value % by < 0n ? 1n : 0n)
}

const MILLISECONDS: Readonly<Partial<Record<TimeUnit, number>>> = {
  MILLISECONDS: 1,
  SECONDS: 1000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
}

function intervalStart({ seconds, unit, value = 1 }: ModelGrouping, time: number): number {
  const fixed = unit === undefined ? (seconds ?? 1) * 1000 : (MILLISECONDS[unit] ?? 0) * value
  if (fixed > 0) return Math.floor(time / fixed) * fixed
  const date = new Date(time)
  date.setUTCHours(0, 0, 0, 0)
  const month = date.getUTCMonth()
  switch (unit) {
    case 'WEEKS':
      while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1)
      break
    case 'MONTHS':
      date.setUTCDate(1)
      break
    case 'QUARTERS':
      date.setUTCMonth(month - (month % 3), 1)
      break
    default:
      date.setUTCMonth(0, 1)
  }
  return date.getTime()
}
