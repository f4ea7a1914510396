/** The other object types that a query refers to by following links. */
import type { ObjectType } from '../ontology/ontology.ts'
import type { Query } from './query.ts'

/**
 * Returns the types of all `linked` conditions, each once, in the order of the query. Without the
 * type of the query itself, which is read as of the version of the page.
 */
export function linkedTypesOf(query: Query, objectType: ObjectType): readonly ObjectType[] {
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
  switch (query.kind) {
    case 'and':
    case 'or':
      return hasLink(query) ? { kind: query.kind, of: query.of.map(plainQuery) } : query
    case 'not':
      return hasLink(query) ? { kind: query.kind, of: plainQuery(query.of) } : query
    case 'linked': {
      return { ...query, linkedType: typeIdentity(query.linkedType), of: plainQuery(query.of) }
    }
    default:
      return query
  }
}

/** True if a query follows a link. */
export function hasLink(query: Query): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.of.some(hasLink)
    case 'not':
      return hasLink(query.of)
    default:
      return query.kind === 'linked'
  }
}
