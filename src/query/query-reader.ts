import { ObjectQueryError } from '../contract/errors.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { isJsonObject } from '../ontology/values/refused-value.ts'
import { type Conditions, conditionsOf, type FieldSyntax } from './conditions.ts'
import type { Query } from './query.ts'
import { QueryBudget, type QueryLimits } from './query-budget.ts'
import { refuseUpsideDown } from './ranges.ts'
import { unprocessable } from './unprocessable.ts'

/**
 * Reads the JSON of a query into the tree. Each revision has a table of its query types; what is
 * not in the table does not exist, and what a type does not know is refused.
 */

export interface QueryGrammar {
  readonly syntax: FieldSyntax
  readonly types: ReadonlyMap<string, QueryTypeParser>
}

export interface QueryTypeParser {
  /** The members that a query of this type has beside `type`. */
  readonly members: readonly string[]
  readonly parse: (members: Members, reading: Reading) => Query
}

type Members = Readonly<Record<string, unknown>>

/** What a query type works with while it is read. */
export interface Reading {
  readonly objectType: ObjectType
  /** Where the query stands in the request: `query.value[2]`. */
  readonly path: string
  readonly conditions: Conditions
  readonly budget: QueryBudget
  /** Reads a query inside this one. */
  readonly inner: (query: unknown, step: string) => Query
}

export interface QueryContext {
  readonly objectType: ObjectType
  readonly limits: QueryLimits
}

export function readQuery(grammar: QueryGrammar, query: unknown, context: QueryContext): Query {
  const budget = new QueryBudget(context.limits)
  const conditions = conditionsOf(context.objectType, grammar.syntax, budget)

  const read = (value: unknown, path: string, depth: number): Query => {
    if (!isJsonObject(value) || typeof value['type'] !== 'string') {
      throw unprocessable(path, 'is not a query: a JSON object with a type')
    }
    budget.spendTerms(1)
    const parser = grammar.types.get(value['type'])
    if (parser === undefined) throw unknownType(grammar, path, value['type'])
    const odd = Object.keys(value).find((name) => name !== 'type' && !parser.members.includes(name))
    if (odd !== undefined) {
      throw unprocessable(`${path}.${odd}`, `a query of type ${value['type']} has no such member`)
    }
    return parser.parse(value, {
      objectType: context.objectType,
      path,
      conditions,
      budget,
      inner: (inside, step) => {
        budget.checkDepth(depth + 1)
        return read(inside, path + step, depth + 1)
      },
    })
  }
  return read(query, 'query', 0)
}

/** The comparisons, which both revisions share. */
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

/** `and`, `or` and `not`, which both revisions share. */
export const COMBINATORS: readonly [string, QueryTypeParser][] = [
  ['and', { members: ['value'], parse: (query, reading) => combine('and', query, reading) }],
  ['or', { members: ['value'], parse: (query, reading) => combine('or', query, reading) }],
  [
    'not',
    {
      members: ['value'],
      parse: ({ value }, { inner }) => ({ kind: 'not', of: inner(value, '.value') }),
    },
  ],
]

function combine(
  kind: 'and' | 'or',
  { value }: Members,
  { path, inner, objectType }: Reading,
): Query {
  if (!Array.isArray(value)) throw unprocessable(`${path}.value`, 'is not a list of queries')
  if (value.length === 0) {
    throw new ObjectQueryError(kind === 'and' ? 'InvalidAndFilter' : 'InvalidOrFilter', { path })
  }
  const of = value.map((query, index) => inner(query, `.value[${index}]`))
  if (kind === 'and') refuseUpsideDown(of, objectType)
  return { kind, of }
}

function unknownType({ types }: QueryGrammar, path: string, value: string): ObjectQueryError {
  return new ObjectQueryError('Default:InvalidArgument', {
    parameter: `${path}.type`,
    value,
    reason: `there is no such query type; there are: ${[...types.keys()].join(', ')}`,
  })
}
