/**
 * Aggregates the current objects of a type, in one transaction. The database filters, groups and
 * sums; this module converts its rows to groups, and exact sums to doubles.
 */
import { AGGREGATE_MAX_BYTES } from '../../../contract/limits.ts'
import type { Aggregation } from '../../../query/aggregation/aggregation.ts'
import type { AggregateRequest, AggregateResult } from '../../aggregate-request.ts'
import {
  type CompiledAggregation,
  compileAggregation,
  GroupCollector,
  tooManyGroups,
} from '../../sql/aggregate-groups.ts'
import type { Cell } from '../../sql/aggregate-metric.ts'
import { type AggregateParts, aggregateSql, countGroupsSql } from '../../sql/aggregate-sql.ts'
import { inTurns } from '../../sql/in-turns.ts'
import type { SqlCondition } from '../../sql/sql-condition.ts'
import { columnType } from '../catalogue/column-codec.ts'
import { objectTable } from '../catalogue/object-table.ts'
import { readTypeHead } from '../catalogue/type-head.ts'
import type { Session } from '../driver/database.ts'
import { visibleSql } from '../pages/page-sql.ts'
import type { PageStore } from '../pages/read-page.ts'
import { POSTGRES_GROUPINGS } from './aggregate-grouping.ts'
import { POSTGRES_METRICS } from './aggregate-metric.ts'
import { readQuerySql } from './find-rows.ts'
import { readLinks } from './linked-tables.ts'

export async function aggregate(
  session: Session,
  request: AggregateRequest,
  store: PageStore,
): Promise<AggregateResult> {
  const { canReadCurrentRows } = store.capabilities
  const head = await readTypeHead(session, request.objectType)
  const fields = await store.fields.read(session, head, request.objectType)
  const links = await readLinks(session, request, { head, version: head.published }, store)
  if (links === 'reclaimed') throw new Error('the latest version is always readable')
  const parts: AggregateParts & CompiledAggregation = {
    ...compileAggregation(request.aggregation, fields.numbers, DIALECT),
    table: objectTable(head.current.table),
    visible: visibleSql(canReadCurrentRows ? 'current' : 'version', head.published),
    matching: await readQuerySql(session, request.query, fields, links),
  }
  return readGroups(session, parts, request)
}

const DIALECT = { groupings: POSTGRES_GROUPINGS, metrics: POSTGRES_METRICS }

/** Values that are converted to JSON before other work gets a turn: a few milliseconds. */
const CELLS_PER_TURN = 2000

async function readGroups(
  session: Session,
  parts: AggregateParts & CompiledAggregation,
  { aggregation, maxGroups }: AggregateRequest,
): Promise<AggregateResult> {
  const { sql, values } = withinMemory(aggregateSql(parts), aggregation)
  const collector = new GroupCollector(parts)
  const rows = await session.query(sql, [...values, maxGroups + 1], { inTurns: true })
  const rowsPerTurn = Math.max(1, Math.floor(CELLS_PER_TURN / (rows[0]?.length ?? 1)))
  await inTurns(rows, rowsPerTurn, (row) => collector.add(row.slice(1) as Cell[]))
  if (collector.exceeds(maxGroups))
    throw tooManyGroups(await countGroups(session, parts), maxGroups)
  return collector.finish()
}

/**
 * Limits groups with long keys to what the collector accepts before it refuses: all rows of a
 * statement are in memory at once. Adds a column in front.
 */
function withinMemory({ sql, values }: SqlCondition, { groupings }: Aggregation): SqlCondition {
  const lengths = groupings.flatMap(({ kind, type }, index) =>
    kind === 'exact' && columnType(type) === 'text' ? [`char_length(k${index})`] : [],
  )
  const length = lengths.length === 0 ? '0' : lengths.join(' + ')
  const before = `sum(${length}) OVER (ROWS UNBOUNDED PRECEDING) - (${length})`
  return {
    sql: `SELECT * FROM (SELECT ${before} AS before, * FROM (${sql}) AS groups) AS groups
      WHERE before <= ${AGGREGATE_MAX_BYTES}`,
    values,
  }
}

async function countGroups(session: Session, parts: AggregateParts): Promise<number> {
  const { sql, values } = countGroupsSql(parts)
  const [row] = await session.query(sql, values)
  return Number(row?.[0])
}
