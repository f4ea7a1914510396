import type { Administration } from '../../client/endpoints/administration.ts'
import { OqsError } from '../../client/oqs-error.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'

/** Returns the definition of an ontology, or undefined if there is no such ontology. */
export async function readDefinition(
  administration: Administration,
  ontology: string,
): Promise<OntologyDefinition | undefined> {
  try {
    return (await administration.getDefinition(ontology)) as OntologyDefinition
  } catch (error) {
    if (error instanceof OqsError && error.errorName === 'OntologyNotFound') return undefined
    throw error
  }
}
