/**
 * Aggregates the objects of a version, in one transaction. The database filters, groups and sums;
 * this module converts its rows to groups, and exact sums to doubles.
 */
import type { Reclaimed } from '../../object-store.ts'
import type { AggregateRequest, AggregateResult, AggregateSource } from '../../port/pages.ts'
import {
  type AggregateDialect,
  type CompiledAggregation,
  compileAggregation,
  GroupCollector,
  type SourceRows,
  tooManyGroups,
} from '../../sql/aggregate/aggregate-groups.ts'
import type { Cell } from '../../sql/aggregate/aggregate-metric.ts'
import { aggregateSql, countGroupsSql } from '../../sql/aggregate/aggregate-sql.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { Operation } from '../session/session.ts'

/** How a database reads what is aggregated, and the groups. */
export interface Aggregator {
  readonly dialect: AggregateDialect
  sourceRows(source: AggregateSource): Operation<SourceRows | Reclaimed>
  /** Passes on the cells of each row of a statement. */
  readGroups(
    statement: SqlCondition,
    compiled: CompiledAggregation,
    add: (cells: readonly Cell[]) => void,
  ): Operation<void>
  readCount(statement: SqlCondition): Operation<number>
}

export function* aggregate(
  aggregator: Aggregator,
  { sources, aggregation, maxGroups }: AggregateRequest,
): Operation<AggregateResult | Reclaimed> {
  const rows: SourceRows[] = []
  for (const source of sources) {
    const ofSource = yield* aggregator.sourceRows(source)
    if (ofSource === 'reclaimed') return ofSource
    rows.push(ofSource)
  }
  const compiled = compileAggregation(aggregation, rows, aggregator.dialect)
  const collector = new GroupCollector(compiled)
  const { sql, values } = aggregateSql(compiled)
  const limited = { sql, values: [...values, maxGroups + 1] }
  yield* aggregator.readGroups(limited, compiled, (cells) => collector.add(cells))
  if (collector.exceeds(maxGroups)) {
    throw tooManyGroups(yield* aggregator.readCount(countGroupsSql(compiled)), maxGroups)
  }
  return { ...collector.finish(), versions: rows.map(({ version }) => version) }
}
