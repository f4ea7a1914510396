/** Parses the types of properties. */

import type { PropertyDefinition } from './definition-schema.ts'
import { isLanguage, LANGUAGES, type Language } from './language.ts'
import type { Mistake } from './mistakes.ts'
import {
  type PropertyType,
  SCALAR_TYPES,
  type ScalarType,
  type StructType,
} from './property-type.ts'

/** Returns the type of a property, or notes why it is invalid. */
export function parsePropertyType(
  property: PropertyDefinition,
  path: () => string,
  mistakes: Mistake[],
): PropertyType | undefined {
  const refuse = (reason: string) => {
    mistakes.push({ path: path(), reason })
    return undefined
  }
  const { type, items, fields } = property
  if (type !== 'array' && items !== undefined) return refuse('only an array can have items')
  if (type !== 'struct' && fields !== undefined) return refuse('only a struct can have fields')
  if (type === 'struct') {
    return fields === undefined ? refuse('a struct needs fields') : structType(fields)
  }
  if (type !== 'array') return scalarType(type)

  if (items === undefined) return refuse('an array needs items')
  if (items.type !== 'struct') {
    if (items.fields !== undefined) return refuse('only a struct can have fields')
    return { kind: 'array', items: scalarType(items.type) }
  }
  if (items.fields === undefined) return refuse('a struct needs fields')
  return { kind: 'array', items: structType(items.fields) }
}

/** Returns the language of a property, or notes why it is invalid. */
export function parseLanguage(
  { language }: PropertyDefinition,
  type: PropertyType,
  path: () => string,
  mistakes: Mistake[],
): Language | undefined {
  if (language === undefined) return undefined
  const refuse = (reason: string) => {
    mistakes.push({ path: `${path()}.language`, reason })
    return undefined
  }
  if (!isLanguage(language)) {
    return refuse(`${language} is not one of the languages ${LANGUAGES.join(', ')}`)
  }
  const inner = type.kind === 'array' ? type.items : type
  const isText = inner.kind === 'scalar' && inner.type === 'string'
  return isText ? language : refuse('only a string or an array of strings can have a language')
}

/** Shared instances: ontologies have very many properties of few types. */
const SCALARS: ReadonlyMap<ScalarType, PropertyType & { readonly kind: 'scalar' }> = new Map(
  SCALAR_TYPES.map((type) => [type, { kind: 'scalar', type }]),
)

function scalarType(type: ScalarType): PropertyType & { readonly kind: 'scalar' } {
  return SCALARS.get(type) ?? { kind: 'scalar', type }
}

function structType(fields: NonNullable<PropertyDefinition['fields']>): StructType {
  return {
    kind: 'struct',
    fields: new Map(Object.entries(fields).map(([name, field]) => [name, scalarType(field.type)])),
  }
}
