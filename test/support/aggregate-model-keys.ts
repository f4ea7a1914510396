/** Groupings of the aggregation model: the groups that an object belongs to. */
import {
  compare,
  type ModelGrid,
  type ModelGrouping,
  type ModelObject,
  type ModelType,
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
  const { property, name = property } = grouping
  const value = (object[name] ?? grouping.defaultValue) as never
  if (value === undefined || value === null) {
    return grouping.includeNullValues === true ? [{ sort: undefined, shown: null }] : []
  }
  if (property === 'geopoint') return cellsOf(grouping.grid, value)
  if (grouping.ofElements === true) return elementsOf({ ...grouping, property }, value)
  return keysOfValue({ ...grouping, property }, value)
}

type ScalarGrouping = ModelGrouping & { readonly property: ModelType }

/** Each distinct element once. */
function elementsOf(grouping: ScalarGrouping, values: readonly unknown[]): Key[] {
  const keys = values.flatMap((value) => keysOfValue(grouping, value as never))
  return [...new Map(keys.map((key) => [key.sort, key])).values()]
}

/** In quarters of degrees, which are integers. */
function cellsOf(grid: ModelGrid | undefined, point: { coordinates: number[] }): Key[] {
  if (grid === undefined) throw new Error('no grid')
  const { west, south, east, north, columns, rows } = grid
  const [longitude = 0, latitude = 0] = point.coordinates
  const width = (east - west + 360) % 360 || 360
  const isBeyond = longitude < west && east < west
  const fromWest = longitude - west + (isBeyond ? 360 : 0)
  if (fromWest < 0 || fromWest > width || latitude < south || latitude > north) return []
  const cell = (distance: number, length: number, count: number) =>
    Math.min(Number((BigInt(4 * distance) * BigInt(count)) / BigInt(4 * length)), count - 1)
  const column = cell(fromWest, width, columns)
  const row = cell(latitude - south, north - south, rows)
  const meridian = (number: number) => {
    const edge = number === columns ? east : west + (width * number) / columns
    return edge > 180 ? edge - 360 : edge
  }
  const parallel = (number: number) =>
    number === rows ? north : south + ((north - south) * number) / rows
  const shown = {
    west: meridian(column),
    south: parallel(row),
    east: meridian(column + 1),
    north: parallel(row + 1),
  }
  return [{ sort: row * columns + column, shown }]
}

function keysOfValue(grouping: ScalarGrouping, value: never): Key[] {
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
      const micros: string | bigint | number = sort(value)
      // A double holds whole milliseconds exactly, but not every microsecond of a far year.
      const time =
        typeof micros === 'bigint'
          ? Number(floorDivide(micros, 1000n))
          : (milliseconds?.(value) ?? 0)
      const start = intervalStart(grouping, time)
      const earliest = Date.parse('0000-01-01T00:00:00Z')
      const text = new Date(Math.max(start, earliest)).toISOString()
      const name = grouping.property === 'date' ? text.slice(0, 10) : text.replace('.000Z', 'Z')
      return [{ sort: text, shown: name }]
    }
    case 'geoGrid':
      throw new Error('only geopoints have cells')
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
