/** Parses `interval` of v2: rules about terms that are near each other. */
import { Type } from 'typebox'
import {
  INTERVAL_MAX_DEPTH,
  INTERVAL_MAX_EDITS,
  TEXT_TERM_COST,
  WIRE_INTEGER_MAX,
} from '../../contract/limits.ts'
import { optional } from '../../contract/schema-parts.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import { NOTHING } from '../combine-queries.ts'
import { countTerms, writtenTerms } from '../matching/written-terms.ts'
import type { IntervalRule, Query } from '../query.ts'
import { isText } from '../resolve-field.ts'
import { notSupported, requireText } from './conditions.ts'
import type { QueryMembers, QueryParsing } from './parse-query.ts'
import { refTo, Text, unionType, unionTypes } from './union-type.ts'
import { refuseUnknownMembers, unprocessable } from './unprocessable.ts'

export function parseInterval(
  written: string,
  { rule }: QueryMembers,
  parsing: QueryParsing,
): Query {
  const { conditions, path } = parsing
  const resolved = conditions.resolve(written, path)
  if (!isText(resolved)) throw notSupported('interval', written)
  const parsed = new RuleParser(parsing).parse(rule, `${path}.rule`, 0)
  // A rule without terms.
  if (parsed === undefined) return NOTHING
  return { kind: 'interval', field: resolved.field, rule: parsed }
}

export const INTERVAL_RULE_COMPONENT = 'IntervalRule'

const rules = Type.Array(refTo(INTERVAL_RULE_COMPONENT))
const ordered = Type.Optional(Type.Boolean())
const maxGaps = optional(
  Type.Integer({ minimum: 0, description: 'How many other terms may be between.' }),
)

/** The types of rules. */
export const INTERVAL_RULES = unionTypes({
  allOf: unionType('AllOf', { rules, ordered, maxGaps }),
  anyOf: unionType('AnyOf', { rules }),
  match: unionType('Match', { query: Text, ordered, maxGaps }),
  prefixOnLastToken: unionType('Prefix', { query: Text }),
  fuzzy: unionType('Fuzzy', {
    term: Type.String(),
    fuzziness: optional(Type.Integer({ minimum: 0, maximum: INTERVAL_MAX_EDITS })),
  }),
})

/** Returns undefined for a rule that nothing can satisfy. */
class RuleParser {
  readonly #budget: QueryParsing['budget']

  constructor({ budget }: QueryParsing) {
    this.#budget = budget
  }

  parse(rule: unknown, path: string, depth: number): IntervalRule | undefined {
    if (depth > INTERVAL_MAX_DEPTH)
      throw unprocessable(path, `nests rules more than ${INTERVAL_MAX_DEPTH} deep`)
    if (!isJsonObject(rule)) throw unprocessable(path, 'is not a rule: a JSON object with a type')
    this.#budget.spendTerms(1)
    const { type } = rule
    const known = typeof type === 'string' ? INTERVAL_RULES.get(type) : undefined
    if (known === undefined) {
      throw unprocessable(`${path}.type`, `is not one of ${[...INTERVAL_RULES.keys()].join(', ')}`)
    }
    refuseUnknownMembers(rule, ['type', ...known.members], path, `a rule of type ${type}`)
    switch (type) {
      case 'allOf':
        return allOf(this.#list(rule, path, depth), readOrdered(rule, path), readGaps(rule, path))
      case 'anyOf':
        return anyOf(this.#list(rule, path, depth))
      case 'match': {
        const isOrdered = readOrdered(rule, path)
        const terms = this.#terms(rule['query'], `${path}.query`)
        const gaps = readGaps(rule, path)
        if (terms.length === 0) return undefined
        // Repeated terms only matter where their order does.
        const distinct = isOrdered ? terms : [...new Set(terms)]
        return { kind: 'match', terms: distinct, ordered: isOrdered, maxGaps: gaps }
      }
      case 'prefixOnLastToken': {
        const terms = this.#terms(rule['query'], `${path}.query`)
        return terms.length === 0 ? undefined : { kind: 'prefix', terms }
      }
      default:
        return this.#fuzzy(rule, path)
    }
  }

  #list(
    { rules: written }: QueryMembers,
    path: string,
    depth: number,
  ): (IntervalRule | undefined)[] {
    if (!Array.isArray(written) || written.length === 0) {
      throw unprocessable(`${path}.rules`, 'is not a list of at least one rule')
    }
    return written.map((rule, index) => this.parse(rule, `${path}.rules[${index}]`, depth + 1))
  }

  #terms(value: unknown, path: string): readonly string[] {
    const text = requireText(value, path)
    this.#budget.checkText(path, text)
    if (!text.isWellFormed()) throw unprocessable(path, 'contains an unpaired surrogate')
    const terms = writtenTerms(text)
    const count = countTerms(terms)
    this.#budget.spendTerms(count * TEXT_TERM_COST)
    return count === 0 ? [] : terms
  }

  #fuzzy({ term: written, fuzziness }: QueryMembers, path: string): IntervalRule | undefined {
    const terms = this.#terms(written, `${path}.term`)
    const edits = readWhole(fuzziness, `${path}.fuzziness`, INTERVAL_MAX_EDITS)
    const term = terms.join(' ')
    if (hasSeveralTerms(term)) throw unprocessable(`${path}.term`, 'has more than one term')
    if (term === '') return undefined
    if (edits === 0) return { kind: 'match', terms, ordered: true, maxGaps: 0 }
    this.#budget.spendFuzzyTerms(countTerms(terms))
    return { kind: 'similar', term, edits }
  }
}

/** The API splits a fuzzy term only at these characters, and does not count a lone period. */
const SEPARATORS = /[\s?!,:;\-[\](){}'"~]+/

function hasSeveralTerms(text: string): boolean {
  return text.split(SEPARATORS).filter((term) => term !== '' && term !== '.').length > 1
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

/** `@osdk/client` omits the member for terms in any order. */
function readOrdered({ ordered }: QueryMembers, path: string): boolean {
  if (ordered == null) return false
  if (typeof ordered === 'boolean') return ordered
  throw unprocessable(`${path}.ordered`, 'is not a boolean')
}

function readGaps({ maxGaps }: QueryMembers, path: string): number | undefined {
  return readWhole(maxGaps, `${path}.maxGaps`, WIRE_INTEGER_MAX)
}

function readWhole(value: unknown, path: string, most: number): number | undefined {
  if (value == null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) {
    return value + 0
  }
  throw unprocessable(path, `is not a whole number from 0 to ${most}`)
}
