import type { ScalarType } from '../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../ontology/values/column-value.ts'
import type { Grouping, NumericType, TimeType } from '../../query/aggregation/aggregation.ts'
import { type Cut, cutRanges } from '../../query/aggregation/cut-ranges.ts'
import type { SqlCondition, SqlValue } from './sql-condition.ts'

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

/** The key of a grouping; a condition where not every value belongs to a group. */
export type KeySql = Pick<GroupingSql, 'key' | 'read'> & Partial<Pick<GroupingSql, 'condition'>>

/** What each database says in its own way. */
export interface GroupingDialect {
  readonly fixedWidth: (type: NumericType, column: string, width: bigint) => KeySql
  readonly duration: (type: TimeType, column: string, seconds: bigint) => KeySql
  /** Two whole numbers a row, out of a JSON array of pairs. */
  readonly rangeTable: string
  /** A column value in the form in which the database holds it. */
  readonly toColumn: (type: ScalarType, value: ColumnValue) => SqlValue
  /** A value of a column in the JSON encoding of its type. */
  readonly keyJson: (type: ScalarType, value: SqlValue) => string
}

export function groupingSql(
  grouping: Grouping,
  column: string,
  index: number,
  dialect: GroupingDialect,
): GroupingSql {
  const condition = { sql: `${column} IS NOT NULL`, values: [] }
  const base = { condition, ranges: undefined, maxGroups: undefined }
  switch (grouping.kind) {
    case 'exact':
      return {
        ...base,
        key: { sql: column, values: [] },
        maxGroups: grouping.maxGroups,
        read: (key) => dialect.keyJson(grouping.type, key),
      }
    case 'fixedWidth':
      return { ...base, ...dialect.fixedWidth(grouping.type, column, BigInt(grouping.width)) }
    case 'ranges':
      return { ...base, ...rangesSql(grouping, column, `range_${index}`, dialect) }
    case 'duration':
      return { ...base, ...dialect.duration(grouping.type, column, BigInt(grouping.seconds)) }
  }
}

/** The segment of a value is found by halves; the table tells which ranges hold the segment. */
function rangesSql(
  { ranges, type }: Grouping & { kind: 'ranges' },
  column: string,
  name: string,
  { rangeTable, toColumn }: GroupingDialect,
) {
  const { cuts, segments } = cutRanges(ranges)
  const held = segments.flatMap((numbers, segment) => numbers.map((number) => [segment, number]))
  const segment = segmentSql(column, cuts, 0)
  return {
    key: { sql: `${name}.number`, values: [] },
    condition: {
      sql: `${column} IS NOT NULL AND ${name}.segment = ${segment.sql}`,
      values: segment.values.map((value) => toColumn(type, value)),
    },
    ranges: {
      name,
      sql: `${name}(segment, number) AS MATERIALIZED (${rangeTable})`,
      values: [JSON.stringify(held)],
    },
    read: (key: SqlValue) => ranges[Number(key)]?.json ?? '{}',
  }
}

interface SegmentSql {
  readonly sql: string
  readonly values: readonly ColumnValue[]
}

/** How many cuts lie before a value, of which so many are known to. */
function segmentSql(column: string, cuts: readonly Cut[], before: number): SegmentSql {
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

/** Rounding can lift the largest double to infinity, which JSON cannot write. */
export function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE))
}
