/** Adds a type to an ontology, which is created if there is none of its name. */

import { Connection } from '../../client/connection.ts'
import { Administration } from '../../client/endpoints/administration.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { readDefinition } from '../../transfer/import/read-definition.ts'
import { withType } from '../../transfer/infer/definition.ts'
import { serviceUrl } from '../api/service-url.ts'

/** Returns the type as the service stored it. Sending it again after a lost answer changes nothing. */
export async function applyType(
  token: string,
  ontology: string,
  type: ObjectTypeDefinition,
): Promise<ObjectTypeDefinition> {
  const connection = new Connection({ baseUrl: serviceUrl(), token })
  const administration = new Administration(connection)
  // Read again, because the page may show an older definition. The API has no conditional request
  // for definitions: an empty type that somebody adds between these two requests is dropped.
  const current = await readDefinition(administration, ontology)
  if (current?.objectTypes.some(({ apiName }) => apiName === type.apiName)) {
    throw new Error(`${ontology} already has a type called ${type.apiName}.`)
  }
  const extended = withType(current, ontology, { definition: type })
  const applied = (await administration.applyDefinition(ontology, extended)) as OntologyDefinition
  return applied.objectTypes.find(({ apiName }) => apiName === type.apiName) ?? type
}
