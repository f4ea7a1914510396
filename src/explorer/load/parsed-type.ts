import type { ObjectTypeDefinition } from '../../ontology/definition/definition-schema.ts'
import type { Mistake } from '../../ontology/definition/mistakes.ts'
import { parseObjectType } from '../../ontology/definition/parse-object-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'

/** Parses an object type, or throws its first mistake. */
export function parsedType(definition: ObjectTypeDefinition): ObjectType {
  const mistakes: Mistake[] = []
  const type = parseObjectType(definition, definition.apiName, mistakes)
  const [mistake] = mistakes
  if (mistake !== undefined) throw new Error(`${mistake.path}: ${mistake.reason}`)
  if (type === undefined) throw new Error(`${definition.apiName} cannot be read`)
  return type
}
