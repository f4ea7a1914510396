import type { FieldId } from '../../ontology/values/searchable-values.ts'
import { KEY_COLUMN, longTextProperty, type PropertySql, plainProperty } from './property-sql.ts'

/** How a table differs from one that has a column and a full index for each property. */
export interface ColumnLayout {
  /** The property that has no column of its own, because its value is the key. */
  readonly keyProperty: string | undefined
  /** The properties whose index holds only the beginning of their texts. */
  readonly longTexts: ReadonlySet<string>
}

/** A column and a full index for each property. */
export const PLAIN_LAYOUT: ColumnLayout = { keyProperty: undefined, longTexts: new Set() }

/**
 * Maps the fields of one object type to their numbers, which name their columns in SQL, and its
 * properties to their columns in one of the tables of the type.
 */
export class FieldNumbers {
  readonly #numbers = new Map<string, number>()
  readonly #layout: ColumnLayout
  /** The properties with their numbers, in ascending order. */
  readonly properties: readonly { readonly property: string; readonly number: number }[]

  constructor(rows: readonly FieldRow[], layout = PLAIN_LAYOUT) {
    for (const row of rows) this.#numbers.set(keyOf(row.property, row.struct_field), row.number)
    this.properties = rows.filter((row) => row.struct_field === null)
    this.#layout = layout
  }

  has({ property, structField }: FieldId): boolean {
    return this.#numbers.has(keyOf(property, structField))
  }

  of({ property, structField }: FieldId): number {
    const number = this.#numbers.get(keyOf(property, structField))
    if (number === undefined) throw new Error(`no number for field ${property}`)
    return number
  }

  /** Returns a property as SQL over the table, which is aliased `o`. */
  propertySql(property: string): PropertySql {
    const { keyProperty, longTexts } = this.#layout
    if (property === keyProperty) return plainProperty(KEY_COLUMN)
    const column = `o.${columnOf(this.of({ property, structField: undefined }))}`
    return longTexts.has(property) ? longTextProperty(column) : plainProperty(column)
  }
}

/** A field as the catalogue stores it. */
export interface FieldRow {
  readonly number: number
  readonly property: string
  readonly struct_field: string | null
}

function keyOf(property: string, structField: string | null | undefined): string {
  // API names contain no colon.
  return structField == null ? property : `${property}:${structField}`
}

/** Returns the name of a property's column. */
export function columnOf(number: number): string {
  if (!Number.isSafeInteger(number)) throw new Error(`not a field number: ${number}`)
  return `p${number}`
}
