/** Parses the conditions of generated requests, as the service does. */
import {
  QUERY_MAX_DEPTH,
  QUERY_MAX_TERMS,
  QUERY_MAX_TEXT_LENGTH,
} from '../../src/contract/limits.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import { checkOrder } from '../../src/query/parse/order.ts'
import { parseQuery } from '../../src/query/parse/parse-query.ts'
import { parsePropertyFilters } from '../../src/query/parse/property-filters.ts'
import { QueryBudget } from '../../src/query/parse/query-budget.ts'
import { REVISION_1_QUERIES } from '../../src/query/parse/revision-1-query-language.ts'
import { REVISION_2_QUERIES } from '../../src/query/parse/revision-2-query-language.ts'
import { V2_QUERIES } from '../../src/query/parse/v2-query-language.ts'
import type { OrderTerm, Query } from '../../src/query/query.ts'
import type { ModelOrderTerm, RequestCondition } from './query-model.ts'

export const QUERY_LIMITS = {
  maxDepth: QUERY_MAX_DEPTH,
  maxTerms: QUERY_MAX_TERMS,
  maxTextLength: QUERY_MAX_TEXT_LENGTH,
}

const GRAMMARS = {
  'search 1.0': REVISION_1_QUERIES,
  'search 2.0': REVISION_2_QUERIES,
  where: V2_QUERIES,
} as const

export function toQuery(condition: RequestCondition, objectType: ObjectType): Query {
  const limits = QUERY_LIMITS
  if (condition.as === 'listing') {
    return parsePropertyFilters(condition.filters, objectType, new QueryBudget(limits))
  }
  return parseQuery(GRAMMARS[condition.as], condition.query, { objectType, limits })
}

export function toOrder(order: readonly ModelOrderTerm[], objectType: ObjectType): OrderTerm[] {
  return checkOrder(
    order.map(({ property, direction, nulls }) => ({
      property,
      direction,
      nulls: nulls === 'first' ? 'nullsFirst' : 'nullsLast',
    })),
    objectType,
  )
}
