/**
 * The SQL of a page. The database concatenates all records of a page into one BLOB, so that a page
 * reaches JavaScript as bytes, in one piece, whatever its size.
 *
 * The concatenation follows the order of the inner query, which an index or a list of row ids
 * supplies. SQLite guarantees that order only for `group_concat(… ORDER BY …)`, which costs twice as
 * much; docs/decisions/004-page-as-one-blob.md says how tests verify the order instead.
 */
import { CHECKED_RECORD, type RenamedProperty, shapeKey } from '../../../contract/object-record.ts'
import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { RecordSpec } from '../../object-store.ts'
import { type RecordDialect, recordParts } from '../../sql/compile/record-sql.ts'
import type { Visibility } from '../../sql/plan/plan-rules.ts'
import { LIMIT, VISIBLE } from '../catalogue/type-head.ts'
import { KEY_JSON, ROW_BYTES, TITLE_JSON } from '../file/row-texts.ts'

export interface SqlText {
  readonly sql: string
  /** The values of the record's placeholders, in order; the caller's values follow. */
  readonly values: readonly string[]
}

/** Rows that an index supplies in key order. */
export interface WalkedRows {
  readonly table: number
  readonly visibility: Visibility
  /** A condition on the rows `o`. Its values follow those of the visibility. */
  readonly condition?: string | undefined
}

/**
 * Selects records, last key and count, and the row ids on request. Further values: those of the rows,
 * key, number of rows.
 */
export function pageSql(rows: WalkedRows, record: RecordSpec, includeRowIds = false): SqlText {
  const { sql, values } = recordSql(record)
  const rowIds = includeRowIds ? ', group_concat(id)' : ''
  return {
    sql: `SELECT ${joinedSql(record)}, max(pk), count(*)${rowIds} FROM (
      SELECT id, pk, ${sql} AS record ${rowsAfterKey(rows)}
    )`,
    values,
  }
}

/** Rows that a list names, in the order of the list. */
export interface ListedRows {
  readonly table: number
  /** Whether the list has row ids, or the keys of rows with this visibility. */
  readonly by: 'id' | Visibility
}

/**
 * Selects records and count, key and version of the last row, and the row ids on request. Further
 * values: the list, as a JSON array; those of the visibility. The bare columns have the values of the
 * row with the maximum, as SQLite defines it.
 */
export function listedRecordsSql(
  rows: ListedRows,
  record: RecordSpec,
  includeRowIds: boolean,
): SqlText {
  const { sql, values } = recordSql(record)
  const rowIds = includeRowIds ? ', group_concat(id)' : ''
  return {
    sql: `SELECT ${joinedSql(record)}, count(*), pk, valid_from, max(position)${rowIds} FROM (
      SELECT o.id, o.pk, o.valid_from, listed.key AS position, ${sql} AS record ${listedRows(rows)}
    )`,
    values,
  }
}

/** Selects the bytes of each record's columns. Values: list, as a JSON array; those of the visibility. */
export function listedSizesSql(rows: ListedRows): string {
  return `SELECT ${ROW_BYTES} ${listedRows(rows)}`
}

function listedRows({ table, by }: ListedRows): string {
  const isListed = by === 'id' ? 'o.id = listed.value' : `o.pk = listed.value AND ${VISIBLE[by]}`
  return `FROM json_each(?) AS listed CROSS JOIN ${objectTable(table)} AS o ON ${isListed}`
}

/** Returns a text that identifies the statement of `listedRecordsSql`. */
export function listedRecordsKey(
  rows: ListedRows,
  record: RecordSpec,
  includeRowIds: boolean,
): string {
  return `listed ${recordsKey(`${rows.table} ${rows.by}`, record, includeRowIds)}`
}

/** Selects the bytes of each record's columns. Values: those of the rows, key, number of rows. */
export function recordSizesSql(rows: WalkedRows): string {
  return `SELECT ${ROW_BYTES} ${rowsAfterKey(rows)}`
}

/** Selects a row if an object follows the key. Values: those of the rows, key. */
export function followerSql(rows: WalkedRows): string {
  return `SELECT 1 ${rowsAfterKey(rows, 'LIMIT 1')}`
}

/** Returns a text that identifies the statement of `pageSql`. */
export function pageKey(rows: WalkedRows, record: RecordSpec, includeRowIds = false): string {
  return `page ${recordsKey(rowsKey(rows), record, includeRowIds)}`
}

function recordsKey(rows: string, record: RecordSpec, includeRowIds: boolean): string {
  const { shape, selection, separator = ',' } = record
  const properties = selection === undefined ? '' : JSON.stringify(selection)
  return `${includeRowIds ? 'ids ' : ''}${rows} ${separator} ${shapeKey(shape)} ${properties}`
}

/** Returns a text that identifies the statement of `followerSql`. */
export function followerKey(rows: WalkedRows): string {
  return `follower ${rowsKey(rows)}`
}

function rowsKey({ table, visibility, condition = '' }: WalkedRows): string {
  return `${table} ${visibility} ${condition}`
}

function rowsAfterKey({ table, visibility, condition }: WalkedRows, limit = LIMIT): string {
  const where = condition === undefined ? 'pk > ?' : `${condition} AND pk > ?`
  return `FROM ${objectTable(table)} AS o WHERE ${VISIBLE[visibility]} AND ${where} ORDER BY pk ${limit}`
}

/** The separators of records, in SQL. */
const SEPARATORS = { ',': "','", '\n': 'char(10)' } as const

function joinedSql({ separator = ',' }: RecordSpec): string {
  return `CAST(group_concat(record, ${SEPARATORS[separator]}) AS BLOB)`
}

/** Writes the record of a row. */
export function recordSql(record: RecordSpec): SqlText {
  const { parts, values } = recordParts(record, DIALECT)
  const [only] = parts
  // The parts of a checked record are joined already.
  const isJoined = record.shape === CHECKED_RECORD && only !== undefined
  return { sql: isJoined ? only : `concat(${parts.join(', ')})`, values }
}

const DIALECT: RecordDialect = {
  columns: {
    objectId: 'o.object_id',
    key: KEY_JSON,
    wholeKey: `substr(${KEY_JSON}, 2, length(${KEY_JSON}) - 2)`,
    doubleKey: `iif(${KEY_JSON} LIKE '%Infinity%', ${KEY_JSON}, trim(${KEY_JSON}, '"'))`,
    title: TITLE_JSON,
    properties: 'o.body',
    // Of a text, substr() counts every character; of bytes, it does not.
    flatProperties: 'substr(CAST(o.body AS BLOB), 2)',
  },
  literal: '?',
  // concat() skips nulls, so a missing title also omits its literal.
  optional: (column) => `? || ${column}`,
  selected: selectedMembers,
  renamed: renamedMembers,
}

/**
 * Writes the selected properties and the closing brace; `->` returns each value's text as it was
 * stored.
 */
function selectedMembers(selection: readonly string[], values: string[]): string {
  const members = selection.map((name) => {
    values.push(`"${name}":`, `$."${name}"`)
    return '? || (o.body -> ?)'
  })
  // In groups, because SQLite limits the arguments of a function; an empty group adds no comma.
  const groups = Array.from({ length: Math.ceil(members.length / GROUP) }, (_, index) => {
    const group = members.slice(index * GROUP, (index + 1) * GROUP)
    return `nullif(concat_ws(',', ${group.join(', ')}), '')`
  })
  return `concat_ws(',', ${groups.join(', ')}) || '}'`
}

/** Writes properties under other names, each with a comma before it. */
function renamedMembers(renamed: readonly RenamedProperty[], values: string[]): string {
  const members = renamed.map(({ property, as }) => {
    values.push(`,"${as}":`, `$."${property}"`)
    return '? || (o.body -> ?)'
  })
  const groups = Array.from({ length: Math.ceil(members.length / GROUP) }, (_, index) => {
    return `concat(${members.slice(index * GROUP, (index + 1) * GROUP).join(', ')})`
  })
  return groups.length === 0 ? "''" : `concat(${groups.join(', ')})`
}

const GROUP = 50
