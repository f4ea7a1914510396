/** Interval rules as stores need them: with the indexed terms that satisfy each leaf. */
import type { ResolvedRule } from '../../query/matching/interval.ts'
import type { IntervalRule } from '../../query/query.ts'
import type { SimilarTerms } from './similar-terms.ts'

/** Returns a rule with the terms that are similar to those of its fuzzy leaves. */
export function resolveRule(
  rule: IntervalRule,
  similarTerms: (terms: readonly string[], edits: number) => SimilarTerms,
): ResolvedRule {
  switch (rule.kind) {
    case 'similar': {
      const similar = similarTerms([rule.term], rule.edits).get(rule.term) ?? []
      return { kind: 'terms', terms: [rule.term, ...similar] }
    }
    case 'allOf':
    case 'anyOf':
      return { ...rule, of: rule.of.map((one) => resolveRule(one, similarTerms)) }
    default:
      return rule
  }
}

/** Returns the fuzzy leaves of a rule. */
export function similarLeaves(rule: IntervalRule): (IntervalRule & { kind: 'similar' })[] {
  if (rule.kind === 'similar') return [rule]
  return rule.kind === 'allOf' || rule.kind === 'anyOf' ? rule.of.flatMap(similarLeaves) : []
}

/** How a full-text index writes its conditions. */
export interface TermSyntax {
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
