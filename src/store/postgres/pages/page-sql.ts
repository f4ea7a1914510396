import {
  bytesOfShape,
  type RecordColumn,
  type RecordPart,
} from '../../../contract/object-record.ts'
import type { Selection } from '../../../query/selection.ts'
import type { RecordWish } from '../../object-store.ts'
import { OPEN } from '../../sql/new-table.ts'
import type { BoundValue, SqlCondition } from '../../sql/sql-condition.ts'
import { objectTable } from '../catalogue/object-table.ts'

/**
 * The SQL of a page. The database writes each record whole, so that nothing is parsed on the way
 * out; they come row by row, which costs the database half of what one long text costs it. One row
 * more than is wanted tells whether anything follows.
 */

/** Which rows are objects: the current ones, or those as of a version. */
export type Visibility = 'current' | 'version'

export function visibleSql(
  visibility: Visibility,
  version: number,
  { number } = SHOWN_VALUES,
): SqlCondition {
  return visibility === 'current'
    ? { sql: `o.valid_to = ${OPEN}`, values: [] }
    : {
        sql: `o.valid_from <= ${number} AND o.valid_to > ${number}`,
        values: [version, version],
      }
}

/** How the values of a condition are bound. */
export interface BoundPlaces {
  readonly number: string
  readonly text: string
}

/** The planner sees the values, and plans anew for each set of them. */
export const SHOWN_VALUES: BoundPlaces = { number: '?', text: '?' }

/**
 * The planner does not see the values, so one plan serves them all: planning takes as long as
 * reading a small page does. What it then guesses is a few rows in a hundred.
 */
export const HIDDEN_VALUES: BoundPlaces = { number: '(SELECT ?::bigint)', text: '(SELECT ?::text)' }

export interface PageSqlWish {
  readonly table: number
  readonly where: SqlCondition
  readonly orderBy: string
  /** Whether the key alone tells where a page ended, and versions are left out. */
  readonly isKeyOrder: boolean
  readonly record: RecordWish
  /** How many records at most. */
  readonly maxObjects: number
  readonly budget: ByteBudget | undefined
}

/** For rows that may not all fit. */
export interface ByteBudget {
  readonly bytes: number
  /** Whether the first row is shown however large it is. */
  readonly owesFirst: boolean
}

/**
 * Gives key, version and record of each row, and where there is a budget the bytes up to its end.
 * What does not fit comes without its record.
 */
export function pageSql(wish: PageSqlWish): SqlCondition {
  const { table, where, orderBy, isKeyOrder, record, maxObjects, budget } = wish
  const written = recordSql(record)
  // Records are made of the rows that are left, not of all that are sorted.
  const rows = `SELECT o.pk, o.valid_from, o.object_id, o.key, o.title, o.body
    FROM ${objectTable(table)} AS o
    WHERE ${where.sql} ORDER BY ${orderBy} LIMIT ${wholeNumber(maxObjects + 1)}`
  const place = isKeyOrder ? 'o.pk, NULL::bigint' : 'o.pk, o.valid_from'
  if (budget === undefined) {
    return {
      sql: `SELECT ${place}, ${written.sql} FROM (${rows}) AS o`,
      values: [...written.values, ...where.values],
    }
  }
  const fits = `bytes <= ?${budget.owesFirst ? ' OR place = 1' : ''}`
  return {
    sql: `SELECT ${place}, CASE WHEN ${fits} THEN ${written.sql} END, bytes FROM (
      SELECT *, row_number() OVER () AS place, ${sizeSql(record)} AS bytes FROM (${rows}) AS o) AS o`,
    values: [budget.bytes, ...written.values, ...where.values],
  }
}

/** Written, not bound, so that a prepared statement is planned for pages of this size. */
function wholeNumber(number: number): string {
  if (!Number.isSafeInteger(number)) throw new Error(`not a number of rows: ${number}`)
  return String(number)
}

/** The bytes of a record and all records before. */
function sizeSql({ shape }: RecordWish): string {
  const stored = 'octet_length(o.body) + octet_length(o.key) + coalesce(octet_length(o.title), 0)'
  return `(sum(${stored} + ${bytesOfShape(shape)}) OVER (ROWS UNBOUNDED PRECEDING))::bigint`
}

function recordSql({ shape, selection }: RecordWish): SqlCondition {
  const values: BoundValue[] = []
  const parts = shape.map((part) => partSql(part, selection, values))
  return { sql: parts.join(' || '), values }
}

const COLUMNS: Readonly<Record<RecordColumn, string>> = {
  objectId: 'o.object_id',
  key: 'o.key',
  title: 'o.title',
  properties: 'o.body',
}

function partSql(part: RecordPart, selection: Selection, values: BoundValue[]): string {
  if ('column' in part) {
    const selects = part.column === 'properties' && selection !== undefined
    return selects ? selectedBody(selection, values) : COLUMNS[part.column]
  }
  values.push(part.literal)
  // A missing title takes its literal with it.
  return 'optionalColumn' in part
    ? `coalesce(?::text || ${COLUMNS[part.optionalColumn]}, '')`
    : '?::text'
}

/** Up to so many properties, looking for each by itself is faster than taking all apart. */
const FEW_PROPERTIES = 3

/** The body with the selected properties only, the text of each as it was stored. */
function selectedBody(selection: readonly string[], values: BoundValue[]): string {
  if (selection.length > FEW_PROPERTIES) {
    const places = JSON.stringify(Object.fromEntries(selection.map((name, place) => [name, place])))
    values.push(places, places)
    // One function and no join: Citus crashes where a join of functions looks at the row outside.
    return `'{' || coalesce((
      SELECT string_agg('"' || member.key || '":' || member.value::text, ','
        ORDER BY ?::jsonb -> member.key)
      FROM json_each(o.body::json) AS member
      WHERE ?::jsonb -> member.key IS NOT NULL), '') || '}'`
  }
  const members = selection.map((name) => {
    values.push(`"${name}":`, name)
    return '?::text || (o.body::json -> ?::text)::text'
  })
  return `'{' || concat_ws(',', ${members.join(', ')}) || '}'`
}
