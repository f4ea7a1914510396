/** How many characters two terms differ in, for fuzzy search. */

/** Returns the maximum edit distance of a fuzzy match: 0 for short terms, 2 for long ones. */
export function fuzzyDistance(term: string): number {
  const { length } = [...term]
  return length < 3 ? 0 : length < 6 ? 1 : 2
}

/** True if the edit distance (insertions, deletions, replacements) is at most `most`. */
export function isWithinEdits(a: string, b: string, most: number): boolean {
  const [left, right] = [[...a], [...b]]
  if (Math.abs(left.length - right.length) > most) return false
  let row = right.map((_, index) => index + 1)
  for (const [i, character] of left.entries()) {
    let diagonal = i
    let previous = i + 1
    let least = previous
    const next: number[] = []
    for (const [j, other] of right.entries()) {
      const above = row[j] ?? 0
      const value = Math.min(above + 1, previous + 1, diagonal + (character === other ? 0 : 1))
      next.push(value)
      diagonal = above
      previous = value
      least = Math.min(least, value)
    }
    if (least > most) return false
    row = next
  }
  return (row.at(-1) ?? left.length) <= most
}

/** Like `isWithinEdits`, but two neighbouring characters that change places are one edit. */
export function isWithinTypos(a: string, b: string, most: number): boolean {
  const [left, right] = [[...a], [...b]]
  if (Math.abs(left.length - right.length) > most) return false
  let earlier: readonly number[] = []
  let previous: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [i, character] of left.entries()) {
    const row = [i + 1]
    for (const [j, other] of right.entries()) {
      const replaced = (previous[j] ?? 0) + (character === other ? 0 : 1)
      const edited = Math.min((previous[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1, replaced)
      const isSwapped = i > 0 && j > 0 && character === right[j - 1] && left[i - 1] === other
      row.push(isSwapped ? Math.min(edited, (earlier[j - 1] ?? 0) + 1) : edited)
    }
    earlier = previous
    previous = row
  }
  return (previous.at(-1) ?? 0) <= most
}
