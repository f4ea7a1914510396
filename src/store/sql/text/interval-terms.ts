/** Interval rules as stores need them: with the indexed terms that satisfy each leaf. */
import { analyseQuery, type Phrase } from '../../../query/matching/analyser.ts'
import { fuzzyDistance } from '../../../query/matching/edit-distance.ts'
import type { ResolvedRule } from '../../../query/matching/interval.ts'
import type { IntervalRule } from '../../../query/query.ts'
import type { SimilarTerms } from './similar-terms.ts'

/** Returns the terms of a field that differ in at most this many edits. */
type FindSimilar = (terms: readonly string[], edits: number) => SimilarTerms

/**
 * Returns a rule with its terms, and with the terms that are similar to those of its fuzzy leaves;
 * undefined for a rule that nothing can satisfy.
 */
export function resolveRule(
  rule: IntervalRule,
  similarTerms: FindSimilar,
): ResolvedRule | undefined {
  switch (rule.kind) {
    case 'match':
      return inOrder(runsOf(rule.terms).map(runRule), rule.ordered, rule.maxGaps)
    case 'prefix': {
      const runs = runsOf(rule.terms)
      const { terms, isPrefix } = runs.at(-1) ?? NO_TERMS
      const last = runRule({ terms, isPrefix: isPrefix || terms.length > 0 })
      const others = runs.slice(0, -1).map(runRule)
      return inOrder([...others, ...(terms.length === 0 ? [] : [last])], true, undefined)
    }
    case 'similar': {
      const { phrase } = analyseQuery(rule.term)
      if (phrase.isPrefix) return runRule(phrase)
      const leaves = similarTermsOf(rule).map(([term, edits]): ResolvedRule => {
        const similar = edits === 0 ? [] : (similarTerms([term], edits).get(term) ?? [])
        return { kind: 'terms', terms: [term, ...similar] }
      })
      return inOrder(leaves, true, 0)
    }
    case 'anyOf': {
      const of = rule.of.flatMap((one) => resolveRule(one, similarTerms) ?? [])
      return of.length <= 1 ? of[0] : { kind: 'anyOf', of }
    }
    case 'allOf': {
      const of = rule.of.flatMap((one) => resolveRule(one, similarTerms) ?? [])
      return of.length < rule.of.length ? undefined : inOrder(of, rule.ordered, rule.maxGaps)
    }
  }
}

function runsOf(terms: readonly string[]): readonly Phrase[] {
  return analyseQuery(terms.join(' ')).runs
}

const NO_TERMS: Phrase = { terms: [], isPrefix: false }

/** The terms of one word are neighbours. */
function runRule({ terms, isPrefix }: Phrase): ResolvedRule {
  const leaves = terms.map((term, at): ResolvedRule => {
    const isLast = at === terms.length - 1
    return isLast && isPrefix ? { kind: 'prefix', term } : { kind: 'terms', terms: [term] }
  })
  return inOrder(leaves, true, 0) ?? { kind: 'terms', terms: [] }
}

function inOrder(
  of: readonly ResolvedRule[],
  ordered: boolean,
  maxGaps: number | undefined,
): ResolvedRule | undefined {
  return of.length <= 1 ? of[0] : { kind: 'allOf', of, ordered, maxGaps }
}

type SimilarRule = IntervalRule & { kind: 'similar' }

/**
 * Returns the terms of a fuzzy leaf, each with its number of edits. A text that ends in a script
 * without spaces has none: it matches exactly.
 */
function similarTermsOf({ term, edits }: SimilarRule): (readonly [term: string, edits: number])[] {
  const { terms, isPrefix } = analyseQuery(term).phrase
  return isPrefix ? [] : terms.map((one) => [one, edits ?? fuzzyDistance(one)])
}

/** Returns the fuzzy leaves of a rule. */
export function similarLeaves(rule: IntervalRule): SimilarRule[] {
  if (rule.kind === 'similar') return [rule]
  return rule.kind === 'allOf' || rule.kind === 'anyOf' ? rule.of.flatMap(similarLeaves) : []
}

/** How a full-text index writes its conditions. */
interface TermSyntax {
  readonly term: (term: string) => string
  readonly prefix: (term: string) => string
  readonly and: string
  readonly or: string
}

/** Returns the condition that a text has the terms of a rule, anywhere and in any order. */
export function termCondition(rule: ResolvedRule, syntax: TermSyntax): string {
  const joined = (parts: readonly string[], operator: string) => `(${parts.join(` ${operator} `)})`
  switch (rule.kind) {
    case 'terms':
      return joined(rule.terms.map(syntax.term), syntax.or)
    case 'prefix':
      return syntax.prefix(rule.term)
    default:
      return joined(
        rule.of.map((one) => termCondition(one, syntax)),
        rule.kind === 'allOf' ? syntax.and : syntax.or,
      )
  }
}
