/** The query types that all revisions share: comparisons, and `and`, `or` and `not`. */
import { type TSchema, Type } from 'typebox'
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Query } from '../query.ts'
import type { QueryMembers, QueryParsing, QueryTypeParser } from './parse-query.ts'
import { refuseInvertedRanges } from './refuse-inverted-ranges.ts'
import { refTo, unionType, Value } from './union-type.ts'
import { unprocessable } from './unprocessable.ts'

export const OPERATORS = ['eq', 'lt', 'lte', 'gt', 'gte'] as const

/** Returns the comparisons of a property with a value. */
export function comparisons(field: TSchema): readonly [string, QueryTypeParser][] {
  const type = unionType('Comparison', { field, value: Value })
  return OPERATORS.map((operator) => [
    operator,
    {
      ...type,
      parse: ({ field: written, value }, { conditions, path }) =>
        conditions.compare(operator, written, value, path),
    },
  ])
}

/** Returns the combinations of queries of a component. */
export function combinators(component: string): readonly [string, QueryTypeParser][] {
  const query = refTo(component)
  const type = unionType('Combination', { value: Type.Array(query, { minItems: 1 }) })
  return [
    ['and', { ...type, parse: (members, parsing) => combine('and', members, parsing) }],
    ['or', { ...type, parse: (members, parsing) => combine('or', members, parsing) }],
    [
      'not',
      {
        ...unionType('Negation', { value: query }),
        parse: ({ value }, { parseNested }) => ({ kind: 'not', of: parseNested(value, '.value') }),
      },
    ],
  ]
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
