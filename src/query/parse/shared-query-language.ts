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
    and: {
      ...type,
      parse: (members, parsing) =>
        parseAll(members, parsing) ?? refuseEmpty('InvalidAndFilter', parsing),
    },
    or: {
      ...type,
      parse: (members, parsing) => {
        const of = parseMembers(members, parsing)
        return of.length === 0 ? refuseEmpty('InvalidOrFilter', parsing) : { kind: 'or', of }
      },
    },
    not: {
      ...unionType('Negation', { value: query }),
      parse: ({ value }, { parseNested }) => ({ kind: 'not', of: parseNested(value, '.value') }),
    },
  } satisfies Record<string, QueryTypeParser>
}

/** Parses the queries of an `and`; undefined if it has none. */
export function parseAll(members: QueryMembers, parsing: QueryParsing): Query | undefined {
  const of = parseMembers(members, parsing)
  if (of.length === 0) return undefined
  refuseInvertedRanges(of, parsing.objectType)
  return { kind: 'and', of }
}

function parseMembers({ value }: QueryMembers, { path, parseNested }: QueryParsing): Query[] {
  if (!Array.isArray(value)) throw unprocessable(`${path}.value`, 'is not a list of queries')
  return value.map((query, index) => parseNested(query, `.value[${index}]`))
}

function refuseEmpty(name: 'InvalidAndFilter' | 'InvalidOrFilter', { path }: QueryParsing): never {
  throw new ObjectQueryError(name, { path })
}
