import { PATH_SEPARATOR } from '../../ontology/definition/struct-path.ts'
import { type FieldId, fieldKey } from '../../ontology/values/searchable-values.ts'
import {
  KEY_COLUMN,
  longTextProperty,
  type PropertySql,
  plainProperty,
  timeProperty,
} from './property-sql.ts'

/** How a table differs from one that has a column and a full index for each property. */
export interface ColumnLayout {
  /** The property that has no column of its own, because its value is the key. */
  readonly keyProperty: string | undefined
  /** The fields whose index holds only the beginning of their texts, as `fieldKey` names them. */
  readonly prefixFields: ReadonlySet<string>
  /** The fields with timestamps whose index holds them as integers. */
  readonly integerTimes?: ReadonlySet<string>
}

/** A column and a full index for each property. */
export const PLAIN_LAYOUT: ColumnLayout = { keyProperty: undefined, prefixFields: new Set() }

/** A field with its number, which names its columns in SQL. */
export interface NumberedField extends FieldId {
  readonly number: number
}

/** Maps the fields of one object type to their numbers, and to their columns in one of its tables. */
export class FieldNumbers {
  readonly #numbers = new Map<string, number>()
  readonly #columns = new Set<string>()
  readonly #layout: ColumnLayout
  /** The properties with their numbers, in ascending order. */
  readonly properties: readonly { readonly property: string; readonly number: number }[]
  /** The fields with a column: properties, and some fields of structs. */
  readonly columns: readonly NumberedField[]

  constructor(rows: readonly FieldRow[], layout = PLAIN_LAYOUT) {
    const columns: NumberedField[] = []
    for (const row of rows) {
      const field = fieldOfRow(row)
      const key = fieldKey(field)
      this.#numbers.set(key, row.number)
      if (!hasColumn(row)) continue
      this.#columns.add(key)
      columns.push(field)
    }
    this.columns = columns
    this.properties = rows.filter((row) => row.struct_field === null)
    this.#layout = layout
  }

  has(field: FieldId): boolean {
    return this.#numbers.has(fieldKey(field))
  }

  of(field: FieldId): number {
    const number = this.#numbers.get(fieldKey(field))
    if (number === undefined) throw new Error(`no number for field ${field.property}`)
    return number
  }

  /** True if the value of a field is in a column. That of an array only says that there is one. */
  hasColumn(field: FieldId): boolean {
    return this.#columns.has(fieldKey(field))
  }

  /** Returns a property, or a struct field with one value, as SQL over the table aliased `o`. */
  propertySql(property: string, structField?: string): PropertySql {
    const { keyProperty, prefixFields, integerTimes } = this.#layout
    if (property === keyProperty) return plainProperty(KEY_COLUMN)
    const field = { property, structField }
    const number = this.of(field)
    if (!this.hasColumn(field)) return plainProperty(this.elementSql(number))
    const column = `o.${columnOf(number)}`
    const key = fieldKey(field)
    if (prefixFields.has(key)) return longTextProperty(column)
    return integerTimes?.has(key)
      ? timeProperty(column, `o.${timeColumnOf(number)}`)
      : plainProperty(column)
  }

  /** Returns the only value of a field whose values are stored like those of arrays. */
  protected elementSql(number: number): string {
    return `(SELECT oqs_element.value FROM oqs_element WHERE oqs_element.row = o.id AND oqs_element.field = ${checkNumber(number)})`
  }
}

/** A field as the catalogue stores it. */
export interface FieldRow {
  readonly number: number
  readonly property: string
  /**
   * The path inside the struct, after a colon if the field has a column. The values of others, such
   * as fields in arrays, are stored like those of arrays.
   */
  readonly struct_field: string | null
}

/** Returns the path of a field in the form in which the catalogue stores it. */
export function storedPath(structField: string | undefined, hasColumn: boolean): string | null {
  if (structField === undefined) return null
  return hasColumn ? PATH_SEPARATOR + structField : structField
}

export function hasColumn({ struct_field }: Pick<FieldRow, 'struct_field'>): boolean {
  return struct_field === null || struct_field.startsWith(PATH_SEPARATOR)
}

function fieldOfRow(row: FieldRow): NumberedField {
  const { number, property, struct_field } = row
  if (struct_field === null) return { number, property, structField: undefined }
  return { number, property, structField: hasColumn(row) ? struct_field.slice(1) : struct_field }
}

/** Returns the name of a field's column. */
export function columnOf(number: number): string {
  return `p${checkNumber(number)}`
}

/** Returns the name of the column that has a field's timestamps as integers. */
function timeColumnOf(number: number): string {
  return `t${checkNumber(number)}`
}

function checkNumber(number: number): number {
  if (!Number.isSafeInteger(number)) throw new Error(`not a field number: ${number}`)
  return number
}
