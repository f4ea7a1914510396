/**
 * Intervals of terms: where in a text a rule is satisfied. Each rule has a list of minimal intervals,
 * in order, none of which contains another one.
 *
 * PostgreSQL repeats these steps in the function `oqs_has_interval`.
 */

/** Positions of the first and the last term, flat: first, last, first, last, … */
type Intervals = readonly number[]

const NONE: Intervals = []

/** An interval rule without similar terms: a store looks them up first. */
export type ResolvedRule =
  | { readonly kind: 'terms'; readonly terms: readonly string[] }
  | { readonly kind: 'prefix'; readonly term: string }
  | { readonly kind: 'anyOf'; readonly of: readonly ResolvedRule[] }
  | {
      readonly kind: 'allOf'
      readonly of: readonly ResolvedRule[]
      readonly ordered: boolean
      readonly maxGaps: number | undefined
    }

/** Returns a test of whether a text, as its terms, satisfies a rule. */
export function intervalTest(rule: ResolvedRule): (terms: readonly string[]) => boolean {
  const find = finder(rule)
  return (terms) => find(terms).length > 0
}

function finder(rule: ResolvedRule): (terms: readonly string[]) => Intervals {
  if (rule.kind === 'terms') {
    const accepted = new Set(rule.terms)
    return (terms) => terms.flatMap((term, at) => (accepted.has(term) ? [at, at] : []))
  }
  if (rule.kind === 'prefix') {
    return (terms) => terms.flatMap((term, at) => (term.startsWith(rule.term) ? [at, at] : []))
  }
  const parts = rule.of.map(finder)
  if (rule.kind === 'anyOf')
    return (terms) => minimal(parts.flatMap((find) => pairsOf(find(terms))))
  const { ordered, maxGaps } = rule
  return (terms) => {
    const found: Intervals[] = []
    for (const find of parts) {
      const intervals = find(terms)
      if (intervals.length === 0) return NONE
      found.push(intervals)
    }
    return minimal((ordered ? inOrder : inAnyOrder)(found, maxGaps ?? Infinity))
  }
}

type Interval = readonly [first: number, last: number]

function pairsOf(intervals: Intervals): Interval[] {
  const pairs: Interval[] = []
  for (let at = 0; at < intervals.length; at += 2) {
    pairs.push([intervals[at] ?? 0, intervals[at + 1] ?? 0])
  }
  return pairs
}

/**
 * For each interval of the last part, takes the nearest interval before it for the part before, and
 * so on. The gaps are the positions between the intervals.
 */
function inOrder(parts: readonly Intervals[], maxGaps: number): Interval[] {
  const places = parts.map(() => -2)
  const found: Interval[] = []
  for (const [first, last] of pairsOf(parts.at(-1) ?? NONE)) {
    let start = first
    let gaps = 0
    for (let part = parts.length - 2; part >= 0 && start >= 0; part -= 1) {
      const intervals = parts[part] ?? NONE
      let at = places[part] ?? 0
      // Moves forward only: later intervals of the last part have no earlier neighbours.
      while ((intervals[at + 3] ?? Infinity) < start) at += 2
      places[part] = at
      gaps += at < 0 ? 0 : start - (intervals[at + 1] ?? 0) - 1
      start = at < 0 ? -1 : (intervals[at] ?? 0)
    }
    if (start >= 0 && gaps <= maxGaps) found.push([start, last])
  }
  return found
}

/**
 * For each end of an interval, takes the last interval of each part up to there. They may overlap.
 * The gaps are the positions of the whole that are not counted by its parts.
 */
function inAnyOrder(parts: readonly Intervals[], maxGaps: number): Interval[] {
  const places = parts.map(() => -2)
  const ends = [...new Set(parts.flatMap((part) => pairsOf(part).map(([, last]) => last)))]
  const found: Interval[] = []
  for (const end of ends.sort((a, b) => a - b)) {
    let start = end
    let filled = 0
    let isComplete = true
    for (const [part, intervals] of parts.entries()) {
      let at = places[part] ?? 0
      while ((intervals[at + 3] ?? Infinity) <= end) at += 2
      places[part] = at
      if (at < 0) {
        isComplete = false
        continue
      }
      start = Math.min(start, intervals[at] ?? 0)
      filled += (intervals[at + 1] ?? 0) - (intervals[at] ?? 0) + 1
    }
    if (isComplete && end - start + 1 - filled <= maxGaps) found.push([start, end])
  }
  return found
}

/** Keeps the intervals that contain no other one, in order. */
function minimal(intervals: readonly Interval[]): Intervals {
  const kept: number[] = []
  let last = Infinity
  // From the end, the first one of each start is the shortest.
  for (const [first, end] of intervals.toSorted((a, b) => b[0] - a[0] || a[1] - b[1])) {
    if (end >= last) continue
    kept.push(end, first)
    last = end
  }
  return kept.reverse()
}
