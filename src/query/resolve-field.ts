/** Resolves the fields that queries and orders name. */

import { API_NAME_MAX_LENGTH, STRUCT_MAX_DEPTH } from '../contract/limits.ts'
import { NUMBER_TYPES, type ScalarType } from '../ontology/definition/property-type.ts'
import { findPath, isMultiValuedEnd, typeAt } from '../ontology/definition/struct-path.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { isComparable } from '../ontology/values/scalar-codec.ts'
import type { Field } from './query.ts'

/** The longest written name: the prefix of a revision, a property, and fields of structs. */
export const FIELD_MAX_LENGTH = 20 + (1 + STRUCT_MAX_DEPTH) * (API_NAME_MAX_LENGTH + 1)

/** A field that exists in the object type. */
export interface ResolvedField {
  readonly field: Field
  /** Undefined for a whole struct. */
  readonly type: ScalarType | undefined
  /** True if an object can hold several values: an array is on the path. */
  readonly isMultiValued: boolean
}

/** Returns a property or a struct field, or undefined if the type has none of that name. */
export function resolveField(
  objectType: ObjectType,
  property: string,
  structField: string | undefined,
): ResolvedField | undefined {
  const whole = objectType.properties.get(property)?.type
  if (whole === undefined) return undefined
  const end =
    structField === undefined ? { type: whole, isInArray: false } : typeAt(whole, structField)
  if (end === undefined) return undefined
  const inner = end.type.kind === 'array' ? end.type.items : end.type
  return {
    field: { property, structField },
    type: inner.kind === 'scalar' ? inner.type : undefined,
    isMultiValued: isMultiValuedEnd(end),
  }
}

/**
 * Returns the field whose names are written with periods between them: `address.city`. Names can
 * contain periods, so the longest name that exists wins.
 */
export function findField(objectType: ObjectType, written: string): Field | undefined {
  if (objectType.properties.has(written)) return { property: written, structField: undefined }
  for (let at = written.lastIndexOf('.'); at > 0; at = written.lastIndexOf('.', at - 1)) {
    const property = written.slice(0, at)
    const type = objectType.properties.get(property)?.type
    const structField = type && findPath(type, written.slice(at + 1))
    if (structField !== undefined) return { property, structField }
  }
  return undefined
}

/**
 * Returns a field without the member `structField` if it is undefined, as null conditions and
 * orders need it.
 */
export function definedField({ property, structField }: Field) {
  return structField === undefined ? { property } : { property, structField }
}

const ORDERED: readonly ScalarType[] = ['string', ...NUMBER_TYPES, 'date', 'timestamp']

export function isEquatable({ type }: ResolvedField): boolean {
  return type !== undefined && isComparable(type)
}

export function isOrdered({ type }: ResolvedField): boolean {
  return type !== undefined && ORDERED.includes(type)
}

export function isText({ type }: ResolvedField): boolean {
  return type === 'string'
}
