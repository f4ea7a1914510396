import { decodeDecimal } from '../../../ontology/values/column-value.ts'
import { columnJson } from '../../../ontology/values/scalar-codec.ts'
import type { NumericType, TimeStep, TimeType } from '../../../query/aggregation/aggregation.ts'
import type { GeoGrid } from '../../../query/aggregation/geo-grid.ts'
import { WEEK_OFFSET_SECONDS, WEEK_SECONDS } from '../../../query/aggregation/time-step.ts'
import {
  finite,
  type GroupedField,
  type GroupingDialect,
  type KeySql,
} from '../../sql/aggregate/aggregate-grouping.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { BUCKET_START, GRID_CELL } from './aggregate-functions.ts'

/** The groupings that SQLite computes in its own way. */
export const SQLITE_GROUPINGS: GroupingDialect = {
  fixedWidth: fixedWidthSql,
  stepNumber: stepNumberSql,
  elements: elementsSql,
  geoCell: geoCellSql,
  rangeTable: 'SELECT value ->> 0, value ->> 1 FROM json_each(?)',
  toColumn: (_, value) => value,
  keyJson: columnJson,
}

/** The table of elements has each value of a row once. Its index by row has the other columns. */
function elementsSql({ number }: GroupedField, name: string): Omit<KeySql, 'read'> {
  return {
    key: { sql: `${name}.value`, values: [] },
    join: { sql: `oqs_element AS ${name}`, values: [] },
    condition: { sql: `${name}.row = o.id AND ${name}.field = ?`, values: [number] },
  }
}

/** Computed in JavaScript, on the JSON of the property: its column only says that it has a value. */
function geoCellSql({ property, column }: GroupedField, grid: GeoGrid): Omit<KeySql, 'read'> {
  const { west, south, east, north, columns, rows } = grid
  const coordinates = `$."${property}".coordinates`
  const cell = {
    sql: `${GRID_CELL}(o.body ->> ?, o.body ->> ?, ?, ?, ?, ?, ?, ?)`,
    values: [`${coordinates}[0]`, `${coordinates}[1]`, west, south, east, north, columns, rows],
  }
  const isPresent = `${column} IS NOT NULL`
  // Every position has a cell, so that none needs to be computed twice.
  const isWorld = west === -180 && east === 180 && south === -90 && north === 90
  return {
    key: cell,
    condition: isWorld
      ? { sql: isPresent, values: [] }
      : { sql: `${isPresent} AND ${cell.sql} IS NOT NULL`, values: cell.values },
  }
}

function fixedWidthSql(type: NumericType, column: string, width: bigint): KeySql {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return {
        // Numbers from JavaScript are stored as doubles, whose division is not integer division.
        key: floorDivision(`CAST(${column} AS INTEGER)`, width),
        // A BigInt, because a double cannot distinguish the starts of large buckets.
        read: (key) => String(BigInt(key) * width),
      }
    case 'decimal':
      return bucketSql(column, width)
    case 'float':
    case 'double':
      return {
        ...floatingSql(column, width),
        // NaN is stored as text, which compares greater than any number.
        condition: { sql: `${column} > -9e999 AND ${column} < 9e999`, values: [] },
      }
  }
}

function bucketSql(column: string, width: bigint): KeySql {
  return {
    key: { sql: `${BUCKET_START}(${column}, ?)`, values: [width] },
    read: (key) => String(decodeDecimal(String(key)).units),
  }
}

/** Exact for values that fit into 64 bits; the precision of larger ones exceeds any width. */
function floatingSql(column: string, width: bigint): KeySql {
  const whole = floorDivision(`CAST(floor(${column}) AS INTEGER)`, width)
  return {
    key: {
      sql: `CASE WHEN ${column} >= -9e18 AND ${column} <= 9e18
        THEN ${whole.sql} ELSE floor(${column} / ?) END`,
      values: [...whole.values, width],
    },
    read: (key) =>
      typeof key === 'bigint' ? String(key * width) : String(finite(Number(key) * Number(width))),
  }
}

function stepNumberSql(type: TimeType, column: string, step: TimeStep): SqlCondition {
  // Truncated to seconds as text, because SQLite would round the fraction.
  const seconds = type === 'date' ? `unixepoch(${column})` : `unixepoch(substr(${column}, 1, 19))`
  switch (step.unit) {
    case 'seconds':
      return floorDivision(seconds, BigInt(step.count))
    case 'milliseconds': {
      const fraction = `CAST(substr(${column}, 21, 3) AS INTEGER)`
      return floorDivision(`(${seconds} * 1000 + ${fraction})`, BigInt(step.count))
    }
    case 'week':
      return floorDivision(`(${seconds} + ${WEEK_OFFSET_SECONDS})`, BigInt(WEEK_SECONDS))
    case 'months': {
      const [year, month] = [`substr(${column}, 1, 4)`, `substr(${column}, 6, 2)`]
      return { sql: `((${year} * 12 + ${month} - 1) / ?)`, values: [BigInt(step.count)] }
    }
  }
}

/** SQLite truncates towards zero. The quotient, unlike the start of the bucket, cannot overflow. */
function floorDivision(whole: string, by: bigint): SqlCondition {
  return { sql: `(${whole} / ? - (${whole} % ? < 0))`, values: [by, by] }
}
