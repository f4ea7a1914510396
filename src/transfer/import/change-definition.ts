import type { Administration } from '../../client/endpoints/administration.ts'
import type { TypePath } from '../../client/endpoints/pages.ts'
import { OqsError } from '../../client/oqs-error.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'

/** Changes of others during one change after which it is given up. */
const MAX_CONFLICTS = 5

/**
 * Changes a definition, on condition that nobody else changes it between reading and writing;
 * otherwise it is read again. Returns what the service answered.
 */
export async function changeDefinition(
  administration: Administration,
  ontology: string,
  change: (current: OntologyDefinition | undefined) => OntologyDefinition,
): Promise<unknown> {
  for (let conflicts = 0; ; conflicts += 1) {
    const { definition, etag } = await readTagged(administration, ontology)
    const condition = definition === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag }
    try {
      return await administration.applyDefinition(ontology, change(definition), condition)
    } catch (error) {
      if (conflicts >= MAX_CONFLICTS || !isNamed(error, 'PreconditionFailed')) throw error
    }
  }
}

async function readTagged(administration: Administration, ontology: string) {
  try {
    const { definition, etag } = await administration.getTaggedDefinition(ontology)
    return { definition: definition as OntologyDefinition, etag }
  } catch (error) {
    if (!isNamed(error, 'OntologyNotFound')) throw error
    return { definition: undefined, etag: undefined }
  }
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof OqsError && error.errorName === name
}

/** Returns the definition of an ontology, or undefined if there is no such ontology. */
export async function readDefinition(
  administration: Administration,
  ontology: string,
): Promise<OntologyDefinition | undefined> {
  return (await readTagged(administration, ontology)).definition
}

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
