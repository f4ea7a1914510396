/**
 * The parts of an object set: for each object type, the query that selects its objects. Objects of
 * different types are never equal, so set operations work on each type by itself.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import { findInterfaceLink, findInterfaceType } from '../../ontology/catalogue.ts'
import { findLink, linksNamed } from '../../ontology/definition/links.ts'
import type {
  InterfaceImplementation,
  InterfaceType,
  LinkSide,
  ObjectType,
  Ontology,
} from '../../ontology/ontology.ts'
import { isNothing, matchAll, matchAny, matchNone, NOTHING } from '../combine-queries.ts'
import { asObjectType, asQueriedType, queryOfType } from '../interface-query.ts'
import type { Query } from '../query.ts'

/** The objects of one type in an object set. */
export interface SetPart {
  readonly objectType: ObjectType
  readonly query: Query
  /** How the set names the type's properties and links; undefined if it uses their own names. */
  readonly view?: InterfaceImplementation | undefined
  /** Whether objects have all their properties, also those that the view does not have. */
  readonly includeAllProperties?: boolean
}

export type SetParts = readonly SetPart[]

/** Returns the type whose properties a part names: the interface, or the object type itself. */
export function namedType({ objectType, view }: SetPart, ontology: Ontology): ObjectType {
  if (view === undefined) return objectType
  return asObjectType(findInterfaceType(ontology, view.interfaceType))
}

/** Returns the type whose properties conditions and aggregations of a part name. */
export function queriedType(part: SetPart, ontology: Ontology): ObjectType {
  if (part.view === undefined) return part.objectType
  return asQueriedType(findInterfaceType(ontology, part.view.interfaceType))
}

/** Returns the union of sets. */
export function unionOf(sets: readonly SetParts[]): SetParts {
  const queries = Map.groupBy(sets.flat(), ({ objectType }) => objectType)
  return [...queries.values()].map((parts) => merged(parts, matchAny))
}

/** Returns the intersection of sets, which has only the types that all of them have. */
export function intersectionOf(sets: readonly SetParts[]): SetParts {
  const parts = Map.groupBy(sets.flat(), ({ objectType }) => objectType)
  return [...parts.values()]
    .filter((ofType) => ofType.length === sets.length)
    .map((ofType) => merged(ofType, matchAll))
}

/** Returns the objects of the first set that are in none of the others. */
export function differenceOf([first = [], ...others]: readonly SetParts[]): SetParts {
  const removed = new Map(unionOf(others).map((part) => [part.objectType, part]))
  return first.map((part) => {
    const removal = removed.get(part.objectType)
    if (removal === undefined) return part
    return { ...part, query: matchAll([part.query, matchNone(removal.query)]) }
  })
}

/** Returns the objects that a link connects with the objects of a set: a part for each part of it. */
export function linkedTo(ontology: Ontology, set: SetParts, link: string): SetParts {
  const known = linksNamed(ontology, link)
  const linked = set.flatMap((part) => {
    const side = known.find((one) => one.objectType === part.objectType)
    return side === undefined ? [] : [followed(part, side)]
  })
  const [first] = set
  // Throws the error that names the type and the link.
  if (linked.length === 0 && first !== undefined) findLink(ontology, first.objectType, link)
  return linked
}

/** Like `linkedTo`, for a link of the interface as which the set is viewed. */
export function linkedByInterface(ontology: Ontology, set: SetParts, name: string): SetParts {
  const [interfaceName, ...otherNames] = new Set(set.map(({ view }) => view?.interfaceType))
  if (interfaceName === undefined || otherNames.length > 0) {
    throw new ObjectQueryError('InterfaceLinkTypeNotFound', { interfaceLinkType: name })
  }
  const { target } = findInterfaceLink(findInterfaceType(ontology, interfaceName), name)
  const linked = set.flatMap((part) => {
    const own = part.view?.links.get(name)
    return own === undefined ? [] : [followed(part, findLink(ontology, part.objectType, own))]
  })
  if (target.kind === 'objectType') return linked
  return castTo(linked, entityTypes(findInterfaceType(ontology, target.apiName)))
}

function followed({ objectType, query }: SetPart, side: LinkSide): SetPart {
  const { linkedType, linkedProperty, ownProperty } = side
  if (isNothing(query)) return { objectType: linkedType, query: NOTHING }
  const linkedQuery: Query = {
    kind: 'linked',
    property: linkedProperty,
    linkedType: objectType,
    linkedProperty: ownProperty,
    of: query,
  }
  return { objectType: linkedType, query: linkedQuery }
}

/** Returns the object types of an interface, each viewed as the interface. */
export function entityTypes({ implementations }: InterfaceType): Omit<SetPart, 'query'>[] {
  return [...implementations.values()].map((view) => ({ objectType: view.objectType, view }))
}

/** Returns the objects of an interface that match a query on its properties, by object type. */
export function interfaceParts({ implementations }: InterfaceType, query: Query): SetPart[] {
  return [...implementations.values()].map((view) => ({
    objectType: view.objectType,
    query: queryOfType(query, view),
    view,
  }))
}

/** Keeps the objects of certain types; the set then uses the names of the view. */
export function castTo(set: SetParts, entities: readonly Omit<SetPart, 'query'>[]): SetParts {
  const entityOf = new Map(entities.map((entity) => [entity.objectType, entity]))
  return set.flatMap(({ objectType, query }) => {
    const entity = entityOf.get(objectType)
    return entity === undefined ? [] : [{ ...entity, query }]
  })
}

/** Refuses a set without types: it is a mistake of the client. */
export function refuseWithoutTypes(
  set: SetParts,
  sets: readonly SetParts[],
  path: string,
): SetParts {
  if (set.length > 0 || sets.some((one) => one.length === 0)) return set
  throw new ObjectQueryError('IncompatibleNestedObjectSet', {
    parameter: path,
    objectTypes: sets.map((one) => one.map(({ objectType }) => objectType.apiName)),
    reason: 'the sets have no object type in common, so the result would have none',
  })
}

/** The names of a view remain unless the parts of a type have different views. */
function merged(parts: readonly SetPart[], combine: (queries: Query[]) => Query): SetPart {
  const [first] = parts
  if (first === undefined) throw new Error('no parts')
  const [view, ...otherViews] = new Set(parts.flatMap((part) => part.view ?? []))
  const query = combine(parts.map((part) => part.query))
  const { objectType } = first
  if (view === undefined || otherViews.length > 0) return { objectType, query }
  const includeAllProperties = parts.some((part) => part.includeAllProperties)
  return { objectType, query, view, ...(includeAllProperties && { includeAllProperties }) }
}
