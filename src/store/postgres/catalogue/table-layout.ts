/**
 * The layouts of object tables. Layout 1 is that of earlier releases: it cuts texts at separators, and
 * also has the terms of each object in order, a column and an index for the key property, an index of full values for every
 * property (for long texts a hash index), and indexes that no query uses.
 */
import type { TermRules } from '../../sql/text-index.ts'
import type { FieldColumns } from './field-columns.ts'

export const FIRST_LAYOUT = 1
/** The layout of new tables. */
export const LAYOUT = 2

/** How a table stores the fields of its type. */
export interface TableLayout {
  readonly layout: number
  /** The numbers of the fields whose index holds only the first characters of their texts. */
  readonly prefixFields: readonly number[]
}

/** The layout of a table that is about to be created. */
export const NEW_TABLE: TableLayout = { layout: LAYOUT, prefixFields: [] }

/** Columns of `oqs_object_table` that `toTableLayout` reads; their values contain no spaces. */
export const LAYOUT_COLUMNS = ['layout', "array_to_string(prefix_fields, ',')"] as const

export function toTableLayout([layout, prefixFields]: readonly unknown[]): TableLayout {
  const list = String(prefixFields)
  return { layout: Number(layout), prefixFields: list === '' ? [] : list.split(',').map(Number) }
}

/** Returns how the texts of a table are cut into terms. */
export function termRulesOf(layout: number): TermRules {
  return layout === FIRST_LAYOUT ? 'separators' : 'analyser'
}

/** Returns the fields that have a value column. */
export function valueFieldsOf(
  fields: readonly FieldColumns[],
  { layout }: Pick<TableLayout, 'layout'>,
): FieldColumns[] {
  return fields.filter(
    ({ valueType, isKey }) => valueType !== undefined && (layout === FIRST_LAYOUT || !isKey),
  )
}

/** Returns the fields that have an array column. */
export function elementFieldsOf(fields: readonly FieldColumns[]): FieldColumns[] {
  return fields.filter(({ elementType }) => elementType !== undefined)
}
