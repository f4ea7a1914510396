/** Groupings whose groups are buckets: multiples of a width, intervals of time, cells of a grid. */
import type { NumericType, TimeStep, TimeType } from '../../../query/aggregation/aggregation.ts'
import {
  crossesAntimeridian,
  type GeoGrid,
  gridWidth,
} from '../../../query/aggregation/geo-grid.ts'
import { WEEK_OFFSET_SECONDS, WEEK_SECONDS } from '../../../query/aggregation/time-step.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { GroupedField, GroupingSql } from './grouped-sql.ts'

/**
 * Returns the number of the cell that contains a position, as `gridCell` computes it, from the JSON of
 * the property. The column with the box of all positions excludes most other rows.
 */
export function geoCellSql(
  { property, column }: GroupedField,
  grid: GeoGrid,
  name: string,
): Omit<GroupingSql, 'read'> {
  const { west, south, east, north, columns, rows } = grid
  const [x, y] = [`${name}.longitude`, `${name}.latitude`]
  const degrees = '(o.body::json #>> ?::text[])::double precision'
  const number = '?::double precision'
  const crosses = crossesAntimeridian(grid)
  const boxes = crosses
    ? [boxText(west, south, 180, north), boxText(-180, south, east, north)]
    : [boxText(west, south, east, north)]
  const fromWest = crosses
    ? `(${x} - ${number} + CASE WHEN ${x} < ${number} THEN 360 ELSE 0 END)`
    : `(${x} - ${number})`
  const west2 = crosses ? [west, west] : [west]
  return {
    join: {
      sql: `LATERAL (SELECT ${degrees} AS longitude, ${degrees} AS latitude OFFSET 0) AS ${name}`,
      // API names contain neither quotes nor backslashes.
      values: [0, 1].map((axis) => `{"${property}",coordinates,${axis}}`),
    },
    key: {
      sql: `(least(floor((${y} - ${number}) * ${number} / ${number}), ${number})::bigint * ?::bigint
        + least(floor(${fromWest} * ${number} / ${number}), ${number})::bigint)`,
      values: [
        ...[south, rows, north - south, rows - 1, columns],
        ...[...west2, columns, gridWidth(grid), columns - 1],
      ],
    },
    condition: {
      sql: `${column} IS NOT NULL AND (${boxes.map(() => 'o.area && ?::box').join(' OR ')})
        AND (${x} >= ${number} ${crosses ? 'OR' : 'AND'} ${x} <= ${number})
        AND ${y} >= ${number} AND ${y} <= ${number}`,
      values: [...boxes, west, east, south, north],
    },
  }
}

function boxText(west: number, south: number, east: number, north: number): string {
  return `(${east},${north}),(${west},${south})`
}

type Bucket = Pick<GroupingSql, 'key' | 'read'> & Partial<Pick<GroupingSql, 'condition'>>

export function fixedWidthSql(type: NumericType, column: string, width: bigint): Bucket {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return {
        key: floorDivision(`${column}::bigint`, width),
        // A BigInt, because a double cannot distinguish the starts of large buckets.
        read: (key) => String(BigInt(key) * width),
      }
    case 'decimal':
      return {
        key: decimalFloorDivision(column, width),
        read: (key) => String(BigInt(key) * width),
      }
    case 'float':
    case 'double':
      return {
        ...floatingSql(column, width),
        condition: { sql: `${column} > '-Infinity' AND ${column} < 'Infinity'`, values: [] },
      }
  }
}

/** Doubles up to this size are divided as 64-bit integers; larger ones have no fraction. */
const MAX_EXACT = 9e18

/**
 * Exact for values that fit into 64 bits. The precision of larger ones exceeds any width; a decimal
 * place marks them.
 */
function floatingSql(column: string, width: bigint): Bucket {
  const whole = floorDivision(`floor(${column})::bigint`, width)
  return {
    key: {
      sql: `CASE WHEN ${column} >= -${MAX_EXACT} AND ${column} <= ${MAX_EXACT}
        THEN (${whole.sql})::numeric ELSE round(floor(${column} / ?)::text::numeric, 1) END`,
      values: [...whole.values, width],
    },
    read: (key) =>
      String(key).includes('.')
        ? String(finite(Number(key) * Number(width)))
        : String(BigInt(key) * width),
  }
}

/** PostgreSQL cannot parse the year 0000, but the calendar repeats after 400 years. */
const CALENDAR_SECONDS = 146_097 * 86_400

/** Returns the number of the interval that contains a time, counted in steps. */
export function stepNumberSql(type: TimeType, column: string, step: TimeStep): SqlCondition {
  switch (step.unit) {
    case 'seconds':
      return floorDivision(epochSql(type, column), BigInt(step.count))
    case 'milliseconds': {
      const fraction = `substr(${column}, 21, 3)::bigint`
      return floorDivision(`(${epochSql(type, column)} * 1000 + ${fraction})`, BigInt(step.count))
    }
    case 'week':
      return floorDivision(
        `(${epochSql(type, column)} + ${WEEK_OFFSET_SECONDS})`,
        BigInt(WEEK_SECONDS),
      )
    case 'months': {
      const [year, month] = [`left(${column}, 4)::bigint`, `substr(${column}, 6, 2)::bigint`]
      return {
        sql: `((${year} * 12 + ${month} - 1) / ?::bigint)`,
        values: [BigInt(step.count)],
      }
    }
  }
}

/** The whole seconds since 1970. */
function epochSql(type: TimeType, column: string): string {
  const time = type === 'date' ? column : `left(${column}, 19)`
  const epoch = (text: string) => `extract(epoch FROM (${text})::timestamp)::bigint`
  const late = `overlay(${time} PLACING '0400' FROM 1 FOR 4)`
  return `(CASE WHEN ${column} < '0001' THEN ${epoch(late)} - ${CALENDAR_SECONDS}
    ELSE ${epoch(time)} END)`
}

/** PostgreSQL truncates towards zero. The quotient, unlike the bucket's start, cannot overflow. */
function floorDivision(whole: string, by: bigint): SqlCondition {
  return {
    sql: `(${whole} / ?::bigint - CASE WHEN ${whole} % ?::bigint < 0 THEN 1 ELSE 0 END)`,
    values: [by, by],
  }
}

function decimalFloorDivision(column: string, by: bigint): SqlCondition {
  return {
    sql: `(div(${column}, ?::numeric) - CASE WHEN mod(${column}, ?::numeric) < 0 THEN 1 ELSE 0 END)`,
    values: [by, by],
  }
}

/** Clamps a value to the finite doubles: rounding can reach infinity, which JSON cannot express. */
function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE))
}
