/** Writes the example of a condition in each dialect that the grammar of the dialect allows. */
import {
  type Conditions,
  compileFilters,
  compileWhere,
  FAMILY_SYNTAX,
  OBJECT_SET_SYNTAX,
  SEARCH_SYNTAX,
  type WhereSyntax,
  type WireQuery,
} from '../../src/client/query/compile-where.ts'
import { isJsonObject } from '../../src/ontology/json-object.ts'
import type { QueryGrammar } from '../../src/query/parse/parse-query.ts'
import { FILTER_OPERATORS } from '../../src/query/parse/property-filters.ts'
import { REVISION_1_QUERIES } from '../../src/query/parse/revision-1-query-language.ts'
import { REVISION_2_QUERIES } from '../../src/query/parse/revision-2-query-language.ts'
import { V2_QUERIES } from '../../src/query/parse/v2-query-language.ts'
import type { ConditionExample } from './condition-examples.ts'

/** The dialects with JSON, in the order in which the page shows them. */
export const DIALECTS = ['revision1', 'revision2', 'v2'] as const
export type Dialect = (typeof DIALECTS)[number]

export const GRAMMARS: Readonly<Record<Dialect, QueryGrammar>> = {
  revision1: REVISION_1_QUERIES,
  revision2: REVISION_2_QUERIES,
  v2: V2_QUERIES,
}
const SYNTAXES: Readonly<Record<Dialect, WhereSyntax>> = {
  revision1: SEARCH_SYNTAX,
  revision2: FAMILY_SYNTAX,
  v2: OBJECT_SET_SYNTAX,
}

/** Returns the query of an example in a dialect, whether or not its grammar allows it. */
export function compileExample(
  { client, wire }: ConditionExample,
  dialect: Dialect,
): WireQuery | undefined {
  if (client !== undefined) return compileWhere([client], SYNTAXES[dialect])
  return dialect === 'revision1' ? undefined : wire?.[dialect]
}

/** Returns the query of an example; undefined if the grammar of the dialect lacks one of its types. */
export function queryOf(example: ConditionExample, dialect: Dialect): WireQuery | undefined {
  const query = compileExample(example, dialect)
  const { types } = GRAMMARS[dialect]
  return query !== undefined && typesOf(query).every((type) => types.has(type)) ? query : undefined
}

/** Returns the types of a query and of those inside it. */
export function typesOf(query: WireQuery): string[] {
  const inside = [query['value'], query['where']].flat().filter(isQuery)
  return [String(query['type']), ...inside.flatMap(typesOf)]
}

/** A value such as a polygon has a type as well, but is not a query. */
function isQuery(value: unknown): value is WireQuery {
  return isJsonObject(value) && typeof value['type'] === 'string' && !('coordinates' in value)
}

export type FilterValue = readonly [name: string, value: string]

/**
 * Returns the filters of a list request; undefined if they have no such operator. They cannot name
 * fields in an array of structs, the only structs of the books.
 */
export function filtersOf({ client }: ConditionExample): readonly FilterValue[] | undefined {
  const conditions = client === undefined ? [] : flat(client)
  if (conditions.flatMap(Object.keys).some((name) => name.includes(':'))) return undefined
  const operators = conditions.flatMap(Object.values).flatMap(Object.keys)
  if (
    operators.length === 0 ||
    !operators.every((name) => FILTER_OPERATORS.concat('in').includes(name))
  )
    return undefined
  return Object.entries(compileFilters(conditions)).flatMap(([name, values]) =>
    values.map((value) => [name.replace('properties.', ''), value] as const),
  )
}

/** The conditions that filters combine: those of an `and`. */
function flat(condition: Conditions): Conditions[] {
  const all = condition['$and']
  if (Array.isArray(all)) return all as Conditions[]
  return Object.keys(condition).some((name) => name.startsWith('$')) ? [] : [condition]
}
