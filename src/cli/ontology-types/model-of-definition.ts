/** Reads an ontology definition from a file. It has object types and links, but no actions. */
import type {
  LinkModel,
  ObjectTypeModel,
  OntologyModel,
  PropertyModel,
} from './model-of-metadata.ts'
import { byApiName, type TypeModel } from './types-model.ts'

/** The members of a definition that the generator uses. */
export interface FileDefinition {
  readonly apiName: string
  readonly rid?: string
  readonly description?: string
  readonly objectTypes: readonly FileObjectType[]
  readonly linkTypes?: readonly FileLinkType[]
  readonly interfaceTypes?: readonly unknown[]
}

interface FileObjectType {
  readonly apiName: string
  readonly rid?: string
  readonly displayName?: string
  readonly description?: string
  readonly primaryKey: string
  readonly titleProperty?: string
  readonly properties: Readonly<Record<string, FileProperty>>
}

interface FileProperty {
  readonly type: string
  readonly displayName?: string
  readonly description?: string
  readonly items?: FileProperty
  readonly fields?: Readonly<Record<string, FileProperty>>
}

interface FileLinkType {
  readonly apiName: string
  readonly reverseApiName?: string
  readonly from: string
  readonly to: string
}

export function modelOfDefinition(definition: FileDefinition): OntologyModel {
  const { apiName, rid, description, objectTypes, linkTypes = [] } = definition
  return {
    apiName,
    rid: rid ?? '',
    description,
    objectTypes: objectTypes.map((type) => toObjectType(type, linkTypes)).toSorted(byApiName),
    interfaces: [],
    actions: [],
  }
}

/** The icon that the service returns for every object type. */
const ICON = { name: 'cube', color: '#4C90F0' }

function toObjectType(type: FileObjectType, linkTypes: readonly FileLinkType[]): ObjectTypeModel {
  const { apiName, primaryKey, displayName = apiName } = type
  return {
    apiName,
    rid: type.rid ?? '',
    displayName,
    pluralDisplayName: displayName,
    description: type.description,
    icon: ICON,
    primaryKey,
    titleProperty: type.titleProperty ?? primaryKey,
    properties: Object.entries(type.properties).map(toProperty).toSorted(byApiName),
    links: linkTypes.flatMap((link) => sidesOf(link, apiName)).toSorted(byApiName),
    interfaces: [],
  }
}

/** A link type leads from the object with the foreign key to one object, and back to many. */
function sidesOf({ apiName, reverseApiName, from, to }: FileLinkType, type: string): LinkModel[] {
  const sides: LinkModel[] = []
  const leadsToInterface = false
  if (from === type) sides.push({ apiName, target: to, isMany: false, leadsToInterface })
  if (to === type && reverseApiName !== undefined) {
    sides.push({ apiName: reverseApiName, target: from, isMany: true, leadsToInterface })
  }
  return sides
}

function toProperty([apiName, property]: [string, FileProperty]): PropertyModel {
  const { displayName, description } = property
  return { apiName, type: toType(property), displayName, description }
}

function toType({ type, items, fields = {} }: FileProperty): TypeModel {
  if (type === 'array' && items !== undefined) return { kind: 'array', items: toType(items) }
  if (type !== 'struct') return { kind: 'scalar', type }
  return {
    kind: 'struct',
    fields: Object.entries(fields).map(([apiName, field]) => ({ apiName, type: toType(field) })),
  }
}
