/**
 * Parses the JSON of a query into the tree. Each revision has a table of its query types; a type
 * that is not in the table, or a member that its type does not have, is refused.
 */

import { ObjectQueryError } from '../../contract/errors.ts'
import { findLink } from '../../ontology/definition/links.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { EVERYTHING, type Query } from '../query.ts'
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
  /** Parses a condition on the objects at a link; on any of them if the query is absent. */
  readonly parseLinked: (link: string, query: unknown, step: string) => Query
}

export interface QueryContext {
  readonly objectType: ObjectType
  readonly limits: QueryLimits
  /** The ontology as the caller sees it; undefined where a query may not follow links. */
  readonly ontology?: Ontology | undefined
  /** The path of the query in the request, if it is not a member of the body. */
  readonly path?: string
  /** Set if several queries of one request share their limits. */
  readonly budget?: QueryBudget
}

/** Parses the query of a request, or throws the error that the client gets. */
export function parseQuery(grammar: QueryGrammar, query: unknown, context: QueryContext): Query {
  const budget = context.budget ?? new QueryBudget(context.limits)
  const parsing = { grammar, budget, ontology: context.ontology, hops: 0 }
  return parseOfType(context.objectType, query, context.path ?? grammar.member, parsing)
}

interface RequestParsing {
  readonly grammar: QueryGrammar
  readonly budget: QueryBudget
  readonly ontology: Ontology | undefined
  /** The number of links that lead to the type whose query is parsed. */
  readonly hops: number
}

function parseOfType(
  objectType: ObjectType,
  query: unknown,
  start: string,
  request: RequestParsing,
): Query {
  const { grammar, budget } = request
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
      parseLinked: (link, nested, step) =>
        parseLinked(objectType, link, { query: nested, path, step }, request),
    })
  }
  return parse(query, start, 0)
}

interface LinkedPart {
  readonly query: unknown
  readonly path: string
  readonly step: string
}

/** The nesting of the linked query counts from its start: only the number of links adds up. */
function parseLinked(
  objectType: ObjectType,
  link: string,
  { query, path, step }: LinkedPart,
  request: RequestParsing,
): Query {
  const { ontology, budget } = request
  if (ontology === undefined)
    throw unprocessable(path, 'follows a link, which is not possible here')
  const hops = request.hops + 1
  budget.checkDepth(hops)
  const { linkedType, ownProperty, linkedProperty } = findLink(ontology, objectType, link)
  const of =
    query == null ? EVERYTHING : parseOfType(linkedType, query, path + step, { ...request, hops })
  return { kind: 'linked', property: ownProperty, linkedType, linkedProperty, of }
}

function unknownType({ types }: QueryGrammar, path: string, value: string): ObjectQueryError {
  return new ObjectQueryError('Default:InvalidArgument', {
    parameter: `${path}.type`,
    value,
    reason: `is not a query type; allowed types: ${[...types.keys()].join(', ')}`,
  })
}
