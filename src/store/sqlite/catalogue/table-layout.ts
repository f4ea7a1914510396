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
import type { Prepares } from '../file/writer-database.ts'

/** The layout of new tables. */
export const CURRENT_LAYOUT = 2

export interface TableLayout extends ColumnLayout {
  readonly number: number
  readonly integerTimes: ReadonlySet<string>
  /**
   * The version at which the indexes were built. The object ids of later rows are in an index of
   * their own; undefined if one index has all ids.
   */
  readonly indexedAt: number | undefined
}

/** The columns of `object_table` that describe its layout, in the order of `LayoutRow`. */
export const LAYOUT_COLUMNS = 'layout, key_property, long_texts, integer_times, indexed_at'

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
  const row = db.prepare(`SELECT ${LAYOUT_COLUMNS} FROM object_table WHERE id = ?`).get(id)
  if (row === undefined) throw new Error(`no table ${id}`)
  const { layout, key_property, long_texts, integer_times, indexed_at } = row
  const columns = [layout, key_property, long_texts, integer_times, indexed_at]
  return toTableLayout(columns as unknown as LayoutRow)
}

/** Returns how the texts of a table are cut into terms. */
export function termRulesOf({ number }: Pick<TableLayout, 'number'>): TermRules {
  return number === 1 ? 'separators' : 'analyser'
}

/** How the texts of new tables are cut. */
export const NEW_TABLE_RULES = termRulesOf({ number: CURRENT_LAYOUT })

/** An index of object ids: what it holds, and the condition on its rows, unless it has all. */
export interface ObjectIdIndex {
  readonly suffix: string
  readonly indexed: string
  readonly rows: string | undefined
}

/**
 * Returns the indexes of object ids. Ids are random, so new rows would change every page of an index
 * of many ids; therefore rows that are written after the indexes were built have one of their own.
 */
export function objectIdIndexes(layout: TableLayout): readonly ObjectIdIndex[] {
  const { indexedAt } = layout
  const indexed = indexedObjectId(layout, 'object_id')
  if (indexedAt === undefined) return [{ suffix: 'object_id', indexed, rows: undefined }]
  return [
    { suffix: 'object_id', indexed, rows: `valid_from <= ${indexedAt}` },
    { suffix: 'later_object_id', indexed, rows: `valid_from > ${indexedAt}` },
  ]
}

function indexedObjectId({ number }: TableLayout, id: string): string {
  // The first 32 bits, which few ids share.
  return number === 1 ? id : `unhex(substr(${id}, 1, 8))`
}

/**
 * Selects columns of the rows `o` whose object id is in a list, which is a JSON array. There is a
 * query for each index, because SQLite uses an index only for the rows that it has.
 */
export function selectByObjectId(
  table: string,
  layout: TableLayout,
  columns: string,
  list: string,
): SqlCondition {
  const [own, listed] = ['o.object_id', 'listed.value'].map((id) => indexedObjectId(layout, id))
  const queries = objectIdIndexes(layout).map(({ rows = 'TRUE' }) => {
    const isListed = `${rows} AND ${own} = ${listed} AND o.object_id = listed.value`
    return `SELECT ${columns} FROM json_each(?) AS listed CROSS JOIN ${table} AS o ON ${isListed}`
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
