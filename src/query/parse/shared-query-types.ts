/** The query types that all revisions share: comparisons, and `and`, `or` and `not`. */

import { ObjectQueryError } from '../../contract/errors.ts'
import type { Query } from '../query.ts'
import type { QueryMembers, QueryParsing, QueryTypeParser } from './parse-query.ts'
import { refuseInvertedRanges } from './refuse-inverted-ranges.ts'
import { unprocessable } from './unprocessable.ts'

export const COMPARISONS: readonly [string, QueryTypeParser][] = (
  ['eq', 'lt', 'lte', 'gt', 'gte'] as const
).map((operator) => [
  operator,
  {
    members: ['field', 'value'],
    parse: ({ field, value }, { conditions, path }) =>
      conditions.compare(operator, field, value, path),
  },
])

export const COMBINATORS: readonly [string, QueryTypeParser][] = [
  ['and', { members: ['value'], parse: (query, parsing) => combine('and', query, parsing) }],
  ['or', { members: ['value'], parse: (query, parsing) => combine('or', query, parsing) }],
  [
    'not',
    {
      members: ['value'],
      parse: ({ value }, { parseNested }) => ({ kind: 'not', of: parseNested(value, '.value') }),
    },
  ],
]

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
