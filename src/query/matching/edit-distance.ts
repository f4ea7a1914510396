/** How many characters two terms differ in, for fuzzy search. */

/** Returns the maximum edit distance of a fuzzy match: 0 for short terms, 2 for long ones. */
export function fuzzyDistance(term: string): number {
  const { length } = [...term]
  return length < 3 ? 0 : length < 6 ? 1 : 2
}

/** True if the edit distance (insertions, deletions, replacements) is at most `most`. */
export function isWithinEdits(a: string, b: string, most: number): boolean {
  return isWithin(a, b, most, false)
}

/** Like `isWithinEdits`, but two neighbouring characters that change places are one edit. */
export function isWithinTypos(a: string, b: string, most: number): boolean {
  return isWithin(a, b, most, true)
}

function isWithin(a: string, b: string, most: number, canSwap: boolean): boolean {
  const [left, right] = [[...a], [...b]]
  if (Math.abs(left.length - right.length) > most) return false
  let earlier: readonly number[] = []
  let previous: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index)
  let [isBeyond, wasBeyond] = [false, false]
  for (let i = 0; i < left.length; i += 1) {
    const row = [i + 1]
    let least = i + 1
    for (let j = 0; j < right.length; j += 1) {
      const replaced = (previous[j] ?? 0) + (left[i] === right[j] ? 0 : 1)
      let edits = Math.min((previous[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1, replaced)
      if (canSwap && i > 0 && j > 0 && left[i] === right[j - 1] && left[i - 1] === right[j]) {
        edits = Math.min(edits, (earlier[j - 1] ?? 0) + 1)
      }
      row.push(edits)
      if (edits < least) least = edits
    }
    // Later rows are never below this one; with swaps, never below this one and the one before.
    ;[isBeyond, wasBeyond] = [least > most, isBeyond]
    if (isBeyond && (wasBeyond || !canSwap)) return false
    ;[earlier, previous] = [previous, row]
  }
  return (previous.at(-1) ?? 0) <= most
}
