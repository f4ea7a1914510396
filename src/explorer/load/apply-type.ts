/** Adds a type to an ontology, which is created if there is none of its name, or renames one. */
import { Connection } from '../../client/connection.ts'
import { Administration } from '../../client/endpoints/administration.ts'
import { isDefinitionChange, waitForChange } from '../../client/endpoints/definition-change.ts'
import type {
  ObjectTypeDefinition,
  OntologyDefinition,
} from '../../ontology/definition/definition-schema.ts'
import { Mistakes } from '../../ontology/definition/mistakes.ts'
import { parseObjectType } from '../../ontology/definition/parse-object-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { changeDefinition } from '../../transfer/import/change-definition.ts'
import { withType } from '../../transfer/infer/definition.ts'
import { serviceUrl } from '../api/service.ts'
import { sessionFetch } from '../api/session-fetch.ts'

/** Returns the type as the service stored it. */
export async function applyType(
  ontology: string,
  type: ObjectTypeDefinition,
): Promise<ObjectTypeDefinition> {
  // The definition is read again, because the page may show an older one.
  const applied = await changeDefinition(openAdministration(), ontology, (current) => {
    if (current?.objectTypes.some(({ apiName }) => apiName === type.apiName)) {
      throw new Error(`${ontology} already has a type called ${type.apiName}.`)
    }
    return withType(current, ontology, { definition: type })
  })
  const { objectTypes } = applied as OntologyDefinition
  return objectTypes.find(({ apiName }) => apiName === type.apiName) ?? type
}

/** Gives a type other names; its objects and links stay. */
export async function renameType(ontology: string, type: string, names: TypeNames): Promise<void> {
  const administration = openAdministration()
  const applied = await changeDefinition(administration, ontology, (current) => {
    if (!current?.objectTypes.some(({ apiName }) => apiName === type)) {
      throw new Error(`${ontology} has no type called ${type} any more.`)
    }
    return withRenamedType(current, type, names)
  })
  if (isDefinitionChange(applied)) await waitForChange(administration, applied)
}

function openAdministration(): Administration {
  return new Administration(new Connection({ baseUrl: serviceUrl(), fetch: sessionFetch }))
}

export interface TypeNames {
  readonly apiName: string
  /** Empty for the words of the API name. */
  readonly displayName: string
}

/** Returns a definition in which a type has other names; its objects and links stay. */
function withRenamedType(
  definition: OntologyDefinition,
  before: string,
  { apiName, displayName }: TypeNames,
): OntologyDefinition {
  const nameNow = (name: string) => (name === before ? apiName : name)
  const linkTypes = definition.linkTypes?.map((link) => ({
    ...link,
    from: nameNow(link.from),
    to: nameNow(link.to),
  }))
  return {
    ...definition,
    ...(linkTypes && { linkTypes }),
    objectTypes: definition.objectTypes.map((type) => {
      if (type.apiName !== before) return type
      const { displayName: _, ...rest } = type
      return {
        ...rest,
        apiName,
        ...(displayName === '' ? {} : { displayName }),
        ...(apiName === before ? {} : { renamedFrom: before }),
      }
    }),
  }
}

/**
 * Parses an object type, or throws its first mistake. What values must satisfy is left out: the
 * service checks it, and it may depend on the rest of the ontology.
 */
export function parsedType(definition: ObjectTypeDefinition): ObjectType {
  const mistakes = new Mistakes()
  const properties = Object.fromEntries(
    Object.entries(definition.properties).map(([name, property]) => {
      const { valueType: _, constraints: _all, default: _value, ...rest } = property
      return [name, rest]
    }),
  )
  const bare = { ...definition, properties }
  const type = parseObjectType(bare, definition.apiName, new Map(), mistakes)
  const [mistake] = mistakes.all
  if (mistake !== undefined) throw new Error(`${mistake.path}: ${mistake.reason}`)
  if (type === undefined) throw new Error(`${definition.apiName} cannot be read`)
  return type
}
