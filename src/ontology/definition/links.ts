import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType, Ontology } from '../ontology.ts'
import type { LinkTypeDefinition } from './definition-schema.ts'
import type { PrimaryKeyType } from './property-type.ts'

/**
 * A link as one of its two object types sees it. A link has no data of its own: objects are linked
 * where `ownProperty` of the one equals `linkedProperty` of the other, so following a link is a
 * query on the linked type.
 */
export interface LinkSide {
  readonly apiName: string
  readonly displayName: string
  readonly objectType: ObjectType
  readonly linkedType: ObjectType
  /** How many objects the link can lead to. */
  readonly cardinality: 'ONE' | 'MANY'
  /** The property of the object type that holds the key of the linked type, where it has one. */
  readonly foreignKey: string | undefined
  readonly ownProperty: string
  readonly linkedProperty: string
  /** The type of both properties. */
  readonly keyType: PrimaryKeyType
}

/** All links that start at an object type. */
export function outgoingLinks(ontology: Ontology, objectType: ObjectType): LinkSide[] {
  const { apiName } = objectType
  return (ontology.definition.linkTypes ?? []).flatMap((link) => [
    ...(link.from === apiName ? forwardSide(ontology, link) : []),
    ...(link.to === apiName ? reverseSide(ontology, link) : []),
  ])
}

/** All links of one name, each from another object type. */
export function linksNamed(ontology: Ontology, apiName: string): LinkSide[] {
  return (ontology.definition.linkTypes ?? []).flatMap((link) => [
    ...(link.apiName === apiName ? forwardSide(ontology, link) : []),
    ...(link.reverseApiName === apiName ? reverseSide(ontology, link) : []),
  ])
}

export function findLink(ontology: Ontology, objectType: ObjectType, apiName: string): LinkSide {
  const link = linksNamed(ontology, apiName).find((side) => side.objectType === objectType)
  if (link === undefined) {
    throw new ObjectQueryError('LinkTypeNotFound', {
      objectType: objectType.apiName,
      linkType: apiName,
    })
  }
  return link
}

/** From the object that holds the foreign key to the one that it names. */
function forwardSide({ objectTypes }: Ontology, link: LinkTypeDefinition): LinkSide[] {
  const [from, to] = [objectTypes.get(link.from), objectTypes.get(link.to)]
  if (from === undefined || to === undefined) return []
  const side: LinkSide = {
    apiName: link.apiName,
    displayName: link.displayName ?? link.apiName,
    objectType: from,
    linkedType: to,
    cardinality: 'ONE',
    foreignKey: link.foreignKey,
    ownProperty: link.foreignKey,
    linkedProperty: to.primaryKey.apiName,
    keyType: to.primaryKey.type,
  }
  return [side]
}

/** From an object to all that name it; a link need not have this side. */
function reverseSide({ objectTypes }: Ontology, link: LinkTypeDefinition): LinkSide[] {
  const [from, to] = [objectTypes.get(link.from), objectTypes.get(link.to)]
  if (link.reverseApiName === undefined || from === undefined || to === undefined) return []
  const side: LinkSide = {
    apiName: link.reverseApiName,
    // The display name of the link tells what it leads to, which is the other way.
    displayName: link.reverseApiName,
    objectType: to,
    linkedType: from,
    cardinality: 'MANY',
    foreignKey: undefined,
    ownProperty: to.primaryKey.apiName,
    linkedProperty: link.foreignKey,
    keyType: to.primaryKey.type,
  }
  return [side]
}
