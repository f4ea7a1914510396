/**
 * The terms of a text: what full-text conditions compare. Text is cut at white space and at a
 * fixed set of characters; case does not matter; a lone period is no term.
 */

const SEPARATORS = /[\s?!,:;\-[\](){}'"~]+/

export function termsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      // The two small sigmas are one letter.
      .replaceAll('ς', 'σ')
      .split(SEPARATORS)
      .filter((term) => term !== '' && term !== '.')
  )
}

/** Where the text can be cut, from an index on, so that no term is cut in two. */
export function endOfTerm(text: string, from: number): number {
  const separator = new RegExp(SEPARATORS, 'g')
  separator.lastIndex = from
  return separator.exec(text)?.index ?? text.length
}

/** How many edits a fuzzy term may be away: none for short terms, two for long ones. */
export function fuzzyDistance(term: string): number {
  const { length } = [...term]
  return length < 3 ? 0 : length < 6 ? 1 : 2
}

/** Whether two terms are at most so many insertions, deletions or replacements apart. */
export function isWithinEdits(a: string, b: string, most: number): boolean {
  const [left, right] = [[...a], [...b]]
  if (Math.abs(left.length - right.length) > most) return false
  let row = right.map((_, index) => index + 1)
  for (const [i, character] of left.entries()) {
    let diagonal = i
    let before = i + 1
    let least = before
    const next: number[] = []
    for (const [j, other] of right.entries()) {
      const above = row[j] ?? 0
      const value = Math.min(above + 1, before + 1, diagonal + (character === other ? 0 : 1))
      next.push(value)
      diagonal = above
      before = value
      least = Math.min(least, value)
    }
    if (least > most) return false
    row = next
  }
  return (row.at(-1) ?? left.length) <= most
}
