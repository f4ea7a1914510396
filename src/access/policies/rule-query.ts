/**
 * Makes the rules of a caller part of the query, so that no store knows about them. At every hop of
 * a link, the rule of the linked type applies.
 */
import type { ObjectType } from '../../ontology/ontology.ts'
import { fieldsOf } from '../../ontology/values/searchable-values.ts'
import { NOTHING } from '../../query/combine-queries.ts'
import { EVERYTHING, type Query } from '../../query/query.ts'
import { isText, resolveField } from '../../query/resolve-field.ts'
import { hidesProperties, restrictionOf } from './restricted-type.ts'

/** Returns the objects that match a query and that the caller may see, as a query of the type itself. */
export function ruleQuery(query: Query, objectType: ObjectType): Query {
  const rows = restrictionOf(objectType)?.rows ?? EVERYTHING
  const visible = withinView(query, objectType)
  if (rows === EVERYTHING) return visible
  if (visible.kind === 'everything') return rows
  const conditions = [rows, visible].flatMap((one) => (one.kind === 'and' ? one.of : [one]))
  return { kind: 'and', of: conditions }
}

/** Returns a query without restricted types. Returns the same query if it needs no change. */
function withinView(query: Query, objectType: ObjectType): Query {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const of = query.of.map((one) => withinView(one, objectType))
      return of.every((one, index) => one === query.of[index]) ? query : { kind: query.kind, of }
    }
    case 'not': {
      const of = withinView(query.of, objectType)
      return of === query.of ? query : { kind: 'not', of }
    }
    case 'linked': {
      const { linkedType } = query
      const of = ruleQuery(query.of, linkedType)
      const own = restrictionOf(linkedType)?.of ?? linkedType
      return of === query.of && own === linkedType ? query : { ...query, linkedType: own, of }
    }
    case 'text':
      return query.field === undefined && hidesProperties(objectType)
        ? searchShown(query, objectType)
        : query
    default:
      return query
  }
}

/** A search in every text becomes one in every visible text. */
function searchShown(query: Query & { kind: 'text' }, objectType: ObjectType): Query {
  const fields = fieldsOf(objectType.properties.values()).filter(({ property, structField }) => {
    const resolved = resolveField(objectType, property, structField)
    return resolved !== undefined && isText(resolved)
  })
  return fields.length === 0 ? NOTHING : { ...query, fields }
}
