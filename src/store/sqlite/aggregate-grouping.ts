import type { Grouping, NumericType, Range, TimeType } from '../../query/aggregation.ts'
import { type Cut, cutRanges } from '../../query/cut-ranges.ts'
import { intervalStart } from '../../query/duration.ts'
import { columnJson, decimalOf } from '../../query/from-column.ts'
import { BUCKET_START } from './aggregate-functions.ts'
import type { SqlCondition, SqlValue } from './query-sql.ts'

/** A grouping as SQL: the expression that objects of one group share, and how its value reads. */
export interface GroupingSql {
  /** Never null where the condition holds, and sorted as the groups are. */
  readonly key: SqlCondition
  /** Which objects belong to a group at all. */
  readonly condition: SqlCondition
  /** The ranges, as a table to join. */
  readonly ranges: (SqlCondition & { readonly name: string }) | undefined
  readonly maxGroups: number | undefined
  /** The key as JSON text. */
  readonly read: (key: SqlValue) => string
}

export function groupingSql(grouping: Grouping, column: string, index: number): GroupingSql {
  const condition = { sql: `${column} IS NOT NULL`, values: [] }
  const base = { condition, ranges: undefined, maxGroups: undefined }
  switch (grouping.kind) {
    case 'exact':
      return {
        ...base,
        key: { sql: column, values: [] },
        maxGroups: grouping.maxGroups,
        read: (key) => columnJson(grouping.type, key),
      }
    case 'fixedWidth':
      return { ...base, ...fixedWidthSql(grouping.type, column, BigInt(grouping.width)) }
    case 'ranges':
      return { ...base, ...rangesSql(grouping.ranges, column, `range_${index}`) }
    case 'duration':
      return { ...base, ...durationSql(grouping.type, column, BigInt(grouping.seconds)) }
  }
}

function fixedWidthSql(
  type: NumericType,
  column: string,
  width: bigint,
): Partial<GroupingSql> & KeySql {
  switch (type) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
      return {
        // JavaScript numbers are stored as doubles, which divide otherwise.
        key: floorDivision(`CAST(${column} AS INTEGER)`, width),
        // As a number of any length: a double would not tell the starts of large ones apart.
        read: (key) => String(BigInt(key) * width),
      }
    case 'decimal':
      return bucketSql(column, width)
    case 'float':
    case 'double':
      return {
        ...floatingSql(column, width),
        // NaN is text, and text is larger than every number.
        condition: { sql: `${column} > -9e999 AND ${column} < 9e999`, values: [] },
      }
  }
}

type KeySql = Pick<GroupingSql, 'key' | 'read'>

function bucketSql(column: string, width: bigint): KeySql {
  return {
    key: { sql: `${BUCKET_START}(${column}, ?)`, values: [width] },
    read: (key) => String(decimalOf(String(key)).units),
  }
}

/** Exact where the value fits into 64 bits; what is larger has no digits for a width to matter. */
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

/** Rounding can lift the largest double to infinity, which JSON cannot write. */
function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE))
}

function durationSql(type: TimeType, column: string, seconds: bigint): KeySql {
  // Cut to seconds as text, because SQLite would round the fraction.
  const time = type === 'date' ? `unixepoch(${column})` : `unixepoch(substr(${column}, 1, 19))`
  return {
    key: floorDivision(time, seconds),
    read: (key) => `"${intervalStart(type, Number(BigInt(key) * seconds))}"`,
  }
}

/** SQLite divides towards zero. The quotient, unlike the start of the bucket, cannot overflow. */
function floorDivision(whole: string, by: bigint): SqlCondition {
  return { sql: `(${whole} / ? - (${whole} % ? < 0))`, values: [by, by] }
}

/** The segment of a value is found by halves; the table tells which ranges hold the segment. */
function rangesSql(ranges: readonly Range[], column: string, name: string) {
  const { cuts, segments } = cutRanges(ranges)
  const held = segments.flatMap((numbers, segment) => numbers.map((number) => [segment, number]))
  const segment = segmentSql(column, cuts, 0)
  return {
    key: { sql: `${name}.number`, values: [] },
    condition: {
      sql: `${column} IS NOT NULL AND ${name}.segment = ${segment.sql}`,
      values: segment.values,
    },
    ranges: {
      name,
      sql: `${name}(segment, number) AS MATERIALIZED (
        SELECT value ->> 0, value ->> 1 FROM json_each(?))`,
      values: [JSON.stringify(held)],
    },
    read: (key: SqlValue) => ranges[Number(key)]?.json ?? '{}',
  }
}

/** How many cuts lie before a value, of which so many are known to. */
function segmentSql(column: string, cuts: readonly Cut[], before: number): SqlCondition {
  const middle = Math.floor(cuts.length / 2)
  const cut = cuts[middle]
  if (cut === undefined) return { sql: String(before), values: [] }
  const behind = segmentSql(column, cuts.slice(middle + 1), before + middle + 1)
  const ahead = segmentSql(column, cuts.slice(0, middle), before)
  return {
    sql: `CASE WHEN ${column} ${cut.after ? '>' : '>='} ? THEN ${behind.sql} ELSE ${ahead.sql} END`,
    values: [cut.value, ...behind.values, ...ahead.values],
  }
}
