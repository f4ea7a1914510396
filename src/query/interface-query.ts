/** Queries that name the properties of an interface instead of those of an object type. */
import { isSameType } from '../ontology/definition/property-type.ts'
import type {
  InterfaceImplementation,
  InterfaceType,
  ObjectType,
  Property,
} from '../ontology/ontology.ts'
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
    access: 'all',
  }
}

/** What names the title and the primary key of an object, whatever its type. No API name does. */
const TITLE = '$title'
const PRIMARY_KEY = '$primaryKey'

/**
 * Returns an interface in the form in which conditions and aggregations are checked: they can also
 * name the title and the primary key, if those of all object types have one type.
 */
export function asQueriedType(interfaceType: InterfaceType): ObjectType {
  const type = asObjectType(interfaceType)
  const objectTypes = [...interfaceType.implementations.values()].map((one) => one.objectType)
  const title = commonProperty(objectTypes, ({ titleProperty = '' }) => titleProperty)
  const key = commonProperty(objectTypes, ({ primaryKey }) => primaryKey.apiName)
  const properties = new Map<string, Property>(type.properties)
  if (title !== undefined) properties.set(TITLE, title)
  if (key !== undefined) properties.set(PRIMARY_KEY, key)
  return {
    ...type,
    ...(title && { titleProperty: TITLE }),
    ...(key && { primaryKey: { ...type.primaryKey, apiName: PRIMARY_KEY } }),
    properties,
  }
}

/** Returns a property of some object types, if those that have it agree on its type. */
function commonProperty(
  types: readonly ObjectType[],
  nameOf: (type: ObjectType) => string,
): Property | undefined {
  const [first, ...others] = types.flatMap((type) => type.properties.get(nameOf(type)) ?? [])
  return first && others.every(({ type }) => isSameType(type, first.type)) ? first : undefined
}

/** Returns the object type's names for what queries of an interface can name. */
export function ownNames({
  objectType,
  properties,
}: InterfaceImplementation): ReadonlyMap<string, string> {
  const { titleProperty, primaryKey } = objectType
  const names = new Map(properties).set(PRIMARY_KEY, primaryKey.apiName)
  return titleProperty === undefined ? names : names.set(TITLE, titleProperty)
}

/**
 * Returns the query of an object type for a query of an interface that it implements. Objects have no
 * value for an optional property that their type does not implement.
 */
export function queryOfType(query: Query, implementation: InterfaceImplementation): Query {
  const names = ownNames(implementation)
  const translate = (query: Query): Query => {
    switch (query.kind) {
      case 'and':
        return matchAll(query.of.map(translate))
      case 'or':
        return matchAny(query.of.map(translate))
      case 'not':
        return matchNone(translate(query.of))
    }
    if (query.kind === 'isNull') {
      const property = names.get(query.property)
      return property === undefined ? EVERYTHING : { ...query, property }
    }
    if (!('field' in query) || query.field === undefined) return query
    const property = names.get(query.field.property)
    if (property === undefined) return NOTHING
    return { ...query, field: { ...query.field, property } } as Query
  }
  return translate(query)
}
