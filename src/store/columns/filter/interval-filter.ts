/** Filters by terms that are near each other. */
import { intervalTest, type ResolvedRule } from '../../../query/matching/interval.ts'
import type { Query } from '../../../query/query.ts'
import { resolveRule } from '../../sql/text/interval-terms.ts'
import { andBits, type Bits, bitsFor, setBit } from '../arrays/bits.ts'
import {
  FIRST_PLACE,
  NO_PLACE,
  PLACES,
  type Postings,
  type TermRange,
} from '../segment/postings.ts'
import type { Segment } from '../segment/segment.ts'
import { type Filter, fromBits, NOTHING } from './filter.ts'
import { similarTerms, type TermIndexes, termIndexes } from './text-filter.ts'
import { codesFilter } from './value-filter.ts'

/**
 * Returns a filter for each segment; undefined if the field has no term index, or one that does not
 * distinguish the texts of a list.
 */
export function intervalFilters(
  segments: readonly Segment[],
  { field, rule }: Query & { kind: 'interval' },
  isList: boolean,
): readonly Filter[] | undefined {
  const indexes = segments.flatMap((segment) => termIndexes(segment, [field]) ?? [])
  if (indexes.length < segments.length) return undefined
  const fields = indexes.flatMap((index: TermIndexes) => [...index.values()])
  if (isList && fields.some(({ postings }) => postings.of === 'rows')) return undefined
  const [prefix = ''] = indexes[0]?.keys() ?? []
  const resolved = resolveRule(rule, (terms, edits) => similarTerms(terms, prefix, indexes, edits))
  return fields.map(({ postings, column }) => {
    if (resolved === undefined) return NOTHING
    const found = positionsWith(resolved, postings)
    return column === undefined ? fromBits(found) : codesFilter(column, found)
  })
}

/** The terms of a rule that a text has: by place, and those without one. */
interface FoundTerms {
  readonly terms: string[]
  readonly wholes: string[]
}

function positionsWith(rule: ResolvedRule, postings: Postings): Bits {
  const candidates = candidatesOf(rule, postings)
  const texts = new Map<number, FoundTerms>()
  for (const [from, to] of leavesOf(rule, postings)) {
    for (let term = from; term < to; term += 1) {
      const written = postings.terms.at(term)
      for (const occurrence of postings.placesOf([term, term + 1], candidates)) {
        const position = Math.floor(occurrence / PLACES)
        const place = occurrence % PLACES
        const text = texts.get(position) ?? { terms: [], wholes: [] }
        texts.set(position, text)
        if (place === NO_PLACE) text.wholes.push(written)
        else text.terms[place - FIRST_PLACE] = written
      }
    }
  }
  const test = intervalTest(rule)
  const found = bitsFor(candidates.length * 32)
  for (const [position, { terms, wholes }] of texts) {
    // A term without a place is a text of its own.
    if (test(terms) || wholes.some((whole) => test([whole]))) setBit(found, position)
  }
  return found
}

/** Returns the positions that have enough terms. */
function candidatesOf(rule: ResolvedRule, postings: Postings): Bits {
  if (rule.kind === 'terms' || rule.kind === 'prefix') {
    return anyOf(
      leavesOf(rule, postings).map((range) => postings.positionsWith(range)),
      postings,
    )
  }
  const parts = rule.of.map((one) => candidatesOf(one, postings))
  if (rule.kind === 'anyOf') return anyOf(parts, postings)
  const [first = postings.positionsWith([0, 0]), ...others] = parts
  for (const other of others) andBits(first, other, first.length)
  return first
}

function anyOf(parts: readonly Bits[], postings: Postings): Bits {
  const bits = postings.positionsWith([0, 0])
  for (const part of parts) {
    for (let word = 0; word < bits.length; word += 1) {
      bits[word] = (bits[word] as number) | (part[word] as number)
    }
  }
  return bits
}

/** Returns the terms that a rule is about. */
function leavesOf(rule: ResolvedRule, postings: Postings): readonly TermRange[] {
  switch (rule.kind) {
    case 'terms':
      return rule.terms.flatMap((term) => {
        const number = postings.terms.find(term)
        return number === undefined ? [] : [[number, number + 1] as const]
      })
    case 'prefix':
      return [postings.termsFrom(rule.term)]
    default:
      return rule.of.flatMap((one) => leavesOf(one, postings))
  }
}
