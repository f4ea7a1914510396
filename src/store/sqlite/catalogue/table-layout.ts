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
import type { SqlCondition } from '../../sql/sql-condition.ts'
import type { TermRules } from '../../sql/text-index.ts'
import type { Prepares } from '../file/statement-cache.ts'

/** The layout of new tables. */
export const CURRENT_LAYOUT = 2

export interface TableLayout extends ColumnLayout {
  readonly number: number
  readonly integerTimes: ReadonlySet<string>
  /**
   * The last version when the indexes were built. The object ids of rows of later versions are in an
   * index of their own; undefined if one index has all ids.
   */
  readonly indexedAt: number | undefined
}

/** The columns of `oqs_object_table` that describe its layout, in the order of `LayoutRow`. */
export const LAYOUT_COLUMNS = 'layout, key_property, prefix_fields, integer_times, indexed_version'

export type LayoutRow = readonly [
  layout: number,
  keyProperty: string | null,
  longTexts: string,
  integerTimes: string,
  indexedAt: number | null,
]

export function toTableLayout(row: LayoutRow): TableLayout {
  const [number, keyProperty, longTexts, integerTimes, indexedAt] = row
  return {
    number,
    keyProperty: keyProperty ?? undefined,
    longTexts: toFieldSet(longTexts),
    integerTimes: toFieldSet(integerTimes),
    indexedAt: indexedAt ?? undefined,
  }
}

const NO_FIELDS: ReadonlySet<string> = new Set()

function toFieldSet(json: string): ReadonlySet<string> {
  return json === '[]' ? NO_FIELDS : new Set(JSON.parse(json) as string[])
}

/** Reads the layout of a table. */
export function readTableLayout(db: Prepares, id: number): TableLayout {
  const row = db.prepare(`SELECT ${LAYOUT_COLUMNS} FROM oqs_object_table WHERE id = ?`).get(id)
  if (row === undefined) throw new Error(`no table ${id}`)
  const { layout, key_property, prefix_fields, integer_times, indexed_version } = row
  const columns = [layout, key_property, prefix_fields, integer_times, indexed_version]
  return toTableLayout(columns as unknown as LayoutRow)
}

/** Returns how the texts of a table are cut into terms. */
export function termRulesOf({ number }: Pick<TableLayout, 'number'>): TermRules {
  return number === 1 ? 'separators' : 'analyser'
}

/** How the texts of new tables are cut. */
export const NEW_TABLE_RULES = termRulesOf({ number: CURRENT_LAYOUT })

export interface ObjectIdIndex {
  readonly name: 'object_id' | 'later_object_id'
  /** The condition on its rows; undefined if it has all rows. */
  readonly where: string | undefined
}

/**
 * Returns the indexes of object ids. Ids are random, so new rows would change every page of an index
 * of many ids; therefore rows of versions after the last load have an index of their own.
 */
export function objectIdIndexes({ indexedAt }: TableLayout): readonly ObjectIdIndex[] {
  if (indexedAt === undefined) return [{ name: 'object_id', where: undefined }]
  return [
    { name: 'object_id', where: `valid_from <= ${indexedAt}` },
    { name: 'later_object_id', where: `valid_from > ${indexedAt}` },
  ]
}

/** Returns the expression that the indexes of object ids hold. */
export function indexedObjectId({ number }: TableLayout, id: string): string {
  // The first 32 bits, which few ids share.
  return number === 1 ? id : `unhex(substr(${id}, 1, 8))`
}

interface ObjectIdSearch {
  readonly table: string
  readonly layout: TableLayout
  /** The columns of the rows to select. */
  readonly columns: readonly string[]
  /** The ids, as a JSON array. */
  readonly list: string
}

/**
 * Selects the rows whose object id is in a list. There is a query for each index, because SQLite uses
 * a partial index only if the query repeats its condition.
 */
export function selectByObjectId({ table, layout, columns, list }: ObjectIdSearch): SqlCondition {
  // Not `o`: conditions on linked rows rename that, see linked-sql.ts.
  const selected = columns.map((column) => `stored.${column}`).join()
  const [own, listed] = ['stored.object_id', 'listed.value'].map((id) =>
    indexedObjectId(layout, id),
  )
  const queries = objectIdIndexes(layout).map(({ where = 'TRUE' }) => {
    return `SELECT ${selected} FROM json_each(?) AS listed CROSS JOIN ${table} AS stored
      ON ${where} AND ${own} = ${listed} AND stored.object_id = listed.value`
  })
  return { sql: queries.join(' UNION ALL '), values: queries.map(() => list) }
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
