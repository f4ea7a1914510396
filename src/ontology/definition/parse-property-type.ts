/** Parses the types of properties and of struct fields. */

import { STRUCT_MAX_DEPTH } from '../../contract/limits.ts'
import type { PropertyDefinition } from './definition-schema.ts'
import { isLanguage, LANGUAGES, type Language } from './language.ts'
import type { Mistakes } from './mistakes.ts'
import {
  type PropertyType,
  SCALAR_TYPES,
  type ScalarPropertyType,
  type ScalarType,
  type StructType,
} from './property-type.ts'

/** A property, a field of a struct, or the items of an array. */
type TypeDefinition = Pick<PropertyDefinition, 'type' | 'items' | 'fields'>

/** Returns the type of a property, or notes why it is invalid. */
export function parsePropertyType(
  property: TypeDefinition,
  path: () => string,
  mistakes: Mistakes,
  depth = 0,
): PropertyType | undefined {
  const refuse = (reason: string) => mistakes.add(path(), reason)
  const { type, items, fields } = property
  if (type !== 'array' && items !== undefined) return refuse('only an array can have items')
  if (type !== 'struct' && fields !== undefined) return refuse('only a struct can have fields')
  if (type === 'array') {
    if (items === undefined) return refuse('an array needs items')
    const parsed = parsePropertyType(items, path, mistakes, depth)
    // The schema allows no arrays of arrays.
    return parsed === undefined || parsed.kind === 'array'
      ? undefined
      : { kind: 'array', items: parsed }
  }
  if (type !== 'struct') return scalarType(type)
  if (fields === undefined) return refuse('a struct needs fields')
  if (depth >= STRUCT_MAX_DEPTH) {
    return refuse(`is nested too deeply: structs can be nested at most ${STRUCT_MAX_DEPTH} deep`)
  }
  return structType(fields, path, mistakes, depth)
}

/** Returns the language of a property, or notes why it is invalid. */
export function parseLanguage(
  { language }: PropertyDefinition,
  type: PropertyType,
  path: () => string,
  mistakes: Mistakes,
): Language | undefined {
  if (language === undefined) return undefined
  const refuse = (reason: string) => mistakes.add(`${path()}.language`, reason)
  if (!isLanguage(language)) {
    return refuse(`${language} is not one of the languages ${LANGUAGES.join(', ')}`)
  }
  const inner = type.kind === 'array' ? type.items : type
  const isText = inner.kind === 'scalar' && inner.type === 'string'
  return isText ? language : refuse('only a string or an array of strings can have a language')
}

/** Shared instances: ontologies have very many properties of few types. */
const SCALARS: ReadonlyMap<ScalarType, ScalarPropertyType> = new Map(
  SCALAR_TYPES.map((type) => [type, { kind: 'scalar', type }]),
)

function scalarType(type: ScalarType): ScalarPropertyType {
  return SCALARS.get(type) ?? { kind: 'scalar', type }
}

function structType(
  definitions: NonNullable<TypeDefinition['fields']>,
  path: () => string,
  mistakes: Mistakes,
  depth: number,
): StructType {
  const fields = new Map<string, PropertyType>()
  for (const [name, definition] of Object.entries(definitions)) {
    const field = parsePropertyType(
      definition,
      () => `${path()}.fields.${name}`,
      mistakes,
      depth + 1,
    )
    if (field !== undefined) fields.set(name, field)
  }
  return { kind: 'struct', fields }
}
