/** Adds a type to an ontology, which is created if there is none of its name, or renames one. */
import { Connection } from '../../client/connection.ts'
import { Administration } from '../../client/endpoints/administration.ts'
import { isDefinitionChange, waitForChange } from '../../client/endpoints/definition-change.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { changeDefinition } from '../../transfer/import/change-definition.ts'
import { withType } from '../../transfer/infer/definition.ts'
import { serviceUrl } from '../api/service-url.ts'
import { type TypeNames, withRenamedType } from './renamed-type.ts'

/** Returns the type as the service stored it. */
export async function applyType(
  token: string,
  ontology: string,
  type: ObjectTypeDefinition,
): Promise<ObjectTypeDefinition> {
  // The definition is read again, because the page may show an older one.
  const applied = await changeDefinition(administrationOf(token), ontology, (current) => {
    if (current?.objectTypes.some(({ apiName }) => apiName === type.apiName)) {
      throw new Error(`${ontology} already has a type called ${type.apiName}.`)
    }
    return withType(current, ontology, { definition: type })
  })
  const { objectTypes } = applied as OntologyDefinition
  return objectTypes.find(({ apiName }) => apiName === type.apiName) ?? type
}

/** Gives a type other names; its objects and links stay. */
export async function renameType(
  token: string,
  ontology: string,
  type: string,
  names: TypeNames,
): Promise<void> {
  const administration = administrationOf(token)
  const applied = await changeDefinition(administration, ontology, (current) => {
    if (!current?.objectTypes.some(({ apiName }) => apiName === type)) {
      throw new Error(`${ontology} has no type called ${type} any more.`)
    }
    return withRenamedType(current, type, names)
  })
  if (isDefinitionChange(applied)) await waitForChange(administration, applied)
}

function administrationOf(token: string): Administration {
  return new Administration(new Connection({ baseUrl: serviceUrl(), token }))
}
