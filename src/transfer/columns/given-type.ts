import type { PropertyDefinition } from '../../ontology/definition/definition-schema.ts'
import { isLanguage, LANGUAGES } from '../../ontology/definition/language.ts'
import { SCALAR_TYPES } from '../../ontology/definition/property-type.ts'

/** The names that `readGivenType` accepts, for messages. */
export const GIVEN_TYPES = `${SCALAR_TYPES.join(', ')}, or TYPE[] for an array; string:LANGUAGE and string[]:LANGUAGE for texts in one of the languages ${LANGUAGES.join(', ')}`

/**
 * Reads the name of a type, such as `decimal`, `string[]` or `string:english`; undefined if there is
 * no such type.
 */
export function readGivenType(text: string): PropertyDefinition | undefined {
  const [name = '', language] = text.split(':', 2)
  const type = readType(name)
  if (language === undefined) return type
  const isText = (type?.items ?? type)?.type === 'string'
  return type !== undefined && isText && isLanguage(language) ? { ...type, language } : undefined
}

function readType(name: string): PropertyDefinition | undefined {
  const isArray = name.endsWith('[]')
  const type = SCALAR_TYPES.find((scalar) => scalar === (isArray ? name.slice(0, -2) : name))
  if (type === undefined) return undefined
  return isArray ? { type: 'array', items: { type } } : { type }
}
