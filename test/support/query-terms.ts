/**
 * The reference model of full text, written from its definition: terms, phrases, fuzzy terms. Which
 * terms a text has is a matter of the analyser, which has tests of its own.
 */
import {
  type AnalysedText,
  analyseQuery,
  analyseText,
  type Phrase,
} from '../../src/query/matching/analyser.ts'

const SEPARATORS = new Set('?!,:;-[](){}\'"~')

/** Splits a text at white space and the separators of the public API, in lower case. */
export function plainTerms(text: string): string[] {
  const terms: string[] = []
  let term = ''
  for (const character of `${text} `) {
    if (!SEPARATORS.has(character) && !/\s/u.test(character)) {
      // By character: the lower case of a letter does not depend on its neighbours. Sigma has two
      // lower-case forms.
      term += character === 'ς' ? 'σ' : character.toLowerCase()
      continue
    }
    if (term !== '' && term !== '.') terms.push(term)
    term = ''
  }
  return terms
}

export type TextMatch = 'phrase' | 'prefix' | 'anyTerm' | 'allTerms'

/** True if texts contain the terms of a query; a query without terms matches nothing. */
export function hasTerms(
  match: TextMatch,
  texts: readonly string[],
  query: string,
  fuzzy: boolean,
): boolean {
  const analysed = texts.map(analyseText)
  const { words, phrase, symbols, canGoOn } = analyseQuery(query)
  const all = analysed.flatMap(({ terms, wholes }) => [...terms, ...wholes])
  const hasTerm = (term: string) =>
    all.some((other) => other === term || (fuzzy && isSimilar(term, other)))
  // The order of similar terms does not matter.
  const hasPhrase = (one: Phrase) =>
    fuzzy && !one.isPrefix
      ? one.terms.every(hasTerm)
      : analysed.some((text) => containsPhrase(text, one))
  const hasWhole = (whole: string | undefined) => whole !== undefined && hasTerm(whole)
  switch (match) {
    case 'anyTerm':
      return words.some(({ phrases, whole }) => phrases.some(hasPhrase) || hasWhole(whole))
    case 'allTerms':
      return (
        words.length > 0 &&
        words.every(({ phrases, whole }) => phrases.every(hasPhrase) || hasWhole(whole))
      )
    case 'phrase':
      return (
        phrase.terms.length > 0 &&
        analysed.some((text) => containsPhrase(text, phrase)) &&
        symbols.every((symbol) => all.includes(symbol))
      )
    case 'prefix':
      return (
        phrase.terms.length > 0 &&
        analysed.some((text) => containsPhrase(text, { ...phrase, isPrefix: canGoOn })) &&
        symbols.every((symbol) => all.includes(symbol))
      )
  }
}

function containsPhrase({ terms, wholes }: AnalysedText, phrase: Phrase): boolean {
  const isAlone = phrase.terms.length === 1
  return (
    phrasePositions(terms, phrase).length > 0 ||
    (isAlone && wholes.some((whole) => phrasePositions([whole], phrase).length > 0))
  )
}

/** Returns the positions at which a phrase starts. */
export function phrasePositions(terms: readonly string[], phrase: Phrase): number[] {
  const last = phrase.terms.length - 1
  return terms.flatMap((_, start) => {
    const matches = phrase.terms.every((term, index) => {
      const other = terms[start + index]
      return index === last && phrase.isPrefix ? other?.startsWith(term) === true : other === term
    })
    return matches ? [start] : []
  })
}

/** Longer query terms allow more edits. */
function isSimilar(term: string, other: string): boolean {
  const { length } = [...term]
  const most = length < 3 ? 0 : length < 6 ? 1 : 2
  return editDistance([...term], [...other]) <= most
}

/** The textbook Levenshtein distance, with the whole table. */
function editDistance(a: readonly string[], b: readonly string[]): number {
  const table = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const above = table[row - 1] ?? []
      line.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1),
        ),
      )
    }
    table.push(line)
  }
  return table.at(-1)?.at(-1) ?? 0
}
