/** Property types. */

export const WHOLE_TYPES = ['byte', 'short', 'integer', 'long'] as const
export const NUMBER_TYPES = [...WHOLE_TYPES, 'float', 'double', 'decimal'] as const

export const SCALAR_TYPES = [
  'string',
  'boolean',
  ...NUMBER_TYPES,
  'date',
  'timestamp',
  'geopoint',
  'geoshape',
  'attachment',
  'marking',
] as const

export type ScalarType = (typeof SCALAR_TYPES)[number]

export interface StructType {
  readonly kind: 'struct'
  readonly fields: ReadonlyMap<string, PropertyType>
}

export interface ScalarPropertyType {
  readonly kind: 'scalar'
  readonly type: ScalarType
}

export interface ArrayType {
  readonly kind: 'array'
  readonly items: ScalarPropertyType | StructType
}

export type PropertyType = ScalarPropertyType | ArrayType | StructType

/** Keys must be comparable and exact, and have a text for paths. */
export const PRIMARY_KEY_TYPES = [
  'string',
  'boolean',
  ...WHOLE_TYPES,
  'double',
  'date',
  'timestamp',
] as const satisfies readonly ScalarType[]

export type PrimaryKeyType = (typeof PRIMARY_KEY_TYPES)[number]

export function isPrimaryKeyType(type: ScalarType): type is PrimaryKeyType {
  return (PRIMARY_KEY_TYPES as readonly ScalarType[]).includes(type)
}

/** Types with one obvious text. */
const TITLE_TYPES: readonly ScalarType[] = [...PRIMARY_KEY_TYPES, 'float', 'decimal', 'marking']

export function isTitleType(type: ScalarType): boolean {
  return TITLE_TYPES.includes(type)
}

/** Returns the name of a type for messages: `array of string`, `integer`. */
export function typeName(type: PropertyType): string {
  switch (type.kind) {
    case 'scalar':
      return type.type
    case 'struct':
      return `struct {${[...type.fields].map(([name, field]) => `${name}: ${typeName(field)}`).join(', ')}}`
    case 'array':
      return `array of ${typeName(type.items)}`
  }
}

/** True if both types have the same values. The order of struct fields does not matter. */
export function isSameType(a: PropertyType, b: PropertyType): boolean {
  if (a.kind === 'array' && b.kind === 'array') return isSameType(a.items, b.items)
  if (a.kind === 'scalar' && b.kind === 'scalar') return a.type === b.type
  if (a.kind !== 'struct' || b.kind !== 'struct') return false
  return (
    a.fields.size === b.fields.size &&
    [...a.fields].every(([name, field]) => {
      const other = b.fields.get(name)
      return other !== undefined && isSameType(field, other)
    })
  )
}

/** True if every stored value of type `a` is also a valid value of type `b`. */
export function staysValid(a: PropertyType, b: PropertyType): boolean {
  if (a.kind === 'array' && b.kind === 'array') return staysValid(a.items, b.items)
  if (a.kind === 'struct' && b.kind === 'struct') {
    // A struct can gain fields; stored values stay valid.
    return [...a.fields].every(([name, field]) => {
      const kept = b.fields.get(name)
      return kept !== undefined && staysValid(field, kept)
    })
  }
  if (a.kind !== 'scalar' || b.kind !== 'scalar') return false
  return a.type === b.type || (WIDER[a.type]?.includes(b.type) ?? false)
}

/** For each type, the types that accept all its values in the same JSON. */
const WIDER: Partial<Record<ScalarType, readonly ScalarType[]>> = {
  byte: ['short', 'integer'],
  short: ['integer'],
  float: ['double'],
}
