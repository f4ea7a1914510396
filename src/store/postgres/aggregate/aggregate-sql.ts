/**
 * The statement of an aggregation. Its columns are named `k0` (keys) and `m0` (metrics); `s0` are
 * the values that metrics order by.
 */

import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { type AggregateParts, groupedSql, keyNames } from './grouped-sql.ts'

/**
 * Selects the keys and metric columns of each group. If a maximum may drop groups, it also selects
 * the number of objects in the group, and in all groups before the drop. Further value: the limit.
 */
export function aggregateSql(parts: AggregateParts): SqlCondition {
  const { sql, values } = keptGroups(parts)
  const sizes = isCut(parts) ? ['n', 'total'] : []
  const columns = [...keyNames(parts), ...parts.columns.map((_, index) => `m${index}`), ...sizes]
  const terms = [...metricOrder(parts), ...keyNames(parts)]
  const order = terms.length === 0 ? '' : `ORDER BY ${terms.join(', ')}`
  return { sql: `${sql} SELECT ${columns.join(', ')} FROM kept ${order} LIMIT ?`, values }
}

/** Counts the groups that are left. */
export function countGroupsSql(parts: AggregateParts): SqlCondition {
  // An order decides which groups are left, not how many.
  const { sql, values } = keptGroups({
    ...parts,
    columns: [],
    columnValues: [],
    order: [],
    shares: [],
  })
  return { sql: `${sql} SELECT count(*) FROM kept`, values }
}

/** True if a maximum may drop groups. */
export function isCut({ groupings }: Pick<AggregateParts, 'groupings'>): boolean {
  return groupings.some(({ maxGroups }) => maxGroups !== undefined)
}

/** The terms of the order by metrics. Groups without a value come last. */
function metricOrder({ order }: AggregateParts): string[] {
  return order.map(({ direction }, index) =>
    direction === 'desc' ? `s${index} DESC NULLS LAST` : `s${index}`,
  )
}

/** Defines the table `kept`: the groups without those that a maximum drops. */
function keptGroups(parts: AggregateParts): SqlCondition {
  const groups = groupedSql(parts, { includeSizes: isCut(parts) })
  const maxima = parts.groupings.flatMap(({ maxGroups }, index) =>
    maxGroups === undefined ? [] : [{ maxGroups, index }],
  )
  const orders = parts.order.map(({ sql }, index) => `${sql} AS s${index}`)
  if (maxima.length === 0) {
    const kept = `kept AS (SELECT ${['*', ...orders].join(', ')} FROM grouped)`
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
    const best = parts.order.length > 0 ? metricOrder(parts) : [`size${index} DESC`]
    return `dense_rank() OVER (${within}ORDER BY ${[...best, `k${index}`].join(', ')}) AS rank${index}`
  })
  const tables = [
    ...groups.tables,
    `sized AS (SELECT *, sum(n) OVER () AS total, ${[...sizes, ...orders].join(', ')}
      FROM grouped)`,
    `ranked AS (SELECT *, ${ranks.join(', ')} FROM sized)`,
    `kept AS (SELECT * FROM ranked
      WHERE ${maxima.map(({ index }) => `rank${index} <= ?`).join(' AND ')})`,
  ]
  return {
    sql: `WITH ${tables.join(', ')}`,
    values: [...groups.values, ...maxima.map(({ maxGroups }) => maxGroups)],
  }
}
