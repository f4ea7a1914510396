/**
 * The layout of object tables: how they store the fields of their type. The number of the layout
 * increases whenever new tables are created differently; tables of an older one are rewritten in the
 * background. See docs/decisions/016-smaller-tables.md.
 */
import { CURRENT_LAYOUT } from '../../core/catalogue/object-tables.ts'
import type { FieldColumns } from './field-columns.ts'

/** How a table stores the fields of its type. */
export interface TableLayout {
  readonly layout: number
  /** The numbers of the fields whose index holds only the first characters of their texts. */
  readonly prefixFields: readonly number[]
}

/** The layout of a table that is about to be created. */
export const NEW_TABLE: TableLayout = { layout: CURRENT_LAYOUT, prefixFields: [] }

/** Columns of `oqs_object_table` that `toTableLayout` reads; their values contain no spaces. */
export const LAYOUT_COLUMNS = ['layout', "array_to_string(prefix_fields, ',')"] as const

export function toTableLayout([layout, prefixFields]: readonly unknown[]): TableLayout {
  const list = String(prefixFields)
  return { layout: Number(layout), prefixFields: list === '' ? [] : list.split(',').map(Number) }
}

/** Returns the fields that have a value column. */
export function valueFieldsOf(fields: readonly FieldColumns[]): FieldColumns[] {
  return fields.filter(({ valueType, isKey }) => valueType !== undefined && !isKey)
}

/** Returns the fields that have an array column. */
export function elementFieldsOf(fields: readonly FieldColumns[]): FieldColumns[] {
  return fields.filter(({ elementType }) => elementType !== undefined)
}
