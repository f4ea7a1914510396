/** The reference model of interval rules, written from their definition. */
import { analyseQuery, analyseText, type Phrase } from '../../src/query/matching/analyser.ts'
import { phrasePositions } from './query-terms.ts'

type Rule = Readonly<Record<string, unknown>>
type Interval = readonly [first: number, last: number]

/** True if one of the texts has an interval that satisfies the rule. */
export function holdsInterval(rule: unknown, texts: readonly string[]): boolean {
  return texts.some((text) => {
    const { terms, wholes } = analyseText(text)
    // A term without a position is near nothing else.
    return [terms, ...wholes.map((whole) => [whole])].some(
      (one) => intervalsOf(rule as Rule, one).length > 0,
    )
  })
}

function intervalsOf(rule: Rule, terms: readonly string[]): Interval[] {
  const where = (run: Phrase): Interval[] =>
    phrasePositions(terms, run).map((at) => [at, at + run.terms.length - 1])
  const inner = () => (rule['rules'] as Rule[]).map((one) => intervalsOf(one, terms))
  const maxGaps = (rule['maxGaps'] as number | undefined) ?? Infinity
  switch (rule['type']) {
    case 'anyOf':
      return minimal(inner().flat())
    case 'allOf':
      return together(inner(), rule['ordered'] === true, maxGaps)
    case 'match': {
      const written = String(rule['query']).toLowerCase()
      const isOrdered = rule['ordered'] === true
      const wanted = isOrdered ? written : [...new Set(written.split(/\s+/))].join(' ')
      return together(analyseQuery(wanted).runs.map(where), isOrdered, maxGaps)
    }
    case 'prefixOnLastToken': {
      const { runs } = analyseQuery(String(rule['query']))
      const last = runs.length - 1
      const wanted = runs.map((run, index) => (index < last ? run : { ...run, isPrefix: true }))
      return together(wanted.map(where), true, Infinity)
    }
    case 'fuzzy': {
      const wanted = analyseQuery(String(rule['term'])).phrase
      if (wanted.terms.length === 0) return []
      if (rule['fuzziness'] === 0 || wanted.isPrefix) return where(wanted)
      return together(
        wanted.terms.map((term): Interval[] => {
          const { length } = [...term]
          const edits = rule['fuzziness'] ?? (length < 3 ? 0 : length < 6 ? 1 : 2)
          const isSimilar = (other: string) => typos([...term], [...other]) <= Number(edits)
          return terms.flatMap((other, at) => (isSimilar(other) ? [[at, at] as const] : []))
        }),
        true,
        0,
      )
    }
    default:
      throw new Error(`the model does not know the rule ${rule['type']}`)
  }
}

function together(parts: readonly Interval[][], isOrdered: boolean, maxGaps: number): Interval[] {
  if (parts.length === 0 || parts.some((part) => part.length === 0)) return []
  const nearest = (part: readonly Interval[], before: number) =>
    part.filter(([, last]) => last < before).sort((a, b) => b[1] - a[1])[0]
  const ends = isOrdered
    ? (parts.at(-1) ?? [])
    : parts.flat().map(([, last]) => [last, last] as const)
  const found = ends.flatMap((end): Interval[] => {
    const chosen: Interval[] = isOrdered ? [end] : []
    for (const part of isOrdered ? parts.slice(0, -1).reverse() : parts) {
      const before = isOrdered ? (chosen[0]?.[0] ?? 0) : end[1] + 1
      const one = nearest(part, before)
      if (one === undefined) return []
      chosen.unshift(one)
    }
    const first = Math.min(...chosen.map(([start]) => start))
    const covered = chosen.reduce((sum, [start, last]) => sum + last - start + 1, 0)
    return end[1] - first + 1 - covered <= maxGaps ? [[first, end[1]]] : []
  })
  return minimal(found)
}

function minimal(intervals: readonly Interval[]): Interval[] {
  return intervals
    .filter(
      ([first, last]) =>
        !intervals.some(
          ([start, end]) => start >= first && end <= last && (start > first || end < last),
        ),
    )
    .filter(
      ([first, last], index, all) =>
        all.findIndex(([start, end]) => start === first && end === last) === index,
    )
}

/** Insertions, deletions, replacements, and neighbours that change places. */
function typos(a: readonly string[], b: readonly string[]): number {
  const known = new Map<string, number>()
  const distance = (i: number, k: number): number => {
    if (i === 0 || k === 0) return i + k
    const key = `${i} ${k}`
    const before = known.get(key)
    if (before !== undefined) return before
    const options = [
      distance(i - 1, k) + 1,
      distance(i, k - 1) + 1,
      distance(i - 1, k - 1) + (a[i - 1] === b[k - 1] ? 0 : 1),
    ]
    if (i > 1 && k > 1 && a[i - 1] === b[k - 2] && a[i - 2] === b[k - 1]) {
      options.push(distance(i - 2, k - 2) + 1)
    }
    const least = Math.min(...options)
    known.set(key, least)
    return least
  }
  return distance(a.length, b.length)
}
