/**
 * Decides which fields of a table need no index, from the first objects that are loaded into it. Large
 * types have columns, which answer for fields with few values; smaller types are scanned in a few
 * milliseconds. Nobody orders by free texts, and terms find them. Each index that is left out saves a
 * load, and every later write, one tree. See docs/decisions/035-fields-without-index.md.
 */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import { ALL_INDEXED, type UnindexedFields } from '../../sql/compile/field-numbers.ts'

/** Fewer objects do not show how many values a field has. */
const MIN_OBJECTS = 1000
/** Fewer values of a field do not either. */
const MIN_VALUES = 200
/** A field has few values if at most this share of the later objects has a value that is new. */
const MAX_NEW_SHARE = 0.02
/** Texts with at least this many spaces on average are free texts. */
const MIN_SPACES = 7

/** The values of a field in the first objects, in the order of their keys; null if there is none. */
export type FirstValues = readonly (ColumnValue | null)[]

/** Returns the fields that need no index; none if the objects are too few to tell. */
export function findUnindexed(
  fields: readonly FieldId[],
  objects: number,
  valuesOf: (index: number) => FirstValues,
): UnindexedFields {
  if (objects < MIN_OBJECTS) return ALL_INDEXED.unindexedFields
  const found = new Map<string, 'fewValues' | 'freeText'>()
  for (const [index, field] of fields.entries()) {
    const values = valuesOf(index).filter((value) => value !== null)
    if (values.length < MIN_VALUES) continue
    if (hasFewValues(values)) found.set(fieldKey(field), 'fewValues')
    // The body has the values of properties under their names.
    else if (field.structField === undefined && isFreeText(values)) {
      found.set(field.property, 'freeText')
    }
  }
  return found
}

/**
 * True if the second half has hardly a value that the first half does not have. Values that change
 * with the key are new in the second half, however few of them the first objects have.
 */
function hasFewValues(values: readonly ColumnValue[]): boolean {
  const middle = values.length >> 1
  const known = new Set(values.slice(0, middle))
  const later = values.slice(middle)
  const added = later.filter((value) => !known.has(value)).length
  return added <= MAX_NEW_SHARE * later.length
}

function isFreeText(values: readonly ColumnValue[]): boolean {
  let spaces = 0
  for (const value of values) {
    if (typeof value !== 'string') return false
    spaces += value.split(' ').length - 1
  }
  return spaces >= MIN_SPACES * values.length
}
