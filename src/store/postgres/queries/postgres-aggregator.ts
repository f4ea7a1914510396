/** Aggregates objects in PostgreSQL. See core/queries/aggregate.ts. */
import { AGGREGATE_MAX_BYTES } from '../../../contract/limits.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { type Aggregator, aggregate as aggregateIn } from '../../core/queries/aggregate.ts'
import { awaited, runAwaited } from '../../core/session/session.ts'
import type { Reclaimed } from '../../object-store.ts'
import type { AggregateRequest, AggregateResult, AggregateSource } from '../../port/pages.ts'
import type { CompiledAggregation, SourceRows } from '../../sql/aggregate/aggregate-groups.ts'
import type { Cell } from '../../sql/aggregate/aggregate-metric.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { inTurns } from '../../sql/in-turns.ts'
import { readableVersion } from '../../sql/plan/plan-rules.ts'
import { readTypeHead, tableOfVersion } from '../catalogue/type-head.ts'
import type { Session } from '../driver/database.ts'
import { POSTGRES_GROUPINGS } from './aggregate-grouping.ts'
import { POSTGRES_METRICS } from './aggregate-metric.ts'
import { readQuerySql } from './find-rows.ts'
import { type LinksStore, readLinkedTables, visibleSql } from './queried-types.ts'

export async function aggregate(
  session: Session,
  request: AggregateRequest,
  store: LinksStore,
): Promise<AggregateResult | Reclaimed> {
  const aggregator: Aggregator = {
    dialect: { groupings: POSTGRES_GROUPINGS, metrics: POSTGRES_METRICS },
    sourceRows: (source) => awaited(sourceRows(session, source, store)),
    readGroups: (...groups) => awaited(readGroups(session, ...groups)),
    *readCount({ sql, values }) {
      const [row] = yield* awaited(session.query(sql, values))
      return Number(row?.[0])
    },
  }
  return runAwaited(aggregateIn(aggregator, request))
}

async function sourceRows(
  session: Session,
  source: AggregateSource,
  store: LinksStore,
): Promise<SourceRows | Reclaimed> {
  const { canReadCurrentRows } = store.capabilities
  const head = await readTypeHead(session, source.objectType)
  const version = readableVersion({ version: source.version }, head)
  if (version === undefined) return 'reclaimed'
  const links = await readLinkedTables(session, source, { head, version }, store)
  if (links === 'reclaimed') return links
  const table = await tableOfVersion(session, head, version, {
    objectType: source.objectType,
  })
  const fields = await store.fields.read(session, head, source.objectType, table)
  const isCurrent = version === head.published && canReadCurrentRows
  return {
    source,
    version,
    numbers: fields.numbers,
    table: objectTable(table.table),
    visible: visibleSql(isCurrent ? 'current' : 'version', version),
    matching: await readQuerySql(session, source.query, fields, links),
  }
}

/** Values that are converted to JSON before other work gets a turn: a few milliseconds. */
const CELLS_PER_TURN = 2000

async function readGroups(
  session: Session,
  statement: SqlCondition,
  compiled: CompiledAggregation,
  add: (cells: readonly Cell[]) => void,
): Promise<void> {
  const { sql, values } = withinMemory(statement, compiled)
  const rows = await session.query(sql, values, { inTurns: true })
  const rowsPerTurn = Math.max(1, Math.floor(CELLS_PER_TURN / (rows[0]?.length ?? 1)))
  await inTurns(rows, rowsPerTurn, (row) => add(row.slice(1) as Cell[]))
}

/**
 * Limits groups with long texts to what the collector accepts before it refuses: all rows of a
 * statement are in memory at once. Adds a column in front.
 */
function withinMemory(
  { sql, values }: SqlCondition,
  { textColumns }: CompiledAggregation,
): SqlCondition {
  const lengths = textColumns.map((column) => `coalesce(char_length(${column}), 0)`)
  const length = lengths.length === 0 ? '0' : lengths.join(' + ')
  const before = `sum(${length}) OVER (ROWS UNBOUNDED PRECEDING) - (${length})`
  return {
    sql: `SELECT * FROM (SELECT ${before} AS before, * FROM (${sql}) AS groups) AS groups
      WHERE before <= ${AGGREGATE_MAX_BYTES}`,
    values,
  }
}
