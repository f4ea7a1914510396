import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'

/** An entry of an index may have 2,704 bytes, of which the key takes up to 512. */
const INDEXED_BYTES = 2000

/** The fields to which these objects bring the first text that no index can sort. */
export async function longTextFields(
  fields: readonly FieldColumns[],
  objects: readonly StoredObject[],
): Promise<FieldColumns[]> {
  const found: FieldColumns[] = []
  for (const field of fields) {
    if (bringsLongText(field, objects)) found.push(field)
    // A batch may have many objects, and a type many fields.
    await nextTurn()
  }
  return found
}

function bringsLongText(field: FieldColumns, objects: readonly StoredObject[]): boolean {
  const { property, structField, valueType, elementType, hasLongText } = field
  if (hasLongText) return false
  if (valueType === 'text') {
    return objects.some(({ searchable }) => isLong(searchable.columns.get(property)))
  }
  if (elementType !== 'text') return false
  return objects.some(({ searchable }) =>
    searchable.elements.some(
      (element) =>
        element.property === property &&
        element.structField === structField &&
        element.values.some(isLong),
    ),
  )
}

function isLong(value: ColumnValue | undefined): boolean {
  // A character has at most three bytes for each of its two halves.
  if (typeof value !== 'string' || 3 * value.length <= INDEXED_BYTES) return false
  return Buffer.byteLength(value) > INDEXED_BYTES
}
