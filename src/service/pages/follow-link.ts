/** Follows links. In both revisions, linked objects are the result of a query on the linked type. */
import { resolveTypePath, type Viewer } from '../../access/find-visible.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { findLink } from '../../ontology/definition/links.ts'
import type { LinkSide, ObjectType, Ontology } from '../../ontology/ontology.ts'
import { matchAll, NOTHING } from '../../query/combine-queries.ts'
import type { Query } from '../../query/query.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import {
  type FoundRecord,
  findProperties,
  findRecord,
  keyEquals,
  type ObjectSpec,
  objectNotFound,
  propertyEquals,
  readKey,
} from './find-object.ts'
import type { PagingParameters } from './page.ts'

/** A link type and the object that it is followed from. */
export interface LinkStart {
  readonly side: LinkSide
  /** The primary key of the object, in canonical form. */
  readonly key: string
}

export interface LinkPath {
  readonly ontology: string
  readonly objectType: string
  readonly primaryKey: string
  readonly linkType: string
}

/** Resolves a path that names an object and one of its links. */
export function resolveLink(
  path: LinkPath,
  viewer: Viewer,
): { readonly ontology: Ontology; readonly link: LinkStart } {
  const { ontology, objectType } = resolveTypePath(viewer, path)
  const side = findLink(ontology, objectType, path.linkType)
  const key = readKey(objectType, path.primaryKey)
  if (key === undefined) throw objectNotFound(objectType, path.primaryKey)
  return { ontology, link: { side, key } }
}

/** Finds an object among the linked objects of another, or throws the error of the missing one. */
export async function findLinkedRecord(
  path: LinkPath & { readonly linkedObjectPrimaryKey: string },
  link: LinkStart,
  record: Pick<ObjectSpec, 'shape' | 'selection'>,
  context: ServiceContext,
  services: ServiceParts,
): Promise<FoundRecord> {
  const { objectType, linkedType } = link.side
  const condition = await followLink(link, {}, context, services)
  if (condition === undefined) throw objectNotFound(objectType, path.primaryKey)
  const key = readKey(linkedType, path.linkedObjectPrimaryKey)
  if (key !== undefined) {
    const query = matchAll([keyEquals(linkedType, key), condition])
    const spec = { ...record, objectType: linkedType, query }
    const found = await findRecord(spec, context, services)
    if (found !== undefined) return found
  }
  throw linkedObjectNotFound(path.linkType, linkedType, path.linkedObjectPrimaryKey)
}

function linkedObjectNotFound(
  linkType: string,
  linkedType: ObjectType,
  written: string,
): ObjectQueryError {
  return new ObjectQueryError('LinkedObjectNotFound', {
    linkType,
    linkedObjectType: linkedType.apiName,
    linkedObjectPrimaryKey: { [linkedType.primaryKey.apiName]: written },
  })
}

/**
 * Returns the query for the linked objects, or undefined if the start object does not exist.
 *
 * Every page looks up the start object, except the later pages of a snapshot: the first page saw it,
 * so deleting it must not end the walk, also if that goes on in another snapshot. Those pages need
 * only its key, which is in the path and bound to the token. A link to ONE needs the foreign key as
 * well, but never has a second page.
 */
export async function followLink(
  { side, key }: LinkStart,
  paging: PagingParameters,
  context: ServiceContext,
  services: ServiceParts,
): Promise<Query | undefined> {
  const { objectType, cardinality, ownProperty, linkedProperty, keyType } = side
  if (isLaterSnapshotPage(paging) && cardinality === 'MANY') {
    return propertyEquals(linkedProperty, keyType, key)
  }
  const properties = await findProperties(objectType, key, [ownProperty], context, services)
  if (properties === undefined) return undefined
  const value = properties.get(ownProperty)
  return value === undefined ? NOTHING : propertyEquals(linkedProperty, keyType, value)
}

/** Returns whether a request continues a snapshot walk. */
export function isLaterSnapshotPage({ snapshot, pageToken }: PagingParameters): boolean {
  return snapshot === true && pageToken != null
}

/** Returns the endpoint that tokens are bound to: other objects and links may have the same query. */
export function linkEndpoint({ side, key }: LinkStart): string {
  return JSON.stringify(['listLinkedObjects', side.objectType.rid, key, side.apiName])
}
