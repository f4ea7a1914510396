import type { RecordColumn, RecordPart, RecordShape } from '../../../contract/object-record.ts'
import type { Selection } from '../../../query/selection.ts'
import type { RecordWish } from '../../object-store.ts'
import { OPEN } from '../../sql/new-table.ts'
import { objectTable } from '../catalogue/object-table.ts'

/**
 * The SQL of a page. The database writes all records of a page into one BLOB, so that a page
 * reaches JavaScript as bytes, in one piece, whatever its size.
 *
 * The concatenation follows the order of the inner query, which an index or a list of row numbers
 * delivers. SQLite does not promise that order for `group_concat`, only for
 * `group_concat(… ORDER BY …)`, which costs twice as much; see docs/decisions/004-page-as-one-blob.md
 * for how the order is held by tests.
 */

/** Which rows are objects: the current ones, or those as of a version. */
export type Visibility = 'current' | 'version'

export interface SqlText {
  readonly sql: string
  /** Values of the placeholders that the record brought, in order; the caller's follow. */
  readonly values: readonly string[]
}

/** Further values: visibility, key, number of rows. Gives records, last key, count. */
export function pageSql(table: number, visibility: Visibility, record: RecordWish): SqlText {
  const { sql, values } = recordSql(record)
  return {
    sql: `SELECT ${joinedSql(record)}, max(pk), count(*) FROM (
      SELECT pk, ${sql} AS record ${rowsAfterKey(table, visibility)}
    )`,
    values,
  }
}

/** Further value: the numbers of the rows, as a JSON array. Gives their records. */
export function rowsSql(table: number, record: RecordWish): SqlText {
  const { sql, values } = recordSql(record)
  return {
    sql: `SELECT ${joinedSql(record)} FROM (
      SELECT ${sql} AS record FROM json_each(?) AS wanted
      CROSS JOIN ${objectTable(table)} AS o ON o.id = wanted.value
    )`,
    values,
  }
}

/** Values: visibility, key, number of rows. Gives the bytes of each record's columns, lazily. */
export function recordSizesSql(table: number, visibility: Visibility): string {
  return `SELECT ${SIZE} ${rowsAfterKey(table, visibility)}`
}

/** Value: the numbers of the rows, as a JSON array. Gives the bytes of each record's columns. */
export function rowSizesSql(table: number): string {
  return `SELECT ${SIZE} FROM json_each(?) AS wanted
    CROSS JOIN ${objectTable(table)} AS o ON o.id = wanted.value`
}

/** Values: visibility, key. Gives a row when an object follows the key. */
export function followerSql(table: number, visibility: Visibility): SqlText {
  return { sql: `SELECT 1 ${rowsAfterKey(table, visibility, 'LIMIT 1')}`, values: [] }
}

const shapeNames = new WeakMap<RecordShape, string>()
let shapesNamed = 0

/** A short name for records of all properties; undefined where some are selected. */
export function recordName({ shape, selection, separator = ',' }: RecordWish): string | undefined {
  if (selection !== undefined) return undefined
  let name = shapeNames.get(shape)
  if (name === undefined) {
    shapesNamed += 1
    name = String(shapesNamed)
    shapeNames.set(shape, name)
  }
  return separator === ',' ? name : `${name} by line`
}

/** The values of a visibility's placeholders. */
export function visibilityValues(visibility: Visibility, version: number): readonly number[] {
  return visibility === 'current' ? [] : [version, version]
}

export const VISIBLE: Readonly<Record<Visibility, string>> = {
  current: `valid_to = ${OPEN}`,
  version: 'valid_from <= ? AND valid_to > ?',
}

const SIZE = 'octet_length(o.body) + octet_length(o.key) + coalesce(octet_length(o.title), 0)'

/** At a bare placeholder SQLite looks at the value, and plans the statement anew for each. */
export const LIMIT = 'LIMIT ? + 0'

function rowsAfterKey(table: number, visibility: Visibility, limit = LIMIT): string {
  return `FROM ${objectTable(table)} AS o WHERE ${VISIBLE[visibility]} AND pk > ? ORDER BY pk ${limit}`
}

/** Between two records, in SQL. */
const SEPARATORS = { ',': "','", '\n': 'char(10)' } as const

function joinedSql({ separator = ',' }: RecordWish): string {
  return `CAST(group_concat(record, ${SEPARATORS[separator]}) AS BLOB)`
}

function recordSql({ shape, selection }: RecordWish): SqlText {
  const values: string[] = []
  const parts = shape.map((part) => partSql(part, selection, values))
  return { sql: `concat(${parts.join(', ')})`, values }
}

const COLUMNS: Readonly<Record<RecordColumn, string>> = {
  objectId: 'o.object_id',
  key: 'o.key',
  title: 'o.title',
  properties: 'o.body',
}

function partSql(part: RecordPart, selection: Selection, values: string[]): string {
  if ('column' in part) {
    const selects = part.column === 'properties' && selection !== undefined
    return selects ? selectedBody(selection, values) : COLUMNS[part.column]
  }
  values.push(part.literal)
  // concat() passes over nulls, so a missing title takes its literal with it.
  return 'optionalColumn' in part ? `? || ${COLUMNS[part.optionalColumn]}` : '?'
}

/** The body with the selected properties only; `->` gives the text of each as it was stored. */
function selectedBody(selection: readonly string[], values: string[]): string {
  const members = selection.map((name) => {
    values.push(`"${name}":`, `$."${name}"`)
    return '? || (o.body -> ?)'
  })
  // In groups, because a function takes only so many arguments; an empty group adds no comma.
  const groups = Array.from({ length: Math.ceil(members.length / GROUP) }, (_, index) => {
    const group = members.slice(index * GROUP, (index + 1) * GROUP)
    return `nullif(concat_ws(',', ${group.join(', ')}), '')`
  })
  return `'{' || concat_ws(',', ${groups.join(', ')}) || '}'`
}

const GROUP = 50
