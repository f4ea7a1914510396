/**
 * Conditions on text. The index of the column `lexemes` finds rows; it has each term once, and long
 * terms truncated. The texts themselves decide the other conditions, and the rows that have too many
 * terms for the index.
 */
import type { TextMatch } from '../../../query/query.ts'
import { type SimilarTerms, termAlternatives } from '../../sql/similar-terms.ts'
import { combine, type SqlCondition } from '../../sql/sql-condition.ts'
import { type Alternatives, indexedTerm, type TermPrefix } from '../../sql/text-index.ts'
import { FIRST_LAYOUT } from '../catalogue/table-layout.ts'
import type { TextColumns } from '../queries/text-columns.ts'
import { lexemeOf, UNINDEXED_LEXEMES } from './lexemes.ts'
import { hasAnyTerm, hasPhrase } from './term-tests.ts'

/** Terms below this length are not truncated in the index. */
const WHOLE_LEXEME_LENGTH = 499

/** As many lexemes as always fit into a tsquery, whose limit is 1 MB. */
const LEXEMES_PER_QUERY = 500

export interface TextSearch extends TextColumns {
  readonly match: TextMatch
  readonly terms: readonly string[]
  /** Returns the similar terms that a field contains; undefined if the search is not fuzzy. */
  readonly similarIn: (prefix: TermPrefix) => SimilarTerms | undefined
  /** The layout of the table. */
  readonly layout: number
}

export function textCondition(search: TextSearch): SqlCondition {
  const { terms, prefixes, similarIn } = search
  const alternatives = termAlternatives(terms, prefixes, similarIn)
  const exact = exactSql(search)
  const indexed = indexedSql(search, alternatives)
  const unindexed = unindexedRows(search.layout)
  return isDecidedByIndex(search, alternatives)
    ? combine('or', [indexed, combine('and', [unindexed, exact])])
    : combine('and', [combine('or', [indexed, unindexed]), exact])
}

/** Selects the rows that have too many terms for the index. */
export function unindexedRows(layout: number): SqlCondition {
  return layout === FIRST_LAYOUT
    ? { sql: 'o.lexemes IS NULL AND o.words IS NOT NULL', values: [] }
    : hasLexemes(UNINDEXED_LEXEMES)
}

/** True if the index decides: it has neither the order of terms nor the end of long ones. */
function isDecidedByIndex(search: TextSearch, alternatives: readonly Alternatives[]): boolean {
  const ignoresOrder = !isOrdered(search) || search.terms.length === 1
  return ignoresOrder && alternatives.flat().every((term) => term.length < WHOLE_LEXEME_LENGTH)
}

function isOrdered({ match }: TextSearch): boolean {
  return match === 'phrase' || match === 'prefix'
}

/** A type with many fields has many alternatives per term, which may take several conditions. */
function indexedSql(search: TextSearch, alternatives: readonly Alternatives[]): SqlCondition {
  const { match, terms, prefixes } = search
  if (isOrdered(search)) {
    const ending = match === 'prefix' ? ':*' : ''
    const lexemesOf = (prefix: TermPrefix) =>
      terms.map((term) => quotedLexeme(indexedTerm(prefix, term))).join(' & ')
    return hasAnyOf(
      prefixes.map((prefix) => `(${lexemesOf(prefix)}${ending})`),
      terms.length,
    )
  }
  if (match === 'anyTerm') return hasAnyLexeme(alternatives.flat())
  return combine('and', packed(alternatives, ({ length }) => length).map(hasAllTerms))
}

function hasAllTerms(terms: readonly Alternatives[]): SqlCondition {
  return terms.length === 1
    ? hasAnyLexeme(terms.flat())
    : hasLexemes(terms.map((some) => `(${some.map(quotedLexeme).join(' | ')})`).join(' & '))
}

function hasAnyLexeme(some: Alternatives): SqlCondition {
  return hasAnyOf(some.map(quotedLexeme), 1)
}

/** Tests for one of several queries with a number of lexemes each. */
function hasAnyOf(queries: readonly string[], lexemesEach: number): SqlCondition {
  const packs = packed(queries, () => lexemesEach)
  return combine(
    'or',
    packs.map((pack) => hasLexemes(pack.join(' | '))),
  )
}

/** Packs neighbours together, up to the limit of a tsquery; a larger item stays alone. */
function packed<T>(items: readonly T[], sizeOf: (item: T) => number): T[][] {
  const packs: T[][] = []
  let room = 0
  for (const item of items) {
    if (sizeOf(item) > room) {
      packs.push([])
      room = LEXEMES_PER_QUERY
    }
    packs.at(-1)?.push(item)
    room -= sizeOf(item)
  }
  return packs
}

function hasLexemes(lexemeQuery: string): SqlCondition {
  return { sql: 'o.lexemes @@ ?::tsquery', values: [lexemeQuery] }
}

/** The only ASCII characters of a term are lower-case letters and digits, so quotes are enough. */
function quotedLexeme(term: string): string {
  return `'${lexemeOf(term)}'`
}

/** Tests the texts of the fields. A similar term that one field contains is similar in any other. */
function exactSql({ match, terms, prefixes, similarIn, someText }: TextSearch): SqlCondition {
  const similarTo = (term: string) =>
    prefixes.flatMap((prefix) => similarIn(prefix)?.get(term) ?? [])
  const hasOneOf = (some: readonly string[]) => {
    const accepted = new Set(some.flatMap((term) => [term, ...similarTo(term)]))
    return someText((text) => hasAnyTerm(text, [...accepted]))
  }
  switch (match) {
    case 'phrase':
    case 'prefix':
      return someText((text) => hasPhrase(text, { terms, isPrefix: match === 'prefix' }))
    case 'anyTerm':
      return hasOneOf(terms)
    case 'allTerms':
      return combine(
        'and',
        terms.map((term) => hasOneOf([term])),
      )
  }
}
