/** Detects texts that are too long for an index of full values. */
import { nextTurn } from '../../../admission/next-turn.ts'
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import type { StoredObject } from '../../../ontology/values/read-object.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import { LONG_TEXT_LENGTH } from '../../sql/compile/property-sql.ts'
import type { FieldColumns } from '../catalogue/field-columns.ts'
import type { LongTexts } from '../catalogue/long-text-indexes.ts'

/** An index entry may have 2,704 bytes, of which the key takes up to 512. */
const MAX_INDEXED_BYTES = 2000

/** Returns the fields to which these objects add a long text. */
export async function findLongTexts(
  fields: readonly FieldColumns[],
  objects: readonly StoredObject[],
): Promise<LongTexts> {
  const long: FieldColumns[] = []
  const tooLong: FieldColumns[] = []
  for (const field of fields) {
    if (hasText(field, objects, isLong)) {
      long.push(field)
      if (hasText(field, objects, isTooLong)) tooLong.push(field)
    }
    // Yields, because a batch may have many objects and a type many fields.
    await nextTurn()
  }
  return { long, tooLong }
}

/** The numbers of the fields of `LongTexts`. */
export interface LongTextNumbers {
  readonly long: readonly number[]
  readonly tooLong: readonly number[]
}

/** Does the same at once, for a thread that has no other work. */
export function longTextNumbers(
  fields: readonly FieldColumns[],
  objects: readonly StoredObject[],
): LongTextNumbers {
  const long = fields.filter((field) => hasText(field, objects, isLong))
  const tooLong = long.filter((field) => hasText(field, objects, isTooLong))
  return { long: long.map(numberOf), tooLong: tooLong.map(numberOf) }
}

const numberOf = ({ number }: FieldColumns) => number

function hasText(
  field: FieldColumns,
  objects: readonly StoredObject[],
  test: (value: ColumnValue | undefined) => boolean,
): boolean {
  const { property, structField, valueType, elementType } = field
  const isStructField = structField !== undefined
  if (valueType === 'text' || (elementType === 'text' && isStructField)) {
    const key = fieldKey(field)
    if (objects.some(({ searchable }) => test(searchable.columns.get(key)))) return true
  }
  if (elementType !== 'text') return false
  return objects.some(({ searchable }) =>
    searchable.elements.some(
      (element) =>
        element.property === property &&
        element.structField === structField &&
        element.values.some(test),
    ),
  )
}

function isLong(value: ColumnValue | undefined): boolean {
  return typeof value === 'string' && value.length > LONG_TEXT_LENGTH
}

function isTooLong(value: ColumnValue | undefined): boolean {
  // UTF-8 takes at most three bytes for each UTF-16 code unit.
  if (typeof value !== 'string' || 3 * value.length <= MAX_INDEXED_BYTES) return false
  return Buffer.byteLength(value) > MAX_INDEXED_BYTES
}
