import type { Administration } from '../../client/endpoints/administration.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { changeDefinition } from './change-definition.ts'
import { readDefinition } from './read-definition.ts'

/** Removes a type, and its ontology if that is new; the service refuses if others wrote to it. */
export async function removeType(
  administration: Administration,
  { ontology, objectType }: TypePath,
  isOntologyNew: boolean,
): Promise<void> {
  if ((await readDefinition(administration, ontology)) === undefined) return
  let isLast = false
  await changeDefinition(administration, ontology, (current) => {
    if (current === undefined) throw new Error(`the ontology ${ontology} was deleted meanwhile`)
    const objectTypes = current.objectTypes.filter(({ apiName }) => apiName !== objectType)
    isLast = objectTypes.length === 0
    return { ...current, objectTypes }
  })
  if (isOntologyNew && isLast) await administration.deleteOntology(ontology)
}
