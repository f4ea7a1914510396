/** Parses `interval` of v2: rules about terms that are near each other. */

import { TEXT_TERM_COST } from '../../contract/limits.ts'
import { isJsonObject } from '../../ontology/values/refused-value.ts'
import { fuzzyDistance, termsOf } from '../matching/terms.ts'
import type { IntervalRule, Query } from '../query.ts'
import { isText } from '../resolve-field.ts'
import { notSupported, requireText } from './conditions.ts'
import type { QueryMembers, QueryParsing } from './parse-query.ts'
import { refuseUnknownMembers, unprocessable } from './unprocessable.ts'

/** How deep rules may be nested. */
const MAX_DEPTH = 5

/** The largest number of gaps, and of edits in a fuzzy term. */
const MAX_GAPS = 2_147_483_647
const MAX_EDITS = 2

export function parseInterval(
  written: string,
  { rule }: QueryMembers,
  parsing: QueryParsing,
): Query {
  const { conditions, path } = parsing
  const resolved = conditions.resolve(written, path)
  if (!isText(resolved)) throw notSupported('interval', written)
  const parsed = new RuleParser(parsing).parse(rule, `${path}.rule`, 0)
  // A rule without terms matches nothing: an empty `or` is false.
  if (parsed === undefined) return { kind: 'or', of: [] }
  return { kind: 'interval', field: resolved.field, rule: parsed }
}

/** Returns undefined for a rule that nothing can satisfy. */
class RuleParser {
  readonly #budget: QueryParsing['budget']

  constructor({ budget }: QueryParsing) {
    this.#budget = budget
  }

  parse(rule: unknown, path: string, depth: number): IntervalRule | undefined {
    if (depth > MAX_DEPTH) throw unprocessable(path, `nests rules more than ${MAX_DEPTH} deep`)
    if (!isJsonObject(rule)) throw unprocessable(path, 'is not a rule: a JSON object with a type')
    this.#budget.spendTerms(1)
    const allow = (...members: string[]) =>
      refuseUnknownMembers(rule, ['type', ...members], path, `a rule of type ${rule['type']}`)
    switch (rule['type']) {
      case 'allOf':
        allow('rules', 'ordered', 'maxGaps')
        return allOf(this.#list(rule, path, depth), readOrdered(rule, path), readGaps(rule, path))
      case 'anyOf':
        allow('rules')
        return anyOf(this.#list(rule, path, depth))
      case 'match': {
        allow('query', 'ordered', 'maxGaps')
        const ordered = readOrdered(rule, path)
        const terms = this.#terms(rule['query'], `${path}.query`)
        // Repeated terms only matter where their order does.
        const rules = (ordered ? terms : [...new Set(terms)]).map(termRule)
        return allOf(rules, ordered, readGaps(rule, path))
      }
      case 'prefixOnLastToken': {
        allow('query')
        const terms = this.#terms(rule['query'], `${path}.query`)
        const last = terms.length - 1
        const rules = terms.map(
          (term, index): IntervalRule => (index < last ? termRule(term) : { kind: 'prefix', term }),
        )
        return allOf(rules, true, undefined)
      }
      case 'fuzzy':
        allow('term', 'fuzziness')
        return this.#fuzzy(rule, path)
      default:
        throw unprocessable(
          `${path}.type`,
          'is not one of allOf, anyOf, match, prefixOnLastToken, fuzzy',
        )
    }
  }

  #list({ rules }: QueryMembers, path: string, depth: number): (IntervalRule | undefined)[] {
    if (!Array.isArray(rules) || rules.length === 0) {
      throw unprocessable(`${path}.rules`, 'is not a list of at least one rule')
    }
    return rules.map((rule, index) => this.parse(rule, `${path}.rules[${index}]`, depth + 1))
  }

  #terms(value: unknown, path: string): readonly string[] {
    const text = requireText(value, path)
    this.#budget.checkText(path, text)
    if (!text.isWellFormed()) throw unprocessable(path, 'contains an unpaired surrogate')
    const terms = termsOf(text)
    this.#budget.spendTerms(terms.length * TEXT_TERM_COST)
    return terms
  }

  #fuzzy({ term: written, fuzziness }: QueryMembers, path: string): IntervalRule | undefined {
    const [term, ...others] = this.#terms(written, `${path}.term`)
    if (others.length > 0) throw unprocessable(`${path}.term`, 'has more than one term')
    const edits = readWhole(fuzziness, `${path}.fuzziness`, MAX_EDITS)
    if (term === undefined) return undefined
    const most = edits ?? fuzzyDistance(term)
    if (most === 0) return termRule(term)
    this.#budget.spendFuzzyTerms(1)
    return { kind: 'similar', term, edits: most }
  }
}

function termRule(term: string): IntervalRule {
  return { kind: 'terms', terms: [term] }
}

function allOf(
  rules: readonly (IntervalRule | undefined)[],
  ordered: boolean,
  maxGaps: number | undefined,
): IntervalRule | undefined {
  const [only] = rules
  if (rules.length <= 1) return only
  const of = rules.filter((rule) => rule !== undefined)
  return of.length < rules.length ? undefined : { kind: 'allOf', of, ordered, maxGaps }
}

function anyOf(rules: readonly (IntervalRule | undefined)[]): IntervalRule | undefined {
  const of = rules.filter((rule) => rule !== undefined)
  return of.length <= 1 ? of[0] : { kind: 'anyOf', of }
}

function readOrdered({ ordered }: QueryMembers, path: string): boolean {
  if (typeof ordered === 'boolean') return ordered
  throw unprocessable(`${path}.ordered`, 'is not a boolean')
}

function readGaps({ maxGaps }: QueryMembers, path: string): number | undefined {
  return readWhole(maxGaps, `${path}.maxGaps`, MAX_GAPS)
}

function readWhole(value: unknown, path: string, most: number): number | undefined {
  if (value == null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) {
    return value + 0
  }
  throw unprocessable(path, `is not a whole number from 0 to ${most}`)
}
