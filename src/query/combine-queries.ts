/**
 * Combines queries and simplifies the result: a set operation that changes nothing leaves a plain
 * query, which stores read with their fastest plans.
 */

import { EVERYTHING, type Query } from './query.ts'
import { plainQuery } from './query-tree.ts'

/** Matches no object. */
export const NOTHING: Query = { kind: 'or', of: [] }

export function isNothing(query: Query): boolean {
  if (query.kind === 'or') return query.of.length === 0
  return query.kind === 'not' && query.of.kind === 'everything'
}

/** Matches the objects that match every query. */
export function matchAll(queries: readonly Query[]): Query {
  const members = distinct(queries.flatMap((query) => (query.kind === 'and' ? query.of : [query])))
  if (members.some(isNothing)) return NOTHING
  const conditions = members.filter(({ kind }) => kind !== 'everything')
  return single(conditions, EVERYTHING) ?? { kind: 'and', of: conditions }
}

/** Matches the objects that match any query. */
export function matchAny(queries: readonly Query[]): Query {
  const members = distinct(queries.flatMap((query) => (query.kind === 'or' ? query.of : [query])))
  if (members.some(({ kind }) => kind === 'everything')) return EVERYTHING
  const alternatives = members.filter((query) => !isNothing(query))
  return single(alternatives, NOTHING) ?? { kind: 'or', of: alternatives }
}

/** Matches the objects that do not match the query. */
export function matchNone(query: Query): Query {
  if (query.kind === 'everything') return NOTHING
  if (isNothing(query)) return EVERYTHING
  return query.kind === 'not' ? query.of : { kind: 'not', of: query }
}

function single(queries: readonly Query[], ofNone: Query): Query | undefined {
  return queries.length === 0 ? ofNone : queries.length === 1 ? queries[0] : undefined
}

/** Only queries of one kind can be equal. Others, which can be large, are not serialised. */
function distinct(queries: readonly Query[]): readonly Query[] {
  const counts = new Map<string, number>()
  for (const { kind } of queries) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const keyOf = (query: Query) =>
    counts.get(query.kind) === 1 ? query.kind : JSON.stringify(plainQuery(query))
  return [...new Map(queries.map((query) => [keyOf(query), query])).values()]
}
