/**
 * Finds objects by primary key alone, as revision 2.0 requests them. Keys are unique only within a
 * type, so every type whose keys can have this form is searched.
 */

import { resolveFamily, resolveObjectType, type Viewer } from '../../access/resolve.ts'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import { linksNamed } from '../../ontology/definition/links.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { findProperties, readKey } from '../../service/pages/find-object.ts'
import { isLaterSnapshotPage, type LinkStart } from '../../service/pages/follow-link.ts'
import type { PagingParameters } from '../../service/pages/page.ts'
import type { ServiceContext } from '../../service/service-context.ts'
import type { Services } from '../services.ts'

export interface KeySearch {
  readonly ontology: Ontology
  /** The type to search; undefined for all types. */
  readonly objectType: string | undefined
  /** As it appears in the path. */
  readonly primaryKey: string
}

export interface FoundObject {
  readonly objectType: ObjectType
  /** The primary key in canonical form. */
  readonly key: string
}

interface KeyRequest extends Viewer {
  readonly params: { readonly apiFamily: string; readonly primaryKey: string }
  readonly query: { readonly objectType?: string }
}

/** Returns the search that a request describes. */
export function resolveKeySearch({ catalogue, caller, params, query }: KeyRequest): KeySearch {
  return {
    ontology: resolveFamily(catalogue, caller, params.apiFamily),
    objectType: query.objectType,
    primaryKey: params.primaryKey,
  }
}

/** Returns the object with the key. Throws if there is none, or more than one. */
export async function findByKey(
  search: KeySearch,
  context: ServiceContext,
  services: Services,
): Promise<FoundObject> {
  return onlyObject(await findAll(search, context, services), search)
}

/** Returns the link with this name that starts at the object with the key. */
export async function findLinkByKey(
  search: KeySearch,
  linkType: string,
  paging: PagingParameters,
  context: ServiceContext,
  services: Services,
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
  if (objects.length === 0) throw objectNotFound(search)
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
export function objectNotFound({ primaryKey }: KeySearch): ObjectQueryError {
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

async function findAll(
  search: KeySearch,
  context: ServiceContext,
  services: Services,
): Promise<FoundObject[]> {
  const objects: FoundObject[] = []
  for (const objectType of typesToSearch(search)) {
    const key = readKey(objectType, search.primaryKey)
    if (key === undefined) continue
    // An ontology may have thousands of types.
    await services.admission.takeTurn(context.callerId)
    context.signal().throwIfAborted()
    const keyOnly = [objectType.primaryKey.apiName]
    const exists = await findProperties(objectType, key, keyOnly, context, services)
    if (exists !== undefined) objects.push({ objectType, key })
  }
  return objects
}

function onlyObject(objects: readonly FoundObject[], search: KeySearch): FoundObject {
  const [first, ...others] = objects
  if (first === undefined) throw objectNotFound(search)
  if (others.length === 0) return first
  const names = objects.map(({ objectType }) => objectType.apiName)
  const reason = `is required: the object types ${names.join(', ')} have an object with this key`
  throw invalidArgument('objectType', reason)
}
