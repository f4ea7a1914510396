/** Resolves the fields that queries and orders name. */

import type { ScalarType } from '../ontology/definition/property-type.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { isComparable } from '../ontology/values/scalar-codec.ts'
import type { Field } from './query.ts'

/** A field that exists in the object type. */
export interface ResolvedField {
  readonly field: Field
  /** Undefined for a whole struct. */
  readonly type: ScalarType | undefined
  /** True if an object can hold several values: an array, or a field of an array of structs. */
  readonly isMultiValued: boolean
}

/** Returns a property or a struct field, or undefined if the type has none of that name. */
export function resolveField(
  objectType: ObjectType,
  property: string,
  structField: string | undefined,
): ResolvedField | undefined {
  const type = objectType.properties.get(property)?.type
  if (type === undefined) return undefined
  const isMultiValued = type.kind === 'array'
  const inner = type.kind === 'array' ? type.items : type
  const field: Field = { property, structField }
  if (inner.kind === 'scalar') {
    return structField === undefined ? { field, type: inner.type, isMultiValued } : undefined
  }
  if (structField === undefined) return { field, type: undefined, isMultiValued }
  const fieldType = inner.fields.get(structField)?.type
  return fieldType === undefined ? undefined : { field, type: fieldType, isMultiValued }
}

const ORDERED: readonly ScalarType[] = [
  'string',
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'decimal',
  'date',
  'timestamp',
]

export function isEquatable({ type }: ResolvedField): boolean {
  return type !== undefined && isComparable(type)
}

export function isOrdered({ type }: ResolvedField): boolean {
  return type !== undefined && ORDERED.includes(type)
}

export function isText({ type }: ResolvedField): boolean {
  return type === 'string'
}
