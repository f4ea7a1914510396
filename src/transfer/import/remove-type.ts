import type { Administration } from '../../client/endpoints/administration.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { readDefinition } from './read-definition.ts'

/** Removes a type, and its ontology if that is new; the service refuses if others wrote to it. */
export async function removeType(
  administration: Administration,
  { ontology, objectType }: TypePath,
  isOntologyNew: boolean,
): Promise<void> {
  const definition = await readDefinition(administration, ontology)
  if (definition === undefined) return
  const others = definition.objectTypes.filter(({ apiName }) => apiName !== objectType)
  await administration.applyDefinition(ontology, { ...definition, objectTypes: others })
  if (isOntologyNew && others.length === 0) await administration.deleteOntology(ontology)
}
