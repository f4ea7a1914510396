/** Groupings of an aggregation as SQL. */
import type { ScalarType } from '../../../ontology/definition/property-type.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { Grouping } from '../../../query/aggregation/aggregation.ts'
import { type Cut, cutRanges } from '../../../query/aggregation/cut-ranges.ts'
import { cellJson } from '../../../query/aggregation/geo-grid.ts'
import { stepStartJson } from '../../../query/aggregation/time-step.ts'
import { toColumnValue } from '../../../query/compared-value.ts'
import { TRUE } from '../../sql/compile/sql-condition.ts'
import { columnText, columnType, decodeJson } from '../catalogue/column-codec.ts'
import { elementColumnOf } from '../catalogue/field-columns.ts'
import { fixedWidthSql, geoCellSql, stepNumberSql } from './bucket-sql.ts'
import type { GroupedField, GroupingSql } from './grouped-sql.ts'

export function groupingSql(grouping: Grouping, field: GroupedField, index: number): GroupingSql {
  const { column } = field
  const condition = { sql: `${column} IS NOT NULL`, values: [] }
  switch (grouping.kind) {
    case 'exact':
      return {
        condition,
        ...(grouping.ofElements === true
          ? elementsSql(field, `elements_${index}`)
          : exactSql(grouping, column)),
        maxGroups: grouping.maxGroups,
        read: (key) => decodeJson(grouping.type, key),
      }
    case 'fixedWidth':
      return { condition, ...fixedWidthSql(grouping.type, column, BigInt(grouping.width)) }
    case 'ranges':
      return rangesSql(grouping, column, `range_${index}`)
    case 'duration':
      return {
        condition,
        key: stepNumberSql(grouping.type, column, grouping.step),
        read: (key) => stepStartJson(grouping.type, grouping.step, BigInt(key)),
      }
    case 'geoGrid':
      return {
        ...geoCellSql(field, grouping.grid, `position_${index}`),
        read: (key) => cellJson(grouping.grid, Number(key)),
      }
  }
}

function exactSql({ type, absent }: Grouping & { kind: 'exact' }, column: string) {
  if (absent === undefined) return { key: { sql: column, values: [] } }
  if (absent === 'null') return { key: { sql: column, values: [] }, condition: TRUE }
  const value = storedText(type, toColumnValue(absent.value))
  return { key: { sql: `coalesce(${column}, ?)`, values: [value] }, condition: TRUE }
}

/** Joins the distinct elements of an array. */
function elementsSql({ number, column }: GroupedField, name: string) {
  const list = number === undefined ? `ARRAY[${column}]` : `o.${elementColumnOf(number)}`
  const elements = `SELECT DISTINCT value FROM unnest(${list}) AS one (value)`
  return {
    key: { sql: `${name}.value`, values: [] },
    join: { sql: `LATERAL (${elements}) AS ${name}`, values: [] },
  }
}

/** A binary search finds the segment of a value; a table maps segments to the ranges around them. */
function rangesSql(
  { ranges, type }: Grouping & { kind: 'ranges' },
  column: string,
  name: string,
): GroupingSql {
  const { cuts, segments } = cutRanges(ranges)
  const pairs = segments.flatMap((numbers, segment) => numbers.map((number) => [segment, number]))
  const segment = segmentSql(column, cuts, 0)
  const rows = `SELECT (pair ->> 0)::integer, (pair ->> 1)::integer
    FROM json_array_elements(?::json) AS pair`
  return {
    key: { sql: `${name}.number`, values: [] },
    condition: {
      sql: `${column} IS NOT NULL AND ${name}.segment = ${segment.sql}`,
      values: segment.values.map((value) => storedText(type, value)),
    },
    ranges: {
      name,
      sql: `${name}(segment, number) AS MATERIALIZED (${rows})`,
      values: [JSON.stringify(pairs)],
    },
    read: (key) => ranges[Number(key)]?.json ?? '{}',
  }
}

function storedText(type: ScalarType, value: ColumnValue): string {
  return columnText(columnType(type), value)
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
