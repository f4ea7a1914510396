/** Full text as the contract tells it, written plainly: terms, runs of terms, similar terms. */

const SEPARATORS = new Set('?!,:;-[](){}\'"~')

/** The terms of a text: cut at white space and separators, in lower case, without lone periods. */
export function plainTerms(text: string): string[] {
  const terms: string[] = []
  let term = ''
  for (const character of `${text} `) {
    if (!SEPARATORS.has(character) && !/\s/u.test(character)) {
      // Character by character: what a letter becomes does not depend on its neighbours. Sigma has
      // two small forms for one capital.
      term += character === 'ς' ? 'σ' : character.toLowerCase()
      continue
    }
    if (term !== '' && term !== '.') terms.push(term)
    term = ''
  }
  return terms
}

export type TextMatch = 'phrase' | 'prefix' | 'anyTerm' | 'allTerms'

/** Whether a text holds the terms of a question; a question without terms is found nowhere. */
export function hasTerms(
  match: TextMatch,
  text: readonly string[],
  asked: readonly string[],
  fuzzy: boolean,
): boolean {
  if (asked.length === 0) return false
  const holds = (term: string) =>
    text.some((other) => other === term || (fuzzy && isSimilar(term, other)))
  switch (match) {
    case 'anyTerm':
      return asked.some(holds)
    case 'allTerms':
      return asked.every(holds)
    case 'phrase':
      return text.some((_, start) => asked.every((term, index) => text[start + index] === term))
    case 'prefix':
      return text.some((_, start) =>
        asked.every((term, index) => {
          const other = text[start + index]
          return index === asked.length - 1 ? other?.startsWith(term) === true : other === term
        }),
      )
  }
}

/** The longer the term that was asked for, the more edits it forgives. */
function isSimilar(term: string, other: string): boolean {
  const { length } = [...term]
  const most = length < 3 ? 0 : length < 6 ? 1 : 2
  return editDistance([...term], [...other]) <= most
}

/** Levenshtein, as in the books: the whole table, nothing cut short. */
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
