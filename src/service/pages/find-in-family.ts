/**
 * Finds objects by primary key alone, as revision 2.0 requests them. Keys are unique only within a
 * type, so every type whose keys can have this form is searched.
 */
import { resolveObjectType } from '../../access/find-visible.ts'
import { isPartlyHidden } from '../../access/ruled-objects.ts'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import { linksNamed } from '../../ontology/definition/links.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { readPrimaryKey } from '../../ontology/values/primary-key.ts'
import type { ServiceContext } from '../service-context.ts'
import type { ServiceParts } from '../service-parts.ts'
import { findProperties, readKey } from './find-object.ts'
import { isLaterSnapshotPage, type LinkStart } from './follow-link.ts'
import type { PagingParameters } from './page.ts'

export interface KeySearch {
  readonly ontology: Ontology
  /** The type to search; undefined for all types. */
  readonly objectType: string | undefined
  /** As it appears in the path. */
  readonly primaryKey: string
}

interface FoundObject {
  readonly objectType: ObjectType
  /** The primary key in canonical form. */
  readonly key: string
}

/** Returns the object with the key. Throws if there is none, or more than one. */
export async function findByKey(
  search: KeySearch,
  context: ServiceContext,
  services: ServiceParts,
): Promise<FoundObject> {
  return onlyObject(await findAll(search, context, services), search)
}

/** Returns the link with this name that starts at the object with the key. */
export async function findLinkByKey(
  search: KeySearch,
  linkType: string,
  paging: PagingParameters,
  context: ServiceContext,
  services: ServiceParts,
): Promise<LinkStart> {
  const types = new Set(typesToSearch(search))
  const sides = linksNamed(search.ontology, linkType).filter((side) => types.has(side.objectType))
  if (sides.length === 0) throw invalidLinkType(linkType)

  // The start object may have been deleted by now, see followLink. If only one type is possible,
  // its link is known without the object.
  if (isLaterSnapshotPage(paging)) {
    const [link, ...others] = sides.flatMap((side) => {
      const key = readKey(side.objectType, search.primaryKey)
      return key === undefined ? [] : [{ side, key }]
    })
    if (link !== undefined && others.length === 0) return link
  }

  const objects = await findAll(search, context, services)
  if (objects.length === 0) throw familyObjectNotFound(search)
  // Ignore objects whose type does not have this link.
  const linked = objects.filter(({ objectType }) =>
    sides.some((side) => side.objectType === objectType),
  )
  if (linked.length === 0) throw invalidLinkType(linkType)
  const { objectType, key } = onlyObject(linked, search)
  const side = sides.find((one) => one.objectType === objectType)
  if (side === undefined) throw invalidLinkType(linkType)
  return { side, key }
}

/** Returns the `ObjectNotFound` of revision 2.0. */
export function familyObjectNotFound({ primaryKey }: KeySearch): ObjectQueryError {
  return new ObjectQueryError('ObjectNotFound', { primaryKeys: [primaryKey] })
}

function invalidLinkType(linkType: string): ObjectQueryError {
  return new ObjectQueryError('InvalidOntologyTypes', {
    invalidPropertyTypes: [],
    invalidObjectTypes: [],
    invalidLinkTypes: [linkType],
  })
}

function typesToSearch({ ontology, objectType }: KeySearch): readonly ObjectType[] {
  if (objectType === undefined) return [...ontology.objectTypes.values()]
  return [resolveObjectType(ontology, objectType).objectType]
}

/** Finds the object in every type whose keys can have this form. */
async function findAll(
  search: KeySearch,
  context: ServiceContext,
  services: ServiceParts,
): Promise<FoundObject[]> {
  const possible = typesToSearch(search).flatMap((objectType) => {
    const key = readKey(objectType, search.primaryKey)
    return key === undefined ? [] : [{ objectType, key }]
  })
  if (possible.length === 0) return []
  const keys = possible.map(({ objectType: { rid, primaryKey }, key }) => ({
    typeRid: rid,
    pk: readPrimaryKey(primaryKey.type, key).pk,
  }))
  const rids = new Set(await services.objects.findTypes({ keys }, context))
  context.noteRead(
    possible.map(({ objectType }) => objectType),
    0,
  )
  const objects: FoundObject[] = []
  for (const found of possible.filter(({ objectType }) => rids.has(objectType.rid))) {
    if (await isVisible(found, context, services)) objects.push(found)
  }
  return objects
}

/** Returns whether the caller may see an object that exists. */
async function isVisible(
  { objectType, key }: FoundObject,
  context: ServiceContext,
  services: ServiceParts,
): Promise<boolean> {
  if (!isPartlyHidden(objectType)) return true
  const keyOnly = [objectType.primaryKey.apiName]
  return (await findProperties(objectType, key, keyOnly, context, services)) !== undefined
}

function onlyObject(objects: readonly FoundObject[], search: KeySearch): FoundObject {
  const [first, ...others] = objects
  if (first === undefined) throw familyObjectNotFound(search)
  if (others.length === 0) return first
  const names = objects.map(({ objectType }) => objectType.apiName)
  const reason = `is required: the object types ${names.join(', ')} have an object with this key`
  throw invalidArgument('objectType', reason)
}
