/** Aggregations over the parts of an object set, which can have several object types. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import type { Aggregation } from '../../query/aggregation/aggregation.ts'
import {
  parseAggregation,
  type WrittenAggregation,
} from '../../query/aggregation/parse-aggregation.ts'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import { ownNames } from '../../query/interface-query.ts'
import type { SetPart } from '../../query/object-set/parse-object-set.ts'
import { queriedType } from '../../query/object-set/set-parts.ts'
import type { QueryLimits } from '../../query/parse/query-budget.ts'
import type { AggregateSpec } from '../aggregate-within.ts'

/**
 * Parses an aggregation over one or more parts. The objects of all parts are aggregated as if they
 * had one type, so every property must have the same type in each part.
 */
export function aggregationOfParts(
  parts: readonly SetPart[],
  written: WrittenAggregation,
  ontology: Ontology,
  limits: QueryLimits,
): AggregateSpec {
  const types = new Map(
    parts.map((part) => queriedType(part, ontology)).map((type) => [type.rid, type]),
  )
  const [first, ...others] = [...types.values()].map((objectType) =>
    parseAggregation(V2_AGGREGATIONS, written, { objectType, limits }),
  )
  if (first === undefined) throw incompatible(parts)
  if (others.some((other) => !isSameAggregation(first, other))) throw incompatible(parts)
  return {
    sources: parts.map(({ objectType, query, view }) => ({
      objectType,
      query,
      names: view && ownNames(view),
    })),
    aggregation: first,
  }
}

/** Aggregations are plain data, whose members are always in the same order. */
function isSameAggregation(a: Aggregation, b: Aggregation): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function incompatible(parts: readonly SetPart[]): ObjectQueryError {
  return new ObjectQueryError('IncompatibleNestedObjectSet', {
    parameter: 'objectSet',
    objectTypes: parts.map(({ objectType }) => objectType.apiName),
    reason: 'an aggregated property does not have the same type in all of them',
  })
}
