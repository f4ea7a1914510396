/** Filters the objects of a set. Only types that have the properties of the filter can satisfy it. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { SET_PAGE_MAX_TYPES } from '../../contract/limits.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { isNothing, matchAll } from '../combine-queries.ts'
import { queryOfType } from '../interface-query.ts'
import { parseQuery } from '../parse/parse-query.ts'
import type { QueryBudget, QueryLimits } from '../parse/query-budget.ts'
import { STRUCT_FIELD_SEPARATOR } from '../parse/v2-fields.ts'
import { V2_QUERIES } from '../parse/v2-query-language.ts'
import type { Query } from '../query.ts'
import { queriedType, type SetParts } from './set-parts.ts'

interface FilterContext {
  readonly ontology: Ontology
  readonly limits: QueryLimits
  readonly budget: QueryBudget
  /** The path of the filter in the request. */
  readonly path: string
}

/** How many types without objects a filter is parsed for: a set can have thousands of them. */
const MAX_EMPTY_TYPES = SET_PAGE_MAX_TYPES

export function filterParts(set: SetParts, where: unknown, context: FilterContext): SetParts {
  const parseFor = filterParser(where, context)
  const names = propertiesNamedIn(where)
  const isMissingNames = ({ properties }: ObjectType) => names.some((name) => !properties.has(name))
  let isChecked = false
  let emptyTypes = 0
  let notFound: unknown
  const filtered = set.flatMap((part): SetParts => {
    const type = queriedType(part, context.ontology)
    if (isNothing(part.query)) {
      if (emptyTypes > MAX_EMPTY_TYPES || isMissingNames(type)) return []
      // Nothing of it matches; the filter is only checked.
      if (isChecked) return [part]
      emptyTypes += 1
    }
    try {
      const written = parseFor(type)
      isChecked = true
      const filter = part.view === undefined ? written : queryOfType(written, part.view)
      return [{ ...part, query: matchAll([part.query, filter]) }]
    } catch (error) {
      if (!isPropertyNotFound(error)) throw error
      notFound ??= error
      return []
    }
  })
  const [first] = set
  if (filtered.length > 0 || first === undefined) return filtered
  if (notFound === undefined) parseFor(queriedType(first, context.ontology))
  throw notFound
}

/** Returns a function that parses the filter once for each type; those of an interface share one. */
function filterParser(where: unknown, { ontology, limits, budget, path }: FilterContext) {
  const parsed = new Map<string, Query>()
  // The filter is part of the request once, however many types it applies to.
  let nextBudget = budget
  return (objectType: ObjectType): Query => {
    const known = parsed.get(objectType.rid)
    if (known !== undefined) return known
    const spent = nextBudget
    nextBudget = spent.forNextType()
    const context = { objectType, ontology, limits, budget: spent, path }
    const query = parseQuery(V2_QUERIES, where, context)
    parsed.set(objectType.rid, query)
    return query
  }
}

function isPropertyNotFound(error: unknown): boolean {
  return error instanceof ObjectQueryError && error.errorName === 'PropertiesNotFound'
}

/** Returns the properties that a filter names with `field`, each once. */
function propertiesNamedIn(where: unknown): string[] {
  const names = new Set<string>()
  const waiting = [where]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (Array.isArray(value)) for (const one of value) waiting.push(one)
    if (!isJsonObject(value)) continue
    const { field, value: nested } = value
    if (typeof field === 'string') names.add(field.split(STRUCT_FIELD_SEPARATOR, 1)[0] ?? '')
    // Only `and`, `or` and `not` hold conditions, and always there.
    if (typeof field !== 'string') waiting.push(nested)
  }
  return [...names]
}
