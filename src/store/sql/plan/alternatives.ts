/**
 * What can be derived from a query alone: its alternatives, their order, and how many objects can
 * match.
 */
import type { ObjectType } from '../../../ontology/ontology.ts'
import { fieldKey } from '../../../ontology/values/searchable-values.ts'
import { matchAll } from '../../../query/combine-queries.ts'
import type { Field, Query } from '../../../query/query.ts'
import { ALL_INDEXED, type UnindexedFields } from '../compile/field-numbers.ts'
import { isMultiValued } from '../compile/query-fields.ts'

/** More would make the statement too large. */
const MAX_ALTERNATIVES = 50

/** Returns queries whose union is the query; undefined if it has no alternatives, or too many. */
export function alternativesOf(query: Query, objectType: ObjectType): readonly Query[] | undefined {
  const alternatives = everyAlternative(query, objectType)
  const count = alternatives?.length ?? 0
  return count >= 2 && count <= MAX_ALTERNATIVES ? alternatives : undefined
}

function everyAlternative(query: Query, objectType: ObjectType): readonly Query[] | undefined {
  switch (query.kind) {
    case 'or':
      return query.of
    case 'oneOf': {
      const { field, values } = query
      if (isMultiValued(objectType, field)) return undefined
      return values.map((value) => ({ kind: 'compare', field, operator: 'eq', value }))
    }
    case 'and': {
      if (isKeyOrdered(query, objectType)) return undefined
      const { of } = query
      const at = of.findIndex(({ kind }) => kind === 'or' || kind === 'oneOf')
      const alternatives = of[at] && everyAlternative(of[at], objectType)
      return alternatives?.map((one) => matchAll(of.with(at, one)))
    }
    default:
      return undefined
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
