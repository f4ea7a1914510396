/** The table of all groups of an aggregation, before a maximum drops any. */
import type { Direction } from '../../../query/query.ts'
import type { BoundValue, SqlCondition, SqlValue } from '../../sql/compile/sql-condition.ts'

/** A grouping as SQL: the expression that defines a group, and how to write its value as JSON. */
export interface GroupingSql {
  /** Its order is the order of the groups; a group with the key null comes last. */
  readonly key: SqlCondition
  /** Selects the objects that belong to a group. */
  readonly condition: SqlCondition
  /** The table of ranges to join. */
  readonly ranges?: SqlCondition & { readonly name: string }
  /** Another table to join, which depends on the row. */
  readonly join?: SqlCondition
  readonly maxGroups?: number | undefined
  /** Returns the key as JSON text. */
  readonly read: (key: SqlValue) => string
}

/** The property that a grouping groups by. */
export interface GroupedField {
  readonly property: string
  /** Undefined if the object type lacks the property. */
  readonly number: number | undefined
  /** The column of its value. */
  readonly column: string
}

export interface AggregateParts {
  /** The objects to aggregate, by object type; never empty. */
  readonly sources: readonly SourceSql[]
  /** How the groupings are read; the same for all sources, like their ranges and maxima. */
  readonly groupings: readonly GroupingSql[]
  /** The columns of all metrics, in order. */
  readonly columns: readonly string[]
  /** The values that are bound in the columns. */
  readonly columnValues: readonly SqlValue[]
  /** The metrics that order the groups. */
  readonly order: readonly MetricOrder[]
  /** The numbers of the metric values of which the shares are needed. */
  readonly shares: readonly number[]
}

interface MetricOrder {
  /** Orders groups as the metric does, in terms of `m0`. */
  readonly sql: string
  readonly direction: Direction
}

export interface SourceSql {
  /** The name of the object table. */
  readonly table: string
  /** Selects the visible rows. */
  readonly visible: SqlCondition
  /** Selects the objects to aggregate. */
  readonly matching: SqlCondition
  readonly groupings: readonly GroupingSql[]
  /** The columns that metrics read, in an order that is the same for all sources. */
  readonly values: readonly string[]
}

/** True if metrics read the columns of the object table, not those of a nested table. */
export function isDirect({
  sources,
  shares,
}: {
  readonly sources: readonly unknown[]
  readonly shares: readonly unknown[]
}): boolean {
  return sources.length === 1 && shares.length === 0
}

/** The name of a metric value in the nested table. */
export function nestedValue(number: number): string {
  return `o.v${number}`
}

/** The name of the share of the values up to a value, within its group. */
export function nestedShare(number: number): string {
  return `o.d${number}`
}

export function keyNames({ groupings }: Pick<AggregateParts, 'groupings'>): string[] {
  return groupings.map((_, index) => `k${index}`)
}

/** Defines the table `grouped` of all groups, after the tables of ranges. */
export function groupedSql(
  parts: AggregateParts,
  { includeSizes }: { readonly includeSizes: boolean },
): { readonly tables: readonly string[]; readonly values: readonly BoundValue[] } {
  const ranges = parts.groupings.flatMap((grouping) => grouping.ranges ?? [])
  const columns = [
    ...parts.columns.map((column, index) => `${column} AS m${index}`),
    // Only if needed: without a count, an index can answer a minimum.
    ...(includeSizes ? ['count(*) AS n'] : []),
  ]
  const { sql, values } = isDirect(parts) ? directSql(parts, columns) : nestedSql(parts, columns)
  const keys = keyNames(parts)
  const groupBy = keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`
  return {
    tables: [...ranges.map((range) => range.sql), `grouped AS (${sql} ${groupBy})`],
    values: [...ranges.flatMap((range) => range.values), ...values],
  }
}

/** Groups the rows of one object table. */
function directSql({ sources }: AggregateParts, columns: readonly string[]): SqlCondition {
  const [source] = sources
  if (source === undefined) throw new Error('an aggregation has no source')
  return rowsSql(source, columns)
}

/** Groups the rows of a nested table, with the rows of all sources and the shares of values. */
function nestedSql(parts: AggregateParts, columns: readonly string[]): SqlCondition {
  const { sources, shares, columnValues } = parts
  const rows = sources.map((source) => {
    const values = source.values.map((column, index) => `${column} AS v${index}`)
    // A table needs a column, even if only objects are counted.
    return rowsSql(source, [...values, '1 AS one'])
  })
  const table = rows.map(({ sql }) => sql).join(' UNION ALL ')
  const keys = keyNames(parts)
  const distributions = shares.map((number) => {
    // Nulls are in a partition of their own, so that they do not count.
    const within = [...keys, `v${number} IS NULL`].join(', ')
    return `cume_dist() OVER (PARTITION BY ${within} ORDER BY v${number}) AS d${number}`
  })
  const shared = `SELECT ${['*', ...distributions].join(', ')} FROM (${table}) AS o`
  return {
    sql: `SELECT ${[...keys, ...columns].join(', ')} FROM (${shared}) AS o`,
    values: [...columnValues, ...rows.flatMap(({ values }) => values)],
  }
}

/** Selects the keys and some columns of the rows of a source, for each of their groups. */
function rowsSql(
  { table, visible, matching, groupings }: SourceSql,
  columns: readonly string[],
): SqlCondition {
  const selected = [...groupings.map(({ key }, index) => `${key.sql} AS k${index}`), ...columns]
  // The order of the join: object by object, never range by range.
  const ranges = groupings.flatMap((grouping) => grouping.ranges?.name ?? [])
  const joins = groupings.flatMap(({ join }) => join ?? [])
  const conditions = [visible.sql, matching.sql, ...groupings.map(({ condition }) => condition.sql)]
  return {
    sql: `SELECT ${selected.join(', ')}
      FROM ${[`${table} AS o`, ...ranges, ...joins.map(({ sql }) => sql)].join(' CROSS JOIN ')}
      WHERE ${conditions.join(' AND ')}`,
    values: [
      ...groupings.flatMap(({ key }) => key.values),
      ...joins.flatMap(({ values }) => values),
      ...visible.values,
      ...matching.values,
      ...groupings.flatMap(({ condition }) => condition.values),
    ],
  }
}
