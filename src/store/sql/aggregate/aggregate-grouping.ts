/** Groupings of an aggregation as SQL. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type {
  Grouping,
  NumericType,
  TimeStep,
  TimeType,
} from '../../../query/aggregation/aggregation.ts'
import { type Cut, cutRanges } from '../../../query/aggregation/cut-ranges.ts'
import { cellJson, type GeoGrid } from '../../../query/aggregation/geo-grid.ts'
import { stepStartJson } from '../../../query/aggregation/time-step.ts'
import { toColumnValue } from '../../../query/compared-value.ts'
import { type SqlCondition, type SqlValue, TRUE } from '../compile/sql-condition.ts'

/** A grouping as SQL: the expression that defines a group, and how to write its value as JSON. */
export interface GroupingSql {
  /** Its order is the order of the groups. Not null if the condition is true, unless `hasNull`. */
  readonly key: SqlCondition
  /** Selects the objects that belong to a group. */
  readonly condition: SqlCondition
  /** The table of ranges to join. */
  readonly ranges: (SqlCondition & { readonly name: string }) | undefined
  /** Another table to join, which depends on the row. */
  readonly join: SqlCondition | undefined
  readonly maxGroups: number | undefined
  /** True if one group has the key null; it comes last. */
  readonly hasNull: boolean
  /** Returns the key as JSON text. */
  readonly read: (key: SqlValue) => string
}

/** The key of a grouping, with a condition if some values belong to no group. */
export type KeySql = Pick<GroupingSql, 'key' | 'read'> &
  Partial<Pick<GroupingSql, 'condition' | 'join'>>

/** The property that a grouping groups by. */
export interface GroupedField {
  readonly property: string
  readonly number: number
  /** The column of its value. */
  readonly column: string
}

/** The groupings that each database writes in its own way. */
export interface GroupingDialect {
  readonly fixedWidth: (type: NumericType, column: string, width: bigint) => KeySql
  /** Returns the number of the interval that contains a time, counted in steps. */
  readonly stepNumber: (type: TimeType, column: string, step: TimeStep) => SqlCondition
  /** Joins the distinct elements of an array, under a name. */
  readonly elements: (field: GroupedField, name: string) => Omit<KeySql, 'read'>
  /** Returns the number of the cell that contains a position, as `gridCell` computes it. */
  readonly geoCell: (field: GroupedField, grid: GeoGrid, name: string) => Omit<KeySql, 'read'>
  /** Selects the rows of a JSON array of integer pairs. */
  readonly rangeTable: string
  /** Returns a value in the form that the database stores. */
  readonly toColumn: (type: ScalarType, value: ColumnValue) => SqlValue
  /** Returns a stored value in the JSON encoding of its type. */
  readonly keyJson: (type: ScalarType, value: SqlValue) => string
}

export function groupingSql(
  grouping: Grouping,
  field: GroupedField,
  index: number,
  dialect: GroupingDialect,
): GroupingSql {
  const { column } = field
  const condition = { sql: `${column} IS NOT NULL`, values: [] }
  const base = {
    condition,
    ranges: undefined,
    join: undefined,
    maxGroups: undefined,
    hasNull: false,
  }
  switch (grouping.kind) {
    case 'exact':
      return {
        ...base,
        ...(grouping.ofElements === true
          ? dialect.elements(field, `elements_${index}`)
          : exactSql(grouping, column, dialect)),
        maxGroups: grouping.maxGroups,
        read: (key) => dialect.keyJson(grouping.type, key),
      }
    case 'fixedWidth':
      return { ...base, ...dialect.fixedWidth(grouping.type, column, BigInt(grouping.width)) }
    case 'ranges':
      return { ...base, ...rangesSql(grouping, column, `range_${index}`, dialect) }
    case 'duration':
      return {
        ...base,
        key: dialect.stepNumber(grouping.type, column, grouping.step),
        read: (key) => stepStartJson(grouping.type, grouping.step, BigInt(key)),
      }
    case 'geoGrid':
      return {
        ...base,
        ...dialect.geoCell(field, grouping.grid, `position_${index}`),
        read: (key) => cellJson(grouping.grid, Number(key)),
      }
  }
}

function exactSql(
  { type, absent }: Grouping & { kind: 'exact' },
  column: string,
  { toColumn }: GroupingDialect,
) {
  if (absent === undefined) return { key: { sql: column, values: [] } }
  if (absent === 'null') {
    return { key: { sql: column, values: [] }, condition: TRUE, hasNull: true }
  }
  const value = toColumn(type, toColumnValue(absent.value))
  return { key: { sql: `coalesce(${column}, ?)`, values: [value] }, condition: TRUE }
}

/** A binary search finds the segment of a value; a table maps segments to the ranges around them. */
function rangesSql(
  { ranges, type }: Grouping & { kind: 'ranges' },
  column: string,
  name: string,
  { rangeTable, toColumn }: GroupingDialect,
) {
  const { cuts, segments } = cutRanges(ranges)
  const pairs = segments.flatMap((numbers, segment) => numbers.map((number) => [segment, number]))
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
      values: [JSON.stringify(pairs)],
    },
    read: (key: SqlValue) => ranges[Number(key)]?.json ?? '{}',
  }
}

interface SegmentSql {
  readonly sql: string
  readonly values: readonly ColumnValue[]
}

/** Counts the cuts before a value; `before` of them are known to be. */
function segmentSql(column: string, cuts: readonly Cut[], before: number): SegmentSql {
  const middle = Math.floor(cuts.length / 2)
  const cut = cuts[middle]
  if (cut === undefined) return { sql: String(before), values: [] }
  const above = segmentSql(column, cuts.slice(middle + 1), before + middle + 1)
  const below = segmentSql(column, cuts.slice(0, middle), before)
  return {
    sql: `CASE WHEN ${column} ${cut.after ? '>' : '>='} ? THEN ${above.sql} ELSE ${below.sql} END`,
    values: [cut.value, ...above.values, ...below.values],
  }
}

/** Clamps a value to the finite doubles: rounding can reach infinity, which JSON cannot express. */
export function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE))
}
