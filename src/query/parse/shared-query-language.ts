/** The query types that all revisions share: comparisons, and `and`, `or` and `not`. */
import { type TSchema, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Comparison, Query } from '../query.ts'
import type { QueryMembers, QueryParsing, QueryTypeParser } from './parse-query.ts'
import { refuseInvertedRanges } from './refuse-inverted-ranges.ts'
import { refTo, unionType, Value } from './union-type.ts'
import { unprocessable } from './unprocessable.ts'

const OPERATORS = ['eq', 'lt', 'lte', 'gt', 'gte'] as const

/** Returns the comparisons of a property with a value. */
export function comparisons(field: TSchema): Readonly<Record<string, QueryTypeParser>> {
  const type = unionType('Comparison', { field, value: Value })
  return eachOperator((operator) => ({
    ...type,
    parse: ({ field: written, value }, { conditions, path }) =>
      conditions.compare(operator, written, value, path),
  }))
}

/** Returns a query type for each comparison. */
export function eachOperator(
  typeOf: (operator: Comparison) => QueryTypeParser,
): Readonly<Record<string, QueryTypeParser>> {
  return Object.fromEntries(OPERATORS.map((operator) => [operator, typeOf(operator)]))
}

/** Returns the combinations of queries of a component. */
export function combinators(component: string) {
  const query = refTo(component)
  const type = unionType('Combination', { value: Type.Array(query, { minItems: 1 }) })
  return {
    and: { ...type, parse: (members, parsing) => combine('and', members, parsing) },
    or: { ...type, parse: (members, parsing) => combine('or', members, parsing) },
    not: {
      ...unionType('Negation', { value: query }),
      parse: ({ value }, { parseNested }) => ({ kind: 'not', of: parseNested(value, '.value') }),
    },
  } satisfies Record<string, QueryTypeParser>
}

function combine(
  kind: 'and' | 'or',
  { value }: QueryMembers,
  { path, parseNested, objectType }: QueryParsing,
): Query {
  if (!Array.isArray(value)) throw unprocessable(`${path}.value`, 'is not a list of queries')
  if (value.length === 0) {
    throw new ObjectQueryError(kind === 'and' ? 'InvalidAndFilter' : 'InvalidOrFilter', { path })
  }
  const of = value.map((query, index) => parseNested(query, `.value[${index}]`))
  if (kind === 'and') refuseInvertedRanges(of, objectType)
  return { kind, of }
}
