/** The types that a property can have. */

export const SCALAR_TYPES = [
  'string',
  'boolean',
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'decimal',
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
  readonly fields: ReadonlyMap<string, ScalarPropertyType>
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

/** Keys must be comparable, exact and printable in a path. */
export const PRIMARY_KEY_TYPES = [
  'string',
  'boolean',
  'byte',
  'short',
  'integer',
  'long',
  'double',
  'date',
  'timestamp',
] as const satisfies readonly ScalarType[]

export type PrimaryKeyType = (typeof PRIMARY_KEY_TYPES)[number]

export function isPrimaryKeyType(type: ScalarType): type is PrimaryKeyType {
  return (PRIMARY_KEY_TYPES as readonly ScalarType[]).includes(type)
}

/** What a title can be made of: anything that has one obvious text. */
const TITLE_TYPES: readonly ScalarType[] = [...PRIMARY_KEY_TYPES, 'float', 'decimal', 'marking']

export function isTitleType(type: ScalarType): boolean {
  return TITLE_TYPES.includes(type)
}

/** The type as people read it in messages: `array of string`, `integer`. */
export function typeName(type: PropertyType): string {
  switch (type.kind) {
    case 'scalar':
      return type.type
    case 'struct':
      return `struct {${[...type.fields].map(([name, field]) => `${name}: ${field.type}`).join(', ')}}`
    case 'array':
      return `array of ${typeName(type.items)}`
  }
}

/** Whether every value stored under type `a` is a value of type `b`. */
export function staysValid(a: PropertyType, b: PropertyType): boolean {
  if (a.kind === 'array' && b.kind === 'array') return staysValid(a.items, b.items)
  if (a.kind === 'struct' && b.kind === 'struct') {
    // A struct may gain fields: what is stored stays valid.
    return [...a.fields].every(([name, field]) => {
      const kept = b.fields.get(name)
      return kept !== undefined && staysValid(field, kept)
    })
  }
  if (a.kind !== 'scalar' || b.kind !== 'scalar') return false
  return a.type === b.type || (WIDER[a.type]?.includes(b.type) ?? false)
}

/** Types that hold every value of another, written the same way. */
const WIDER: Partial<Record<ScalarType, readonly ScalarType[]>> = {
  byte: ['short', 'integer'],
  short: ['integer'],
  float: ['double'],
}
