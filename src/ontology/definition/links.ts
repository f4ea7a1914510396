/** Links between object types, as each of their two sides sees them. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType, Ontology } from '../ontology.ts'
import type { LinkTypeDefinition } from './definition-schema.ts'
import type { PrimaryKeyType } from './property-type.ts'
import { linkTypeRid } from './rid.ts'

/**
 * One side of a link. Links have no data of their own: two objects are linked if `ownProperty` of one
 * equals `linkedProperty` of the other, so following a link is a query on the linked type.
 */
export interface LinkSide {
  readonly apiName: string
  /** The RID of the link type, which both sides share. */
  readonly rid: string
  readonly displayName: string
  readonly objectType: ObjectType
  readonly linkedType: ObjectType
  /** Whether an object has at most one linked object, or any number. */
  readonly cardinality: 'ONE' | 'MANY'
  /** The property with the key of the linked object; undefined on the reverse side. */
  readonly foreignKey: string | undefined
  readonly ownProperty: string
  readonly linkedProperty: string
  /** The type of both properties. */
  readonly keyType: PrimaryKeyType
}

/** Returns all links that start at an object type. */
export function outgoingLinks(ontology: Ontology, objectType: ObjectType): LinkSide[] {
  const { apiName } = objectType
  return (ontology.definition.linkTypes ?? []).flatMap((link) => [
    ...(link.from === apiName ? forwardSide(ontology, link) : []),
    ...(link.to === apiName ? reverseSide(ontology, link) : []),
  ])
}

/** Returns the links that start at each object type, by its API name, in one pass. */
export function linksByType(ontology: Ontology): ReadonlyMap<string, readonly LinkSide[]> {
  const sides = (ontology.definition.linkTypes ?? []).flatMap((link) => [
    ...forwardSide(ontology, link),
    ...reverseSide(ontology, link),
  ])
  return Map.groupBy(sides, ({ objectType }) => objectType.apiName)
}

/** Returns all links with a name, each from a different object type. */
export function linksNamed(ontology: Ontology, apiName: string): LinkSide[] {
  return (ontology.definition.linkTypes ?? []).flatMap((link) => [
    ...(link.apiName === apiName ? forwardSide(ontology, link) : []),
    ...(link.reverseApiName === apiName ? reverseSide(ontology, link) : []),
  ])
}

/** Returns a link, or throws `LinkTypeNotFound`. */
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

/** From the object with the foreign key to the object that it references. */
function forwardSide({ objectTypes }: Ontology, link: LinkTypeDefinition): LinkSide[] {
  const [from, to] = [objectTypes.get(link.from), objectTypes.get(link.to)]
  if (from === undefined || to === undefined) return []
  const side: LinkSide = {
    apiName: link.apiName,
    rid: linkTypeRid(from.rid, link.apiName),
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

/** From an object to all objects that reference it; optional in a definition. */
function reverseSide({ objectTypes }: Ontology, link: LinkTypeDefinition): LinkSide[] {
  const [from, to] = [objectTypes.get(link.from), objectTypes.get(link.to)]
  if (link.reverseApiName === undefined || from === undefined || to === undefined) return []
  const side: LinkSide = {
    apiName: link.reverseApiName,
    rid: linkTypeRid(from.rid, link.apiName),
    // The display name of the definition describes the forward side.
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
