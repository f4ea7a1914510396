/** The property types whose values are numbers. */
import type { PropertyType, ScalarType } from './ontology.ts'

type TypeName = PropertyType['type']

const WHOLE: ReadonlySet<TypeName | undefined> = new Set<ScalarType>([
  'byte',
  'short',
  'integer',
  'long',
])
/** JSON writes the others as text, so that no digit is lost. */
const JSON_NUMBERS: ReadonlySet<TypeName | undefined> = new Set<ScalarType>([
  'byte',
  'short',
  'integer',
  'float',
  'double',
])

export function isNumber(type: TypeName | undefined): boolean {
  return isWholeNumber(type) || isJsonNumber(type) || type === 'decimal'
}

export function isWholeNumber(type: TypeName | undefined): boolean {
  return WHOLE.has(type)
}

/** True if the values of a type are numbers in JSON as well. */
export function isJsonNumber(type: TypeName | undefined): boolean {
  return JSON_NUMBERS.has(type)
}
