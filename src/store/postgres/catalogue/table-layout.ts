/** The columns of object tables, and how their indexes hold texts. */
import type { PrefixFields } from '../../sql/compile/field-numbers.ts'
import type { FieldColumns } from './field-columns.ts'

/** How the indexes of a table hold the fields of its type. */
export interface TableLayout {
  readonly prefixFields: PrefixFields
}

/** Returns the fields that have a value column. */
export function valueFieldsOf(fields: readonly FieldColumns[]): FieldColumns[] {
  return fields.filter(({ valueType, isKey }) => valueType !== undefined && !isKey)
}

/** Returns the fields that have an array column. */
export function elementFieldsOf(fields: readonly FieldColumns[]): FieldColumns[] {
  return fields.filter(({ elementType }) => elementType !== undefined)
}
