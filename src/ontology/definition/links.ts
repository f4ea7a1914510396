/** Links between object types, as each of their two sides sees them. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { LinkSide, ObjectType, Ontology } from '../ontology.ts'
import type { LinkTypeDefinition } from './definition-schema.ts'
import { linkTypeRid } from './rid.ts'

/** Returns both sides of each link type, or the only side that it has. */
export function linkSidesOf(
  linkTypes: readonly LinkTypeDefinition[],
  objectTypes: ReadonlyMap<string, ObjectType>,
): LinkSide[] {
  return linkTypes.flatMap((link) => {
    const [from, to] = [objectTypes.get(link.from), objectTypes.get(link.to)]
    if (from === undefined || to === undefined) return []
    const { reverseApiName } = link
    const forward = forwardSide(link, from, to)
    return reverseApiName === undefined
      ? [forward]
      : [forward, reverseSide(forward, reverseApiName)]
  })
}

/** Returns all links that start at an object type. */
export function outgoingLinks({ linkSides }: Ontology, objectType: ObjectType): LinkSide[] {
  return linkSides.filter((side) => side.objectType === objectType)
}

/** Returns all links with a name, each from a different object type. */
export function linksNamed({ linkSides }: Ontology, apiName: string): LinkSide[] {
  return linkSides.filter((side) => side.apiName === apiName)
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
function forwardSide(link: LinkTypeDefinition, from: ObjectType, to: ObjectType): LinkSide {
  return {
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
}

/** From an object to all objects that reference it; optional in a definition. */
function reverseSide(forward: LinkSide, apiName: string): LinkSide {
  return {
    apiName,
    rid: forward.rid,
    // The display name of the definition describes the forward side.
    displayName: apiName,
    objectType: forward.linkedType,
    linkedType: forward.objectType,
    cardinality: 'MANY',
    foreignKey: undefined,
    ownProperty: forward.linkedProperty,
    linkedProperty: forward.ownProperty,
    keyType: forward.keyType,
  }
}
