import { ObjectQueryError } from '../../contract/errors.ts'
import { linksNamed } from '../../ontology/definition/links.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { findProperties, readKey } from '../page/find-object.ts'
import { isLaterSnapshotPage, type LinkOfObject, type LinkWalk } from '../page/follow-link.ts'
import type { RequestScope } from '../request/admission.ts'
import { resolveObjectType } from '../request/resolve.ts'
import type { Services } from '../services.ts'

/**
 * Objects by primary key alone, as revision 2.0 asks for them. Keys are unique within a type only,
 * so the object is looked for in every type whose keys can be written like that.
 */
export interface KeySearch {
  readonly ontology: Ontology
  /** The type to look in; undefined for all. */
  readonly objectType: string | undefined
  /** As it stands in the path. */
  readonly primaryKey: string
}

export interface FoundObject {
  readonly objectType: ObjectType
  /** As the type writes it. */
  readonly key: string
}

export async function findByKey(
  search: KeySearch,
  context: RequestScope,
  services: Services,
): Promise<FoundObject> {
  return theOnly(await findAll(search, context, services), search)
}

/** The link of one name that starts from the object with the key. */
export async function findLinkByKey(
  search: KeySearch,
  linkType: string,
  walk: LinkWalk,
  context: RequestScope,
  services: Services,
): Promise<LinkOfObject> {
  const types = new Set(typesToSearch(search))
  const sides = linksNamed(search.ontology, linkType).filter((side) => types.has(side.objectType))
  if (sides.length === 0) throw invalidLinkType(linkType)

  // The object may be gone by now, see followLink; its type is known where only one can be meant.
  if (isLaterSnapshotPage(walk)) {
    const [link, ...others] = sides.flatMap((side) => {
      const key = readKey(side.objectType, search.primaryKey)
      return key === undefined ? [] : [{ side, key }]
    })
    if (link !== undefined && others.length === 0) return link
  }

  const found = await findAll(search, context, services)
  if (found.length === 0) throw objectNotFound(search)
  // An object of a type without this link is not the one that is meant.
  const linked = found.filter(({ objectType }) =>
    sides.some((side) => side.objectType === objectType),
  )
  if (linked.length === 0) throw invalidLinkType(linkType)
  const { objectType, key } = theOnly(linked, search)
  const side = sides.find((one) => one.objectType === objectType)
  if (side === undefined) throw invalidLinkType(linkType)
  return { side, key }
}

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
  context: RequestScope,
  services: Services,
): Promise<FoundObject[]> {
  const found: FoundObject[] = []
  for (const objectType of typesToSearch(search)) {
    const key = readKey(objectType, search.primaryKey)
    if (key === undefined) continue
    // An ontology may have thousands of types.
    await services.admission.takeTurn(context.callerId)
    context.throwIfEnded()
    const keyOnly = [objectType.primaryKey.apiName]
    const exists = await findProperties(objectType, key, keyOnly, context, services)
    if (exists !== undefined) found.push({ objectType, key })
  }
  return found
}

function theOnly(found: readonly FoundObject[], search: KeySearch): FoundObject {
  const [first, ...others] = found
  if (first === undefined) throw objectNotFound(search)
  if (others.length === 0) return first
  const names = found.map(({ objectType }) => objectType.apiName)
  throw new ObjectQueryError('Default:InvalidArgument', {
    parameter: 'objectType',
    reason: `is needed: the object types ${names.join(', ')} have an object with this key`,
  })
}
