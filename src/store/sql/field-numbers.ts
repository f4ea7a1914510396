import type { FieldId } from '../../ontology/values/searchable-values.ts'

/** Maps the fields of one object type to their numbers, which name their columns in SQL. */
export class FieldNumbers {
  readonly #numbers = new Map<string, number>()
  /** The properties with their numbers, in ascending order. */
  readonly properties: readonly { readonly property: string; readonly number: number }[]

  constructor(rows: readonly FieldRow[]) {
    for (const row of rows) this.#numbers.set(keyOf(row.property, row.struct_field), row.number)
    this.properties = rows.filter((row) => row.struct_field === null)
  }

  has({ property, structField }: FieldId): boolean {
    return this.#numbers.has(keyOf(property, structField))
  }

  of({ property, structField }: FieldId): number {
    const number = this.#numbers.get(keyOf(property, structField))
    if (number === undefined) throw new Error(`no number for field ${property}`)
    return number
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
