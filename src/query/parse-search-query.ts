import { ObjectQueryError } from '../contract/errors.ts'
import type { ObjectType } from '../ontology/ontology.ts'
import { EVERYTHING, type Query } from './query.ts'

/** The query of revision 2.0, a JSON object told apart by its `type` [4.3.2]. */
export interface SearchQuery {
  readonly type: string
  readonly [member: string]: unknown
}

interface QueryParser {
  /** The members that this query has beside `type`. */
  readonly members: readonly string[]
  readonly parse: (query: SearchQuery, objectType: ObjectType, path: string) => Query
}

/** One row for each query type; a type that is not here does not exist. */
const PARSERS: ReadonlyMap<string, QueryParser> = new Map([
  ['empty', { members: [], parse: () => EVERYTHING }],
])

export function parseSearchQuery(
  query: SearchQuery,
  objectType: ObjectType,
  path = 'query',
): Query {
  const parser = PARSERS.get(query.type)
  if (parser === undefined) {
    const allowed = [...PARSERS.keys()].join(', ')
    throw new ObjectQueryError('Default:InvalidArgument', {
      parameter: `${path}.type`,
      value: query.type,
      reason: `there is no such query type; there are: ${allowed}`,
    })
  }
  for (const member of Object.keys(query)) {
    if (member === 'type' || parser.members.includes(member)) continue
    throw new ObjectQueryError('Conjure:UnprocessableEntity', {
      parameter: `${path}.${member}`,
      reason: `a query of type ${query.type} has no such member`,
    })
  }
  return parser.parse(query, objectType, path)
}
