/**
 * The parts of an object set: for each object type, the query that selects its objects. Objects of
 * different types are never equal, so set operations work on each type by itself.
 */
import { ObjectQueryError } from '../../contract/errors.ts'
import { findLink, linksNamed } from '../../ontology/definition/links.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { isNothing, matchAll, matchAny, matchNone, NOTHING } from '../combine-queries.ts'
import type { Query } from '../query.ts'

/** The objects of one type in an object set. */
export interface SetPart {
  readonly objectType: ObjectType
  readonly query: Query
  /** How the set names the type's properties and links; undefined if it uses their own names. */
  readonly view?: EntityView | undefined
}

/** The names that an interface gives to the properties and links of an object type. */
export interface EntityView {
  /** The type's property for each property of the view. */
  readonly properties: ReadonlyMap<string, string>
  /** The type's link for each link of the view. */
  readonly links: ReadonlyMap<string, string>
}

export type SetParts = readonly SetPart[]

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
  const removed = unionOf(others)
  return first.map((part) => {
    const removal = removed.find(({ objectType }) => objectType === part.objectType)
    if (removal === undefined) return part
    return { ...part, query: matchAll([part.query, matchNone(removal.query)]) }
  })
}

/** Returns the objects that a link connects with the objects of a set: a part for each part of it. */
export function linkedTo(ontology: Ontology, set: SetParts, link: string): SetParts {
  const known = linksNamed(ontology, link)
  const linked = set.flatMap(({ objectType, query }): SetPart[] => {
    const side = known.find((one) => one.objectType === objectType)
    if (side === undefined) return []
    const { linkedType, linkedProperty, ownProperty } = side
    const linkedQuery: Query = {
      kind: 'linked',
      property: linkedProperty,
      linkedType: objectType,
      linkedProperty: ownProperty,
      of: query,
    }
    return [{ objectType: linkedType, query: isNothing(query) ? NOTHING : linkedQuery }]
  })
  const [first] = set
  // Throws the error that names the type and the link.
  if (linked.length === 0 && first !== undefined) findLink(ontology, first.objectType, link)
  return linked
}

/** Keeps the objects of certain types; the set then uses the names of the view. */
export function castTo(set: SetParts, entities: readonly Omit<SetPart, 'query'>[]): SetParts {
  return set.flatMap(({ objectType, query }) => {
    const entity = entities.find((one) => one.objectType === objectType)
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
  })
}

/** The names of a view remain unless the parts of a type have different views. */
function merged(parts: readonly SetPart[], combine: (queries: Query[]) => Query): SetPart {
  const [first] = parts
  if (first === undefined) throw new Error('no parts')
  const [view, ...otherViews] = new Set(parts.flatMap((part) => part.view ?? []))
  const query = combine(parts.map((part) => part.query))
  const { objectType } = first
  return view === undefined || otherViews.length > 0
    ? { objectType, query }
    : { objectType, query, view }
}
