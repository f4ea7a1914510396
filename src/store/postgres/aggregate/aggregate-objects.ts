/**
 * Aggregates the objects of a version, in one transaction. The database filters, groups and sums;
 * this module converts its rows to groups, and exact sums to doubles.
 */
import { AGGREGATE_MAX_BYTES } from '../../../contract/limits.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { Reclaimed } from '../../object-store.ts'
import type { AggregateRequest, AggregateResult, AggregateSource } from '../../port/pages.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import { GroupWriter, tooManyGroups } from '../../sql/group-writer.ts'
import { inTurns } from '../../sql/in-turns.ts'
import { readableVersion } from '../../sql/plan/plan-rules.ts'
import { readTypeHead, tableOfVersion } from '../catalogue/type-head.ts'
import type { Session } from '../driver/database.ts'
import { readQuerySql } from '../queries/find-rows.ts'
import { type LinksStore, readLinkedTables, visibleSql } from '../queries/queried-types.ts'
import { aggregateSql, countGroupsSql, isCut } from './aggregate-sql.ts'
import {
  type CompiledAggregation,
  compileAggregation,
  type SourceRows,
} from './compile-aggregation.ts'
import type { Cell } from './metric-sql.ts'

export async function aggregate(
  session: Session,
  { sources, aggregation, maxGroups }: AggregateRequest,
  store: LinksStore,
): Promise<AggregateResult | Reclaimed> {
  const rows: SourceRows[] = []
  for (const source of sources) {
    const ofSource = await sourceRows(session, source, store)
    if (ofSource === 'reclaimed') return ofSource
    rows.push(ofSource)
  }
  const compiled = compileAggregation(aggregation, rows)
  const writer = new GroupWriter(aggregation)
  let [groups, keptObjects, allObjects] = [0, 0, 0]
  await readGroups(session, compiled, maxGroups + 1, (cells) => {
    groups += 1
    writer.add(compiled.readKeys(cells), compiled.readMetrics(cells))
    if (!isCut(compiled)) return
    keptObjects += Number(cells.at(-2))
    allObjects = Number(cells.at(-1))
  })
  if (aggregation.groupings.length > 0 && groups > maxGroups) {
    const { sql, values } = countGroupsSql(compiled)
    const [row] = await session.query(sql, values)
    throw tooManyGroups(Number(row?.[0]), maxGroups)
  }
  return {
    records: writer.finish(),
    excludedItems: isCut(compiled) ? allObjects - keptObjects : undefined,
    versions: rows.map(({ version }) => version),
  }
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

/** Passes on the cells of each group. */
async function readGroups(
  session: Session,
  compiled: CompiledAggregation,
  limit: number,
  add: (cells: readonly Cell[]) => void,
): Promise<void> {
  const { sql, values } = withinMemory(aggregateSql(compiled), compiled)
  const rows = await session.query(sql, [...values, limit], { inTurns: true })
  const rowsPerTurn = Math.max(1, Math.floor(CELLS_PER_TURN / (rows[0]?.length ?? 1)))
  await inTurns(rows, rowsPerTurn, (row) => add(row.slice(1) as Cell[]))
}

/**
 * Limits groups with long texts to what the writer accepts before it refuses: all rows of a
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
