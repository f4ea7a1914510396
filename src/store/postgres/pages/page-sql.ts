/**
 * The SQL of a page. The database writes whole records, so that nothing is parsed on the way out.
 * They come row by row, which costs the database half as much as one long text. One row more than
 * the page holds shows whether more follow.
 */
import type { RenamedProperty } from '../../../contract/object-record.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import { joinRecords } from '../../core/pages/merge-parts.ts'
import type { RecordSpec, StoredPage } from '../../object-store.ts'
import { type RecordDialect, recordParts, STORED_BYTES } from '../../sql/compile/record-sql.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { ByteBudget } from '../../sql/plan/plan-rules.ts'
import { arrayText } from '../catalogue/column-codec.ts'
import { type ByteRow, freeRows } from '../driver/byte-rows.ts'

/** Which rows a page reads, in which order. */
export interface PageRowsSpec {
  readonly where: SqlCondition
  readonly orderBy: string
  /** Whether the key alone is the cursor, so that row versions are omitted. */
  readonly isKeyOrder: boolean
}

interface PageSqlSpec extends PageRowsSpec {
  readonly table: number
  /** A subquery with the rows of one machine, instead of the table. */
  readonly part?: string
  readonly record: RecordSpec
  readonly maxObjects: number
  /** Undefined if all records fit. */
  readonly budget: RowsBudget | undefined
  /** Whether the rows of the table are on several machines. */
  readonly isDistributed?: boolean
}

interface RowsBudget extends ByteBudget {
  /** Whether the first row is included, however large it is [2.1.3]. */
  readonly includeFirst: boolean
}

/**
 * Selects key, version and record of each row, and with a budget the bytes up to the end of the
 * row. A record that does not fit is null.
 */
export function pageSql(spec: PageSqlSpec): SqlCondition {
  const { table, where, orderBy, isKeyOrder, record, maxObjects, budget, isDistributed } = spec
  const { part = objectTable(table) } = spec
  const cursor = isKeyOrder ? 'o.pk, NULL::bigint' : 'o.pk, o.valid_from'
  if (isDistributed && budget === undefined) {
    const rows = `WHERE ${where.sql} ORDER BY ${orderBy} LIMIT ?`
    return flatRecords(table, record, cursor, {
      sql: rows,
      values: [...where.values, maxObjects + 1],
    })
  }
  // The limits apply before records are written, not after.
  const sql = `SELECT * FROM (
      SELECT ${rowColumns(record)} FROM ${part} AS o
      WHERE ${where.sql} ORDER BY ${orderBy} LIMIT ${roundedUp(maxObjects + 1)}
    ) AS o LIMIT ?`
  return recordsOfRows({ sql, values: [...where.values, maxObjects + 1] }, cursor, record, budget)
}

interface ListedRowsSpec {
  readonly table: number
  readonly version: number
  readonly keys: readonly string[]
  readonly record: RecordSpec
  /** Undefined if all records fit. */
  readonly budget: ByteBudget | undefined
  /** Whether the rows of the table are on several machines. */
  readonly isDistributed: boolean
}

/**
 * Selects the same of the rows that are visible at a version, in the order of their keys. A key without
 * such a row is omitted.
 */
export function listedRecordsSql(spec: ListedRowsSpec): SqlCondition {
  const { table, record, budget, isDistributed } = spec
  const cursor = 'o.pk, o.valid_from'
  const gathered = gatheredRows(spec)
  if (isDistributed && budget === undefined) return flatRecords(table, record, cursor, gathered)
  const columns = `SELECT ${rowColumns(record)} FROM ${objectTable(table)} AS o`
  const rows = isDistributed
    ? { ...gathered, sql: `${columns} ${gathered.sql}` }
    : lookedUpRows(spec)
  return recordsOfRows(rows, cursor, record, budget && { ...budget, includeFirst: true })
}

/** Citus gathers the rows of a subquery on the coordinator, in a file, so there is none. */
function flatRecords(
  table: number,
  record: RecordSpec,
  cursor: string,
  { sql, values }: SqlCondition,
): SqlCondition {
  const recordText = recordSql(record)
  return {
    sql: `SELECT ${cursor}, ${recordText.sql} FROM ${objectTable(table)} AS o ${sql}`,
    values: [...recordText.values, ...values],
  }
}

/**
 * Looks up key after key, so nothing is sorted. Of the versions of an object, the newest that is not
 * too new is the only one that can be visible, so no other is read.
 */
function lookedUpRows({ table, version, keys, record }: ListedRowsSpec): SqlCondition {
  return {
    sql: `SELECT o.* FROM unnest(?::text[]) WITH ORDINALITY AS listed (pk, position)
      CROSS JOIN LATERAL (
        SELECT ${rowColumns(record)}, o.valid_to FROM ${objectTable(table)} AS o
        WHERE o.pk = listed.pk AND o.valid_from <= ? ORDER BY o.valid_from DESC LIMIT 1
      ) AS o WHERE o.valid_to > ? ORDER BY listed.position`,
    values: [arrayText('text', keys), version, version],
  }
}

/** Citus cannot look up rows on other machines one by one. */
function gatheredRows({ version, keys }: ListedRowsSpec): SqlCondition {
  const list = arrayText('text', keys)
  return {
    sql: `WHERE o.pk = ANY(?::text[]) AND o.valid_from <= ? AND o.valid_to > ?
      ORDER BY array_position(?::text[], o.pk) LIMIT ?`,
    values: [list, version, version, list, keys.length],
  }
}

/** The columns that records are written from. */
function rowColumns({ shape }: RecordSpec): string {
  const checksum = shape.some((part) => 'isChecked' in part) ? ', o.checksum' : ''
  return `o.pk, o.valid_from, o.object_id, o.key, o.title, o.body${checksum}`
}

function recordsOfRows(
  rows: SqlCondition,
  cursor: string,
  record: RecordSpec,
  budget: RowsBudget | undefined,
): SqlCondition {
  const recordText = recordSql(record)
  if (budget === undefined) {
    return {
      sql: `SELECT ${cursor}, ${recordText.sql} FROM (${rows.sql}) AS o`,
      values: [...recordText.values, ...rows.values],
    }
  }
  const fits = `bytes <= ?${budget.includeFirst ? ' OR position = 1' : ''}`
  return {
    sql: `SELECT ${cursor}, CASE WHEN ${fits} THEN ${recordText.sql} END, bytes FROM (
      SELECT *, row_number() OVER () AS position, ${sizeSql(budget)} AS bytes
      FROM (${rows.sql}) AS o) AS o`,
    values: [budget.maxBytes, ...recordText.values, ...rows.values],
  }
}

/**
 * Returns a number that is at most a quarter larger. It is written and not bound, so that a prepared
 * statement is planned for pages of about this size. The exact size is bound: clients choose it, and
 * the number of prepared statements of a connection is limited.
 */
function roundedUp(rows: number): string {
  if (!Number.isSafeInteger(rows)) throw new Error(`not a number of rows: ${rows}`)
  const step = 2 ** Math.max(0, Math.floor(Math.log2(rows)) - 2)
  return String(step * Math.ceil(rows / step))
}

/** The bytes of a record and of all records before it. */
function sizeSql({ recordOverhead }: ByteBudget): string {
  return `(sum(${STORED_BYTES} + ${recordOverhead}) OVER (ROWS UNBOUNDED PRECEDING))::bigint`
}

/** Writes the record of a row. */
export function recordSql(record: RecordSpec): SqlCondition {
  const { parts, values } = recordParts(record, DIALECT)
  return { sql: parts.join(' || '), values }
}

const DIALECT: RecordDialect = {
  columns: {
    objectId: 'o.object_id',
    key: 'o.key',
    wholeKey: `btrim(o.key, '"')`,
    doubleKey: `CASE WHEN o.key LIKE '%Infinity%' THEN o.key ELSE btrim(o.key, '"') END`,
    title: 'o.title',
    properties: 'o.body',
    // Unlike substr(), right() does not count the characters of the whole text.
    flatProperties: 'right(o.body, -1)',
  },
  literal: '?::text',
  optional: (column) => `coalesce(?::text || ${column}, '')`,
  selected: selectedMembers,
  renamed: renamedMembers,
}

/** Up to this many properties, extracting each is faster than decomposing the body once. */
const FEW_PROPERTIES = 3

/** Writes the selected properties and the closing brace, with each value's text as it was stored. */
function selectedMembers(selection: readonly string[], values: string[]): string {
  if (selection.length > FEW_PROPERTIES) {
    const positions = JSON.stringify(Object.fromEntries(selection.map((name, at) => [name, at])))
    values.push(positions, positions)
    // One function and no join: Citus crashes if a join of functions refers to the outer row.
    return `coalesce((
      SELECT string_agg('"' || member.key || '":' || member.value::text, ','
        ORDER BY ?::jsonb -> member.key)
      FROM json_each(o.body::json) AS member
      WHERE ?::jsonb -> member.key IS NOT NULL), '') || '}'`
  }
  const members = selection.map((name) => {
    values.push(`"${name}":`, name)
    return '?::text || (o.body::json -> ?::text)::text'
  })
  return `concat_ws(',', ${members.join(', ')}) || '}'`
}

/** Writes properties under other names, each with a comma before it. */
function renamedMembers(renamed: readonly RenamedProperty[], values: string[]): string {
  if (renamed.length > FEW_PROPERTIES) {
    const heads = renamed.map(({ property, as }) => [property, `,"${as}":`])
    const names = JSON.stringify(Object.fromEntries(heads))
    values.push(names, names)
    return `coalesce((
      SELECT string_agg((?::jsonb ->> member.key) || member.value::text, '')
      FROM json_each(o.body::json) AS member
      WHERE ?::jsonb -> member.key IS NOT NULL), '')`
  }
  const members = renamed.map(({ property, as }) => {
    values.push(`,"${as}":`, property)
    return '?::text || (o.body::json -> ?::text)::text'
  })
  return members.length === 0 ? "''" : `concat(${members.join(', ')})`
}

/** Converts the rows of `pageSql`, which are bytes, to the bytes of a page. */

/** Returns the rows that fit into the page. */
export function fittingRows(rows: readonly ByteRow[], maxObjects: number): readonly ByteRow[] {
  const overflow = rows.findIndex(([, , record]) => record === null)
  return rows.slice(0, Math.min(overflow === -1 ? rows.length : overflow, maxObjects))
}

/** Returns the bytes of all records up to the end of a row, if the statement had a budget. */
export function bytesUpTo(row: ByteRow | undefined): number {
  return readBigint(row?.[3]) ?? 0
}

export type PageRows = Pick<StoredPage, 'records' | 'release' | 'count' | 'last' | 'more'>

/** Copies the records into the page, and frees the memory of the rows. */
export function toPageRows(
  rows: readonly ByteRow[],
  more: boolean,
  { separator }: RecordSpec,
): PageRows {
  const joined = joinRecords(
    rows.flatMap(([, , record]) => record ?? []),
    separator,
  )
  const [pk, version] = rows.at(-1) ?? []
  const last = pk ? { pk: pk.toString(), version: readBigint(version) ?? 0 } : undefined
  freeRows(rows)
  return { ...joined, count: rows.length, last, more }
}

function readBigint(value: Buffer | null | undefined): number | undefined {
  return value ? Number(value.readBigInt64BE()) : undefined
}
