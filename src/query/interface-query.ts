/** Queries that name the properties of an interface instead of those of an object type. */
import type { InterfaceImplementation, InterfaceType, ObjectType } from '../ontology/ontology.ts'
import { matchAll, matchAny, matchNone, NOTHING } from './combine-queries.ts'
import { EVERYTHING, type Query } from './query.ts'

/**
 * Returns an interface in the form in which queries, orders and selections are checked. It has no
 * primary key of its own: no property has an empty name.
 */
export function asObjectType({ apiName, rid, allProperties }: InterfaceType): ObjectType {
  return {
    apiName,
    rid,
    primaryKey: { apiName: '', type: 'string' },
    titleProperty: undefined,
    retrievalLimit: undefined,
    properties: allProperties,
  }
}

/**
 * Returns the query of an object type for a query of an interface that it implements. Objects have no
 * value for an optional property that their type does not implement.
 */
export function queryOfType(
  query: Query,
  implementation: Pick<InterfaceImplementation, 'properties'>,
): Query {
  const { properties } = implementation
  switch (query.kind) {
    case 'and':
      return matchAll(query.of.map((one) => queryOfType(one, implementation)))
    case 'or':
      return matchAny(query.of.map((one) => queryOfType(one, implementation)))
    case 'not':
      return matchNone(queryOfType(query.of, implementation))
  }
  if (query.kind === 'isNull') {
    const property = properties.get(query.property)
    return property === undefined ? EVERYTHING : { ...query, property }
  }
  if (!('field' in query) || query.field === undefined) return query
  const property = properties.get(query.field.property)
  if (property === undefined) return NOTHING
  return { ...query, field: { ...query.field, property } } as Query
}
