/** The statement of an aggregation. Its columns are named `k0` (keys) and `m0` (metrics). */
import type { GroupingSql } from './aggregate-grouping.ts'
import type { SqlCondition } from './sql-condition.ts'

export interface AggregateParts {
  /** The name of the object table. */
  readonly table: string
  /** Selects the visible rows. */
  readonly visible: SqlCondition
  /** Selects the objects to aggregate. */
  readonly matching: SqlCondition
  readonly groupings: readonly GroupingSql[]
  /** The columns of all metrics, in order. */
  readonly columns: readonly string[]
}

/**
 * Selects the keys and metric columns of each group. If a maximum may drop groups, it also selects
 * the number of objects in the group, and in all groups before the drop. Further value: the limit.
 */
export function aggregateSql(parts: AggregateParts): SqlCondition {
  const { sql, values } = keptGroups(parts)
  const keys = keyNames(parts)
  const sizes = isCut(parts) ? ['n', 'total'] : []
  const columns = [...keys, ...columnNames(parts), ...sizes]
  const order = keys.length === 0 ? '' : `ORDER BY ${keys.join(', ')}`
  return { sql: `${sql} SELECT ${columns.join(', ')} FROM kept ${order} LIMIT ?`, values }
}

/** Counts the groups that are left. */
export function countGroupsSql(parts: AggregateParts): SqlCondition {
  const { sql, values } = keptGroups({ ...parts, columns: [] })
  return { sql: `${sql} SELECT count(*) FROM kept`, values }
}

/** True if a maximum may drop groups. */
export function isCut({ groupings }: Pick<AggregateParts, 'groupings'>): boolean {
  return groupings.some(({ maxGroups }) => maxGroups !== undefined)
}

function keyNames({ groupings }: AggregateParts): string[] {
  return groupings.map((_, index) => `k${index}`)
}

function columnNames({ columns }: AggregateParts): string[] {
  return columns.map((_, index) => `m${index}`)
}

/** Defines the table `kept`: the groups without those that a maximum drops. */
function keptGroups(parts: AggregateParts): SqlCondition {
  const groups = groupsSql(parts)
  const maxima = parts.groupings.flatMap(({ maxGroups }, index) =>
    maxGroups === undefined ? [] : [{ maxGroups, index }],
  )
  if (maxima.length === 0) {
    const kept = 'kept AS (SELECT * FROM grouped)'
    return { sql: `WITH ${[...groups.tables, kept].join(', ')}`, values: groups.values }
  }
  const keys = keyNames(parts)
  // The size of a group is the sum of its inner groups; the innermost have theirs already.
  const sizes = maxima.map(({ index }) =>
    index === keys.length - 1
      ? `n AS size${index}`
      : `sum(n) OVER (PARTITION BY ${keys.slice(0, index + 1).join(', ')}) AS size${index}`,
  )
  const ranks = maxima.map(({ index }) => {
    const within = index === 0 ? '' : `PARTITION BY ${keys.slice(0, index).join(', ')} `
    const rank = `dense_rank() OVER (${within}ORDER BY size${index} DESC, k${index})`
    return `${rank} AS rank${index}`
  })
  const tables = [
    ...groups.tables,
    `sized AS (SELECT *, sum(n) OVER () AS total, ${sizes.join(', ')} FROM grouped)`,
    `ranked AS (SELECT *, ${ranks.join(', ')} FROM sized)`,
    `kept AS (SELECT * FROM ranked
      WHERE ${maxima.map(({ index }) => `rank${index} <= ?`).join(' AND ')})`,
  ]
  return {
    sql: `WITH ${tables.join(', ')}`,
    values: [...groups.values, ...maxima.map(({ maxGroups }) => maxGroups)],
  }
}

/** Defines the table `grouped` of all groups, after the tables of ranges. */
function groupsSql(parts: AggregateParts) {
  const { table, visible, matching, groupings, columns } = parts
  const keys = keyNames(parts)
  const selected = [
    ...groupings.map(({ key }, index) => `${key.sql} AS ${keys[index]}`),
    ...columns.map((column, index) => `${column} AS m${index}`),
    // Only if needed: without a count, an index can answer a minimum.
    ...(isCut(parts) ? ['count(*) AS n'] : []),
  ]
  // The order of the join: object by object, never range by range.
  const ranges = groupings.flatMap((grouping) => grouping.ranges ?? [])
  const conditions = [visible.sql, matching.sql, ...groupings.map(({ condition }) => condition.sql)]
  const grouped = `grouped AS (
    SELECT ${selected.join(', ')}
    FROM ${[`${table} AS o`, ...ranges.map(({ name }) => name)].join(' CROSS JOIN ')}
    WHERE ${conditions.join(' AND ')}
    ${keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`})`
  return {
    tables: [...ranges.map(({ sql }) => sql), grouped],
    values: [
      ...ranges.flatMap(({ values }) => values),
      ...groupings.flatMap(({ key }) => key.values),
      ...visible.values,
      ...matching.values,
      ...groupings.flatMap(({ condition }) => condition.values),
    ],
  }
}
