/**
 * What can be derived from a query alone: whether an index finds its matches, their order, and how
 * many objects can match.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import { literalPrefix } from '../../../query/matching/pattern.ts'
import type { Field, Query } from '../../../query/query.ts'
import { ALL_INDEXED, type UnindexedFields } from '../../sql/compile/field-numbers.ts'
import { isMultiValued } from '../../sql/compile/query-fields.ts'

/** True if an index finds the matches, perhaps among other rows. */
export function isIndexed(
  query: Query,
  objectType: ObjectType,
  unindexedFields: UnindexedFields = ALL_INDEXED.unindexedFields,
): boolean {
  const hasIndex = (field: Field) =>
    (field.structField !== undefined || !isMultiValued(objectType, field)) &&
    !unindexedFields.has(fieldKey(field))
  switch (query.kind) {
    case 'and':
      return query.of.some((one) => isIndexed(one, objectType, unindexedFields))
    case 'or':
      return query.of.every((one) => isIndexed(one, objectType, unindexedFields))
    case 'compare':
    case 'oneOf':
      return hasIndex(query.field)
    case 'pattern':
      return literalPrefix(query.pattern) !== '' && hasIndex(query.field)
    case 'linked':
      return hasIndex({ property: query.property, structField: undefined })
    default:
      return query.kind === 'objectIds'
  }
}

/** True if one index returns the matches in key order, perhaps among others. */
export function isKeyOrdered(
  query: Query,
  objectType: ObjectType,
  unindexedFields: UnindexedFields = ALL_INDEXED.unindexedFields,
): boolean {
  if (query.kind === 'and') {
    return query.of.some((one) => isKeyOrdered(one, objectType, unindexedFields))
  }
  if (query.kind !== 'compare' || query.operator !== 'eq') return false
  // The index of a scalar property is in key order within each value.
  const { field } = query
  return !isMultiValued(objectType, field) && !unindexedFields.has(fieldKey(field))
}

/** Returns how many objects can match at most, as far as the query alone shows. */
export function maxMatches(query: Query, objectType: ObjectType): number {
  switch (query.kind) {
    case 'objectIds':
      return query.ids.length
    case 'compare':
      return query.operator === 'eq' && isKey(query.field, objectType) ? 1 : Infinity
    case 'oneOf':
      return isKey(query.field, objectType) ? query.values.length : Infinity
    case 'and':
      return Math.min(...query.of.map((one) => maxMatches(one, objectType)))
    case 'or':
      return query.of.reduce((sum, one) => sum + maxMatches(one, objectType), 0)
    default:
      return Infinity
  }
}

function isKey({ property }: Field, { primaryKey }: ObjectType): boolean {
  return property === primaryKey.apiName
}
