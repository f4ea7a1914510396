/**
 * Parses the JSON of a query into the tree. Each revision has a table of its query types; a type
 * that is not in the table, or a member that its type does not have, is refused.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { Query } from '../query.ts'
import { type Conditions, conditionsOf, type FieldSyntax } from './conditions.ts'
import { QueryBudget, type QueryLimits } from './query-budget.ts'
import type { UnionType } from './union-type.ts'
import { refuseUnknownMembers, unprocessable } from './unprocessable.ts'

/** The query language of one revision. */
export interface QueryGrammar {
  readonly syntax: FieldSyntax
  /** The member of the request that holds the query. */
  readonly member: string
  /** The component of `openapi.json` that describes the queries. */
  readonly component: string
  readonly types: ReadonlyMap<string, QueryTypeParser>
}

export interface QueryTypeParser extends UnionType {
  readonly parse: (members: QueryMembers, parsing: QueryParsing) => Query
}

export type QueryMembers = Readonly<Record<string, unknown>>

/** The parsing of one query inside a request. */
export interface QueryParsing {
  readonly objectType: ObjectType
  /** The path of the query in the request: `query.value[2]`. */
  readonly path: string
  readonly conditions: Conditions
  readonly budget: QueryBudget
  /** Parses a nested query at a step from this one: `.value[2]`. */
  readonly parseNested: (query: unknown, step: string) => Query
}

export interface QueryContext {
  readonly objectType: ObjectType
  readonly limits: QueryLimits
  /** The path of the query in the request, if it is not a member of the body. */
  readonly path?: string
  /** Set if several queries of one request share their limits. */
  readonly budget?: QueryBudget
}

/** Parses the query of a request, or throws the error that the client gets. */
export function parseQuery(grammar: QueryGrammar, query: unknown, context: QueryContext): Query {
  const { objectType } = context
  const budget = context.budget ?? new QueryBudget(context.limits)
  const conditions = conditionsOf(objectType, grammar.syntax, budget)

  const parse = (value: unknown, path: string, depth: number): Query => {
    if (!isJsonObject(value) || typeof value['type'] !== 'string') {
      throw unprocessable(path, 'is not a query: a JSON object with a type')
    }
    budget.spendTerms(1)
    const type = value['type']
    const parser = grammar.types.get(type)
    if (parser === undefined) throw unknownType(grammar, path, type)
    refuseUnknownMembers(value, ['type', ...parser.members], path, `a query of type ${type}`)
    return parser.parse(value, {
      objectType,
      path,
      conditions,
      budget,
      parseNested: (nested, step) => {
        budget.checkDepth(depth + 1)
        return parse(nested, path + step, depth + 1)
      },
    })
  }
  return parse(query, context.path ?? grammar.member, 0)
}

function unknownType({ types }: QueryGrammar, path: string, value: string): ObjectQueryError {
  return new ObjectQueryError('Default:InvalidArgument', {
    parameter: `${path}.type`,
    value,
    reason: `is not a query type; allowed types: ${[...types.keys()].join(', ')}`,
  })
}
