/** Detects texts that are too long for a B-tree index. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'

/** An index entry may have 2,704 bytes, of which the key takes up to 512. */
const MAX_INDEXED_BYTES = 2000

/** Returns the fields that had only short texts so far, and to which these objects add a long one. */
export async function longTextFields(
  fields: readonly FieldColumns[],
  objects: readonly StoredObject[],
): Promise<FieldColumns[]> {
  const longFields: FieldColumns[] = []
  for (const field of fields) {
    if (addsLongText(field, objects)) longFields.push(field)
    // Yields, because a batch may have many objects and a type many fields.
    await nextTurn()
  }
  return longFields
}

/** Returns the numbers of the fields of which objects have a text that is too long for an index. */
export function longTextNumbers(
  fields: readonly FieldColumns[],
  objects: readonly StoredObject[],
): number[] {
  return fields.filter((field) => addsLongText(field, objects)).map(({ number }) => number)
}

function addsLongText(field: FieldColumns, objects: readonly StoredObject[]): boolean {
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
  // UTF-8 takes at most three bytes for each UTF-16 code unit.
  if (typeof value !== 'string' || 3 * value.length <= MAX_INDEXED_BYTES) return false
  return Buffer.byteLength(value) > MAX_INDEXED_BYTES
}
