/**
 * The order by relevance: the matches of a query in tiers, each a query of its own, the best first.
 * Within a tier, objects are sorted by score, see relevance-score.ts, or by key if they are many.
 * Tiers are disjoint, and together hold every match, so a walk through them returns each match once.
 *
 * The tiers are, for the text conditions of the query that are not negated:
 *
 * 1. All conditions match as a phrase: their terms follow each other.
 * 2. All conditions match with all their terms, as whole terms.
 * 3. Of several conditions, at least one matches with all its terms. Of the terms of a single
 *    condition, all but one match, then all but two, and so on.
 * 4. All other matches: by a prefix, by other forms of a term, by similar terms, or without text.
 */
import type { Query } from './query.ts'

/** A tier of matches, and the score of its objects: 1 for the last tier, more for better ones. */
export interface RelevanceTier {
  readonly query: Query
  readonly score: number
}

/**
 * Up to this many terms of a query, matches are distinguished by how many of the terms they have.
 */
const COUNTED_TERMS = 5

export function relevanceTiers(query: Query): RelevanceTier[] {
  const criteria = distinct(criteriaOf(textConditionsOf(query)))
  const tiers = criteria.map((criterion, index) => allOf([query, criterion, ...without(index)]))
  if (criteria.length === 0) return [{ query, score: 1 }]
  tiers.push(allOf([query, ...without(criteria.length)]))
  return tiers.map((tier, index) => ({ query: tier, score: tiers.length - index }))

  /** Excludes the objects of better tiers. */
  function without(count: number): Query[] {
    return criteria.slice(0, count).map((better) => ({ kind: 'not', of: better }))
  }
}

export type TextCondition = Query & { kind: 'text' }

/** Returns the text conditions that are not negated. */
export function textConditionsOf(query: Query): TextCondition[] {
  switch (query.kind) {
    case 'text':
      return [query]
    case 'and':
    case 'or':
      return query.of.flatMap(textConditionsOf)
    default:
      return []
  }
}

/** Returns the criteria of the tiers, the best first. */
function criteriaOf(texts: readonly TextCondition[]): Query[] {
  const [first, ...others] = texts
  if (first === undefined) return []
  const wholeTerms = texts.map((text) => matching(text, 'allTerms'))
  const best = [allOf(texts.map((text) => matching(text, 'phrase'))), allOf(wholeTerms)]
  if (others.length > 0) return [...best, { kind: 'or', of: wholeTerms }]
  return [...best, ...fewerTerms(first)]
}

function matching({ field, terms }: TextCondition, match: 'phrase' | 'allTerms'): Query {
  // With one term, both are the same condition and must have the same form.
  const [form, listed] =
    match === 'phrase' && terms.length > 1
      ? ([match, terms] as const)
      : (['allTerms', unique(terms)] as const)
  return { kind: 'text', field, match: form, terms: listed, fuzzy: false, exact: true }
}

/** Returns the conditions that all but one, all but two, … and at least two terms match. */
function fewerTerms({ field, terms }: TextCondition): Query[] {
  const all = unique(terms)
  if (all.length > COUNTED_TERMS) return []
  const counts = Array.from({ length: Math.max(0, all.length - 2) }, (_, at) => all.length - 1 - at)
  return counts.map((count) => ({
    kind: 'or',
    of: combinations(all, count).map((some) => ({
      kind: 'text',
      field,
      match: 'allTerms',
      terms: some,
      fuzzy: false,
      exact: true,
    })),
  }))
}

function combinations(items: readonly string[], size: number): string[][] {
  const [first, ...rest] = items
  if (size === 0) return [[]]
  if (first === undefined) return []
  return [
    ...combinations(rest, size - 1).map((some) => [first, ...some]),
    ...combinations(rest, size),
  ]
}

function allOf(queries: readonly Query[]): Query {
  const [first, ...others] = queries
  return first !== undefined && others.length === 0 ? first : { kind: 'and', of: queries }
}

function unique(terms: readonly string[]): string[] {
  return [...new Set(terms)]
}

/** Equal queries have equal JSON. */
function distinct(queries: readonly Query[]): Query[] {
  return [...new Map(queries.map((query) => [JSON.stringify(query), query])).values()]
}
