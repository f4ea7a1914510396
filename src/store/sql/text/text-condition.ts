/** Conditions on text as stores index it: which indexed terms a row has, and which are neighbours. */
import {
  analyseQuery,
  type Phrase,
  type QueryWord,
  shortestPhrase,
} from '../../../query/matching/analyser.ts'
import { formsOf } from '../../../query/matching/stem.ts'
import type { Query } from '../../../query/query.ts'
import type { FieldNumbers } from '../compile/field-numbers.ts'
import { type QueriedType, textFieldsOf } from '../compile/query-fields.ts'
import type { FindSimilarTerms } from './similar-terms.ts'
import { fieldPrefix, indexedTerm } from './text-index.ts'

export type TermCondition =
  | IndexedPhrase
  /** Never empty. */
  | { readonly kind: 'and' | 'or'; readonly of: readonly TermCondition[] }

/** Indexed terms at neighbouring positions; a term without a position is alone. */
export interface IndexedPhrase extends Phrase {
  readonly kind: 'phrase'
}

type TextQuery = Query & { kind: 'text' }

/** The searched type, and how terms are looked up. */
export interface SearchedTables extends Pick<QueriedType, 'objectType'> {
  readonly numbers: Pick<FieldNumbers, 'of'>
  /** Returns, for each fuzzy term, the terms of a field that are similar to it. */
  readonly similarTerms: FindSimilarTerms
}

/** Returns the fields that a condition searches, with the prefix and the language of their terms. */
export function searchedFields(
  { field, fields }: TextQuery,
  { objectType, numbers }: SearchedTables,
) {
  const searched = field === undefined ? (fields ?? textFieldsOf(objectType)) : [field]
  return searched.map(({ property, structField }) => ({
    property,
    structField,
    prefix: fieldPrefix(numbers.of({ property, structField })),
    language: objectType.properties.get(property)?.language,
  }))
}

/** Returns undefined for a condition that no row satisfies. */
export function toTermCondition(
  query: TextQuery,
  tables: SearchedTables,
): TermCondition | undefined {
  const { match, terms, fuzzy, exact = false } = query
  const fields = searchedFields(query, tables)
  const { words, phrase, symbols, canGoOn } = analyseQuery(terms.join(' '))
  const inAnyField = ({ terms: written, isPrefix }: Phrase) =>
    anyOf(
      fields.map(({ prefix }) => ({
        kind: 'phrase',
        terms: written.map((term) => indexedTerm(prefix, term)),
        isPrefix,
      })),
    )
  const inAnyForm = (term: string) =>
    anyOf(
      fields.flatMap(({ prefix, language }) => {
        const isStemmed = language !== undefined && !exact
        const forms = isStemmed ? formsOf(term, language) : [term]
        return forms.map((form): IndexedPhrase => {
          return { kind: 'phrase', ...single(indexedTerm(prefix, form)) }
        })
      }),
    )
  const fuzzyTerms = fuzzy ? fuzzyTermsOf(query) : []
  const similar =
    // A text in a script without spaces has no fuzzy terms.
    fuzzyTerms.length === 0
      ? []
      : fields.map(({ prefix }) => [prefix, tables.similarTerms(fuzzyTerms, prefix)] as const)
  const orSimilar = (term: string) =>
    anyOf([
      inAnyForm(term),
      ...similar.flatMap(([prefix, found]) =>
        (found.get(term) ?? []).map((other): IndexedPhrase => {
          return { kind: 'phrase', ...single(indexedTerm(prefix, other)) }
        }),
      ),
    ])
  // An index does not find neighbours among similar terms.
  const found = (one: Phrase) => {
    if (fuzzy && !one.isPrefix) return allOf(one.terms.map(orSimilar))
    const [only = '', ...others] = one.terms
    const isTerm = others.length === 0 && !one.isPrefix
    return isTerm ? inAnyForm(only) : inAnyField(shortestPhrase(one))
  }
  const wholeOf = ({ whole }: QueryWord) => (whole === undefined ? [] : [orSimilar(whole)])
  switch (match) {
    case 'phrase':
      return allOf([
        ...(phrase.terms.length === 0 ? [] : [inAnyField(shortestPhrase(phrase))]),
        ...symbols.map((term) => inAnyField(single(term))),
      ])
    case 'prefix':
      return allOf([
        ...(phrase.terms.length === 0 ? [] : [inAnyField({ ...phrase, isPrefix: canGoOn })]),
        ...symbols.map((term) => inAnyField(single(term))),
      ])
    case 'anyTerm':
      return anyOf(words.flatMap((word) => [...word.phrases.map(found), ...wholeOf(word)]))
    case 'allTerms':
      return allOf(words.map((word) => anyOf([allOf(word.phrases.map(found)), ...wholeOf(word)])))
  }
}

/** Returns the terms of a fuzzy condition that similar ones are looked up for. */
function fuzzyTermsOf({ terms }: TextQuery): string[] {
  const { words } = analyseQuery(terms.join(' '))
  const listed = words.flatMap(({ phrases, whole = [] }) => [
    ...phrases.flatMap((phrase) => (phrase.isPrefix ? [] : phrase.terms)),
    ...[whole].flat(),
  ])
  return [...new Set(listed)]
}

function single(term: string): Phrase {
  return { terms: [term], isPrefix: false }
}

type Conditions = readonly (TermCondition | undefined)[]

/** Nothing satisfies no condition at all. */
function anyOf(conditions: Conditions): TermCondition | undefined {
  const of = conditions.filter((one) => one !== undefined)
  return of.length <= 1 ? of[0] : { kind: 'or', of }
}

function allOf(conditions: Conditions): TermCondition | undefined {
  const of = conditions.filter((one) => one !== undefined)
  if (of.length < conditions.length) return undefined
  return of.length <= 1 ? of[0] : { kind: 'and', of }
}
