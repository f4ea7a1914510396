/** The reference model of full text, written from the contract: terms, phrases, fuzzy terms. */

const SEPARATORS = new Set('?!,:;-[](){}\'"~')

/** Splits a text at white space and separators, in lower case, without lone periods. */
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

/** True if a text contains the terms of a query; a query without terms matches nothing. */
export function hasTerms(
  match: TextMatch,
  text: readonly string[],
  terms: readonly string[],
  fuzzy: boolean,
): boolean {
  if (terms.length === 0) return false
  const contains = (term: string) =>
    text.some((other) => other === term || (fuzzy && isSimilar(term, other)))
  switch (match) {
    case 'anyTerm':
      return terms.some(contains)
    case 'allTerms':
      return terms.every(contains)
    case 'phrase':
      return text.some((_, start) => terms.every((term, index) => text[start + index] === term))
    case 'prefix':
      return text.some((_, start) =>
        terms.every((term, index) => {
          const other = text[start + index]
          return index === terms.length - 1 ? other?.startsWith(term) === true : other === term
        }),
      )
  }
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
