import type { ScalarType } from '../ontology/definition/property-type.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import type { ColumnValue } from '../ontology/values/column-value.ts'
import { columnValue, isComparable } from '../ontology/values/column-value.ts'
import { scalarReader } from '../ontology/values/read-value.ts'
import type { ComparedValue, Field } from './query.ts'

/** What a field of a query is, once its name is known to the type. */
export interface ResolvedField {
  readonly field: Field
  /** Undefined for a struct as a whole. */
  readonly type: ScalarType | undefined
  /** Whether an object can hold several values: an array, or a field of an array of structs. */
  readonly many: boolean
}

/** Finds a property or a struct field, or nothing when the type has none of that name. */
export function resolveField(
  objectType: ObjectType,
  property: string,
  structField: string | undefined,
): ResolvedField | undefined {
  const type = objectType.properties.get(property)?.type
  if (type === undefined) return undefined
  const many = type.kind === 'array'
  const inner = type.kind === 'array' ? type.items : type
  const field: Field = { property, structField }
  if (inner.kind === 'scalar') {
    return structField === undefined ? { field, type: inner.type, many } : undefined
  }
  if (structField === undefined) return { field, type: undefined, many }
  const fieldType = inner.fields.get(structField)?.type
  return fieldType === undefined ? undefined : { field, type: fieldType, many }
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

/** Reads a value to compare with, or throws `RefusedValue`. */
export function readComparedValue(type: ScalarType, value: unknown): ComparedValue {
  const read = columnValue(type, scalarReader(type)(value))
  if (read === undefined) throw new Error(`${type} cannot be compared`)
  if (typeof read === 'bigint') return { long: String(read) }
  if (read === Infinity) return { double: 'Infinity' }
  return read === -Infinity ? { double: '-Infinity' } : read
}

/** The value as a store binds it. */
export function toColumnValue(value: ComparedValue): ColumnValue {
  if (typeof value !== 'object') return value
  return 'long' in value ? BigInt(value.long) : Number(value.double)
}
