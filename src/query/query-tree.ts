/** Walks over the tree of a query: which kinds of conditions and object types it has, and copies of it. */
import type { ObjectType } from '../ontology/ontology.ts'
import type { Query } from './query.ts'

/**
 * Returns the types of all `linked` conditions, each once, in the order of the query. Without the
 * type of the query itself, which is read as of the version of the page.
 */
export function linkedTypesOf(
  query: Query,
  objectType: Pick<ObjectType, 'rid'>,
): readonly ObjectType[] {
  if (!hasLink(query)) return []
  const types = new Map<string, ObjectType>()
  collect(query, types)
  types.delete(objectType.rid)
  return [...types.values()]
}

function collect(query: Query, types: Map<string, ObjectType>): void {
  switch (query.kind) {
    case 'and':
    case 'or':
      for (const one of query.of) collect(one, types)
      return
    case 'linked':
      if (!types.has(query.linkedType.rid)) types.set(query.linkedType.rid, query.linkedType)
      collect(query.of, types)
      return
    case 'not':
      collect(query.of, types)
  }
}

/**
 * Returns the part of an object type that page tokens are bound to: a cursor is a value of its key.
 */
export function typeIdentity({ rid, primaryKey }: ObjectType): string {
  return [rid, primaryKey.apiName, primaryKey.type].join()
}

/** Returns the query as plain data: each object type is replaced by what identifies it. */
export function plainQuery(query: Query): object {
  return replaceConditions(query, (condition) => {
    if (condition.kind !== 'linked') return condition
    const of = plainQuery(condition.of)
    // Plain data has the shape of a query, apart from its types.
    return { ...condition, linkedType: typeIdentity(condition.linkedType), of } as object as Query
  })
}

/** True if a query follows a link. */
export function hasLink(query: Query): boolean {
  return hasKind(query, 'linked')
}

/** True if a query, or a condition within it, is of a kind. */
export function hasKind(query: Query, kind: Query['kind']): boolean {
  if (query.kind === kind) return true
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.of.some((one) => hasKind(one, kind))
    case 'not':
    case 'linked':
      return hasKind(query.of, kind)
    default:
      return false
  }
}

/** Returns a query with other conditions below and, or and not; the same object if none changes. */
export function replaceConditions(query: Query, replace: (condition: Query) => Query): Query {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const of = query.of.map((one) => replaceConditions(one, replace))
      return of.every((one, index) => one === query.of[index]) ? query : { kind: query.kind, of }
    }
    case 'not': {
      const of = replaceConditions(query.of, replace)
      return of === query.of ? query : { kind: 'not', of }
    }
    default:
      return replace(query)
  }
}
