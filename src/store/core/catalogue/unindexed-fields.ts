/**
 * Decides which fields of a table need no index, from the first objects that are loaded into it. Large
 * types have columns, which answer ranges, orders and groups; smaller types are scanned in a few
 * milliseconds. An index is better only where an equality finds few objects of many. Each index that
 * is left out saves a load, and every later write, one tree. See
 * docs/decisions/035-fields-without-index.md.
 */
import type { ColumnValue } from '../../../ontology/values/column-value.ts'
import { type FieldId, fieldKey } from '../../../ontology/values/searchable-values.ts'
import {
  ALL_INDEXED,
  type UnindexedFields,
  type UnindexedReason,
} from '../../sql/compile/field-numbers.ts'

/** Fewer objects do not show how many values a field has. */
const MIN_OBJECTS = 1000
/** Fewer values of a field do not either. */
const MIN_VALUES = 200
/** A field has few values if at most this share of the later objects has a value that is new. */
const FEW_NEW_SHARE = 0.02
/** A value finds few objects only if at least this share of the later objects has a new one. */
const SELECTIVE_NEW_SHARE = 0.9
/** Texts with at least this many spaces on average are free texts. */
const MIN_SPACES = 4

/** The values of a field in the first objects, in the order of their keys; null if there is none. */
export type FirstValues = readonly (ColumnValue | null)[]

/** A field, and whether its values are measured: numbers with fractions, dates and times. */
export interface LoadedField extends FieldId {
  readonly isMeasured: boolean
}

/** Returns the fields that need no index; none if the objects are too few to tell. */
export function findUnindexed(
  fields: readonly LoadedField[],
  objects: number,
  valuesOf: (index: number) => FirstValues,
): UnindexedFields {
  if (objects < MIN_OBJECTS) return ALL_INDEXED.unindexedFields
  const found = new Map<string, UnindexedReason>()
  for (const [index, field] of fields.entries()) {
    const reason = reasonOf(field, valuesOf(index))
    if (reason !== undefined) found.set(fieldKey(field), reason)
  }
  return found
}

function reasonOf(
  { isMeasured, structField }: LoadedField,
  first: FirstValues,
): UnindexedReason | undefined {
  const values = first.filter((value) => value !== null)
  if (values.length < MIN_VALUES) return isMeasured ? 'unselective' : undefined
  const share = newShare(values)
  if (share <= FEW_NEW_SHARE) return 'fewValues'
  // The body has the values of properties under their names.
  if (structField === undefined && isFreeText(values)) return 'freeText'
  return isMeasured || share < SELECTIVE_NEW_SHARE ? 'unselective' : undefined
}

/**
 * Returns how many values in the second half the first half does not have. Values that change with
 * the key are new in the second half, however few of them the first objects have.
 */
function newShare(values: readonly ColumnValue[]): number {
  const middle = values.length >> 1
  const known = new Set(values.slice(0, middle))
  const later = values.slice(middle)
  return later.filter((value) => !known.has(value)).length / later.length
}

function isFreeText(values: readonly ColumnValue[]): boolean {
  let spaces = 0
  for (const value of values) {
    if (typeof value !== 'string') return false
    spaces += value.split(' ').length - 1
  }
  return spaces >= MIN_SPACES * values.length
}
