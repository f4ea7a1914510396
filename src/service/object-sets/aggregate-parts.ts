/** Aggregations over the parts of an object set, which can have several object types. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { ObjectType, Property } from '../../ontology/ontology.ts'
import type { Aggregation } from '../../query/aggregation/aggregation.ts'
import {
  parseAggregation,
  type WrittenAggregation,
} from '../../query/aggregation/parse-aggregation.ts'
import { V2_AGGREGATIONS } from '../../query/aggregation/v2-aggregations.ts'
import type { SetPart } from '../../query/object-set/parse-object-set.ts'
import type { QueryLimits } from '../../query/parse/query-budget.ts'
import type { AggregateRequest } from '../../store/object-store.ts'

/**
 * Parses an aggregation over one or more parts. The objects of all parts are aggregated as if they
 * had one type, so every property must have the same type in each part.
 */
export function aggregationOfParts(
  parts: readonly SetPart[],
  written: WrittenAggregation,
  limits: QueryLimits,
): Omit<AggregateRequest, 'maxGroups'> {
  const [first, ...others] = parts.map((part) =>
    parseAggregation(V2_AGGREGATIONS, written, { objectType: viewedType(part), limits }),
  )
  if (first === undefined) throw incompatible(parts)
  if (others.some((other) => !isSameAggregation(first, other))) throw incompatible(parts)
  return {
    sources: parts.map(({ objectType, query, view }) => ({
      objectType,
      query,
      names: view?.properties,
    })),
    aggregation: first,
  }
}

/** Returns the object type with the properties that the set names, by those names. */
function viewedType({ objectType, view }: SetPart): ObjectType {
  if (view === undefined) return objectType
  const properties = [...view.properties].flatMap(([name, own]): [string, Property][] => {
    const property = objectType.properties.get(own)
    return property === undefined ? [] : [[name, property]]
  })
  return { ...objectType, properties: new Map(properties) }
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
