/**
 * How a table stores its rows. Tables of earlier releases keep their layout until they are rewritten,
 * and are read and written in the meantime. See docs/decisions/016-smaller-tables.md.
 *
 * | Layout | Differs from the next one |
 * |---|---|
 * | 1 | the key property has a column and an index, texts and object ids are indexed in full, terms are cut at separators |
 * | 2 | |
 */
import type { ColumnLayout } from '../../sql/field-numbers.ts'
import { OPEN } from '../../sql/new-table.ts'
import { combine, type SqlCondition } from '../../sql/sql-condition.ts'
import type { TermRules } from '../../sql/text-index.ts'
import type { Prepares } from '../file/writer-database.ts'

/** The layout of new tables. */
export const CURRENT_LAYOUT = 2

export interface TableLayout extends ColumnLayout {
  readonly number: number
  readonly integerTimes: ReadonlySet<string>
}

/** The columns of `object_table` that describe its layout, in the order of `LayoutRow`. */
export const LAYOUT_COLUMNS = 'layout, key_property, long_texts, integer_times'

export type LayoutRow = readonly [
  layout: number,
  keyProperty: string | null,
  longTexts: string,
  integerTimes: string,
]

export function toTableLayout(row: LayoutRow): TableLayout {
  const [number, keyProperty, longTexts, integerTimes] = row
  return {
    number,
    keyProperty: keyProperty ?? undefined,
    longTexts: toFieldSet(longTexts),
    integerTimes: toFieldSet(integerTimes),
  }
}

const NO_FIELDS: ReadonlySet<string> = new Set()

function toFieldSet(json: string): ReadonlySet<string> {
  return json === '[]' ? NO_FIELDS : new Set(JSON.parse(json) as string[])
}

/** Reads the layout of a table. */
export function readTableLayout(db: Prepares, id: number): TableLayout {
  const row = db.prepare(`SELECT ${LAYOUT_COLUMNS} FROM object_table WHERE id = ?`).get(id)
  if (row === undefined) throw new Error(`no table ${id}`)
  const { layout, key_property, long_texts, integer_times } = row
  return toTableLayout([layout, key_property, long_texts, integer_times] as unknown as LayoutRow)
}

/** Returns how the texts of a table are cut into terms. */
export function termRulesOf({ number }: Pick<TableLayout, 'number'>): TermRules {
  return number === 1 ? 'separators' : 'analyser'
}

/** How the texts of new tables are cut. */
export const NEW_TABLE_RULES = termRulesOf({ number: CURRENT_LAYOUT })

/** Returns the expression that the index of object ids holds. */
export function indexedObjectId(layout: TableLayout, id: string): string {
  // The first 32 bits, which few ids share.
  return hasFullIdIndex(layout) ? id : `unhex(substr(${id}, 1, 8))`
}

/** Tests whether the id of a row is in a list, which is a JSON array. */
export function hasObjectId(layout: TableLayout, list: string): SqlCondition {
  const listed = { sql: 'o.object_id IN (SELECT value FROM json_each(?))', values: [list] }
  if (hasFullIdIndex(layout)) return listed
  const [own, other] = [indexedObjectId(layout, 'o.object_id'), indexedObjectId(layout, 'value')]
  const byIndex = { sql: `${own} IN (SELECT ${other} FROM json_each(?))`, values: [list] }
  return combine('and', [byIndex, listed])
}

/** Joins rows to a list of ids, which are in the column `value` of a table. */
export function sameObjectId(layout: TableLayout, listed: string): string {
  const isSame = `o.object_id = ${listed}.value`
  if (hasFullIdIndex(layout)) return isSame
  const [own, other] = [
    indexedObjectId(layout, 'o.object_id'),
    indexedObjectId(layout, `${listed}.value`),
  ]
  return `${own} = ${other} AND ${isSame}`
}

/**
 * Returns the expression that the index of versions holds of `valid_to`. Nulls take no space, and
 * most rows are current.
 */
export function indexedValidTo({ number }: TableLayout): string {
  return number === 1 ? 'valid_to' : VALID_TO_OR_NULL
}

const VALID_TO_OR_NULL = `nullif(valid_to, ${OPEN})`

/** Selects the rows that are visible at a version, by the index of versions of any layout alone. */
export const VISIBLE_AT_VERSION = `valid_from <= ? AND coalesce(${VALID_TO_OR_NULL}, ${OPEN}) > ?`

function hasFullIdIndex({ number }: TableLayout): boolean {
  return number === 1
}
