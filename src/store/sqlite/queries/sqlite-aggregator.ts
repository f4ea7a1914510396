/**
 * Aggregates the objects of a version, in one transaction. The database filters rows; their values
 * become small segments of columns, which are aggregated one after the other.
 */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import type { Aggregation } from '../../../query/aggregation/aggregation.ts'
import { isLacking, readField } from '../../../query/aggregation/read-field.ts'
import { toColumnValue } from '../../../query/compared-value.ts'
import { Aggregator } from '../../columns/aggregate/aggregator.ts'
import { writeGroups } from '../../columns/aggregate/write-groups.ts'
import { bitsFor, fillBits } from '../../columns/arrays/bits.ts'
import { EVERYTHING } from '../../columns/filter/filter.ts'
import { SegmentBuilder } from '../../columns/segment/build-segment.ts'
import type { ColumnSpec } from '../../columns/segment/column.ts'
import { Segment } from '../../columns/segment/segment.ts'
import { isExact, toNumber } from '../../columns/segment/stored-form.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { selectFields } from '../../core/columns/feed-fields.ts'
import type { Reclaimed } from '../../object-store.ts'
import type { AggregateRequest, AggregateResult, AggregateSource } from '../../port/pages.ts'
import { FALSE, type SqlCondition, type SqlValue } from '../../sql/compile/sql-condition.ts'
import type { TableFields } from '../catalogue/table-fields.ts'
import { readTypeHead, readVersions, VISIBLE } from '../catalogue/type-head.ts'
import { SQLITE_DIALECT, type StatementCache } from '../file/sqlite-session.ts'
import { querySql } from './query-sql.ts'
import { queryTables } from './query-tables.ts'
import { inReadTransaction, type ReadConnection } from './read-connection.ts'
import { valueForm } from './value-form.ts'

export function aggregate(
  connection: ReadConnection,
  { sources, aggregation, maxGroups }: AggregateRequest,
): AggregateResult | Reclaimed {
  return inReadTransaction(connection, () => {
    const tables: SourceRows[] = []
    for (const source of sources) {
      const rows = sourceRows(connection, source)
      if (rows === 'reclaimed') return rows
      tables.push(rows)
    }
    const { statements } = connection
    const fields = tables.map(({ source }) => readFields(aggregation, source))
    const inexact = new Set(
      fields.flatMap((some, at) =>
        some
          .filter((field) => !areExact(statements, tables[at] as SourceRows, field))
          .map(({ shownKey }) => shownKey),
      ),
    )
    const aggregator = new Aggregator(aggregation)
    for (const [at, rows] of tables.entries()) {
      // All segments must have a field in the same form.
      const specs = fields[at]?.map((field) => ({
        ...field,
        asTexts: inexact.has(field.shownKey),
      }))
      for (const segment of readSegments(statements, rows, specs ?? [])) {
        const visible = bitsFor(segment.size)
        fillBits(visible, segment.size)
        const { names } = rows.source
        if (!aggregator.add({ segment, visible, filter: EVERYTHING, names }, () => undefined)) {
          throw new Error('a segment lacks a column of its aggregation')
        }
      }
    }
    const versions = tables.map(({ version }) => version)
    return { ...writeGroups(aggregator.finish(), aggregation, maxGroups), versions }
  })
}

interface SourceRows {
  readonly source: AggregateSource
  readonly version: number
  readonly numbers: TableFields
  /** Undefined if the table is not created yet. */
  readonly table: string | undefined
  readonly where: SqlCondition
}

function sourceRows(connection: ReadConnection, source: AggregateSource): SourceRows | Reclaimed {
  const { statements, fields } = connection
  const { objectType, query } = source
  const head = readTypeHead(statements, objectType)
  const versions = readVersions(statements, source, head)
  if (versions === 'reclaimed') return versions
  const own = versions.get(objectType.rid)
  if (own === undefined) throw new Error('a query reads its own type')
  const { version, isLatest, table } = own
  const numbers = fields.read(head, table.layout)
  const tables = queryTables(connection, { table: table.table, objectType, numbers, versions })
  const matching = table.isCreated ? querySql(query, tables) : FALSE
  // The plus sign stops SQLite from using the index of current rows: an aggregation reads the
  // whole table, and a sequential scan is many times faster than random access.
  const visible = isLatest ? `+${VISIBLE.current}` : '+valid_from <= ? AND +valid_to > ?'
  return {
    source,
    version,
    numbers,
    table: table.isCreated ? objectTable(table.table) : undefined,
    where: {
      sql: `${visible} AND ${matching.sql}`,
      values: [...(isLatest ? [] : [version, version]), ...matching.values],
    },
  }
}

/** A field of an aggregation. */
interface ReadField extends ColumnSpec {
  /** Names the field in all sources. */
  readonly shownKey: string
  /** The value of objects without one, if the aggregation names one. */
  readonly absent: ColumnValue | undefined
}

/** The rows that are aggregated at once. */
const SEGMENT_ROWS = 2 ** 16

function* readSegments(
  statements: StatementCache,
  { table, numbers, where }: SourceRows,
  fields: readonly ReadField[],
): Generator<Segment> {
  if (table === undefined) return
  const selection = selectFields(fields, numbers, SQLITE_DIALECT, valueForm)
  // A statement needs a column, even if only objects are counted.
  const columns = ['o.id', ...selection.expressions]
  const statement = statements.prepare(
    `SELECT ${columns.join(', ')} FROM ${table} AS o WHERE ${where.sql}`,
  )
  const values = [...selection.parameters, ...where.values]
  const options = { kind: 'values', rows: SEGMENT_ROWS } as const
  let builder = new SegmentBuilder(fields, options)
  let count = 0
  for (const row of statement.iterate(...values)) {
    const cells = row as (SqlValue | null)[]
    builder.add({ key: '', validFrom: 0, values: selection.read(cells, 1) })
    count += 1
    if (count === SEGMENT_ROWS) {
      yield openSegment(builder)
      builder = new SegmentBuilder(fields, options)
      count = 0
    }
  }
  if (count > 0) yield openSegment(builder)
}

/** True if doubles hold all values of a field. */
function areExact(
  statements: StatementCache,
  { table, numbers }: SourceRows,
  { type, property, structField, isList, absent }: ReadField,
): boolean {
  if (type !== 'long' && type !== 'timestamp') return true
  if (absent !== undefined && !isExact(type, toNumber(type, absent))) return false
  if (table === undefined || isLacking({ property, structField })) return true
  if (isList || !numbers.hasColumn({ property, structField })) return false
  const { indexed } = numbers.propertySql(property, structField)
  const statement = statements.prepare(
    `SELECT EXISTS (SELECT 1 FROM ${table} AS o WHERE ${indexed} > ?)
       OR EXISTS (SELECT 1 FROM ${table} AS o WHERE ${indexed} < ?)`,
  )
  const [isInexact] = statement.get(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER) as [number]
  return isInexact === 0
}

function openSegment(builder: SegmentBuilder): Segment {
  const { buffer, place } = builder.finish()
  return new Segment(buffer, place)
}

/** Returns what an aggregation reads, each field once. */
function readFields(
  { groupings, metrics }: Aggregation,
  { names }: AggregateSource,
): readonly ReadField[] {
  const valueMetrics = metrics.filter((metric) => metric.kind !== 'count')
  const fields = [...groupings, ...valueMetrics].map((one): ReadField => {
    const named = one.kind === 'exact' && typeof one.absent === 'object' ? one.absent : undefined
    return {
      ...readField(one, names),
      type: one.type,
      isList: one.kind === 'exact' && one.ofElements === true,
      shownKey: fieldKey(readField(one, undefined)),
      absent: named && toColumnValue(named.value),
    }
  })
  return [...Map.groupBy(fields, fieldKey).values()].map(
    (same) => same.find(({ absent }) => absent !== undefined) ?? (same[0] as ReadField),
  )
}
