import type { RecordColumn, RecordPart, RecordShape } from '../../contract/object-record.ts'
import { OPEN, objectTable } from './object-table.ts'

/**
 * The SQL of a page. The database writes all records of a page into one BLOB, so that a page
 * reaches JavaScript as bytes, in one piece, whatever its size.
 *
 * The concatenation follows the order of the inner query, which an index delivers. SQLite does not
 * promise that order for `group_concat`, only for `group_concat(… ORDER BY …)`, which costs twice
 * as much; see docs/decisions/004-page-as-one-blob.md for how the order is held by tests.
 */

/** Which rows are objects: the current ones, or those as of a version. */
export type Visibility = 'current' | 'version'

export interface SqlText {
  readonly sql: string
  /** Values of the placeholders that the shape brought, in order; the caller's follow. */
  readonly values: readonly string[]
}

/** Further values: visibility, key, number of rows. Gives records, last key, count. */
export function pageSql(table: number, visibility: Visibility, shape: RecordShape): SqlText {
  const values: string[] = []
  const record = shape.map((part) => partSql(part, values)).join(', ')
  const sql = `
    SELECT CAST(group_concat(record, ',') AS BLOB), max(pk), count(*) FROM (
      SELECT pk, concat(${record}) AS record ${rowsAfterKey(table, visibility)}
    )`
  return { sql, values }
}

/** Values: visibility, key, number of rows. Gives the bytes of each body, lazily. */
export function recordSizesSql(table: number, visibility: Visibility): string {
  return `SELECT octet_length(body) + octet_length(key) + coalesce(octet_length(title), 0)
    ${rowsAfterKey(table, visibility)}`
}

/** Values: visibility, key, number of rows. Gives a row when an object follows the key. */
export function followerSql(table: number, visibility: Visibility): string {
  return `SELECT 1 ${rowsAfterKey(table, visibility)}`
}

/** The values of a visibility's placeholders. */
export function visibilityValues(visibility: Visibility, version: number): readonly number[] {
  return visibility === 'current' ? [] : [version, version]
}

function rowsAfterKey(table: number, visibility: Visibility): string {
  return `FROM ${objectTable(table)} WHERE ${VISIBLE[visibility]} AND pk > ? ORDER BY pk LIMIT ?`
}

const VISIBLE: Readonly<Record<Visibility, string>> = {
  current: `valid_to = ${OPEN}`,
  version: 'valid_from <= ? AND valid_to > ?',
}

const COLUMNS: Readonly<Record<RecordColumn, string>> = {
  objectId: 'object_id',
  key: 'key',
  title: 'title',
  properties: 'body',
}

function partSql(part: RecordPart, values: string[]): string {
  if ('column' in part) return COLUMNS[part.column]
  values.push(part.literal)
  // concat() passes over nulls, so a missing title takes its literal with it.
  return 'optionalColumn' in part ? `? || ${COLUMNS[part.optionalColumn]}` : '?'
}
