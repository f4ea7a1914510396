import { describe, expect, it } from 'vitest'
import { failure, fieldOf, parserOf, unprocessable } from '../../../test/support/parsed-queries.ts'
import { NOTHING } from '../combine-queries.ts'
import { V2_QUERIES } from './v2-query-language.ts'

const parse = (rule: unknown, field = 'name') =>
  parserOf(V2_QUERIES)({ type: 'interval', field, rule })
const match = (query: string, more: object = {}) => ({ type: 'match', query, ...more })
const matched = (terms: readonly string[], more: object = {}) => ({
  kind: 'match',
  terms,
  ordered: false,
  maxGaps: undefined,
  ...more,
})
const fuzzy = (term: string, fuzziness?: unknown) => ({ type: 'fuzzy', term, fuzziness })
const anyOf = (...rules: unknown[]) => ({ type: 'anyOf', rules })
const allOf = (rules: unknown[], more: object = {}) => ({ type: 'allOf', rules, ...more })
const nested = (depth: number): unknown => (depth === 0 ? match('red') : allOf([nested(depth - 1)]))

describe('a rule', () => {
  it.each([
    [match('Red fox red'), matched(['red', 'fox'])],
    [
      match('red fox red', { ordered: true, maxGaps: 0 }),
      matched(['red', 'fox', 'red'], { ordered: true, maxGaps: 0 }),
    ],
    [match('red', { ordered: null, maxGaps: null }), matched(['red'])],
    [match('red', { maxGaps: 2_147_483_647 }), matched(['red'], { maxGaps: 2_147_483_647 })],
    [
      { type: 'prefixOnLastToken', query: 'red fox red' },
      { kind: 'prefix', terms: ['red', 'fox', 'red'] },
    ],
    [fuzzy('red'), { kind: 'similar', term: 'red', edits: undefined }],
    [fuzzy('red', 2), { kind: 'similar', term: 'red', edits: 2 }],
    [fuzzy('red', 0), matched(['red'], { ordered: true, maxGaps: 0 })],
    [
      allOf([match('red'), match('fox')], { ordered: true, maxGaps: 3 }),
      { kind: 'allOf', of: [matched(['red']), matched(['fox'])], ordered: true, maxGaps: 3 },
    ],
    [
      anyOf(match('red'), match('fox'), match(' ')),
      { kind: 'anyOf', of: [matched(['red']), matched(['fox'])] },
    ],
    [anyOf(match('red'), match(' ')), matched(['red'])],
    [nested(5), matched(['red'])],
  ])('%j is parsed', (rule, parsed) => {
    expect(parse(rule)).toEqual({ kind: 'interval', field: fieldOf('name'), rule: parsed })
  })

  it.each([
    [match(' ')],
    [{ type: 'prefixOnLastToken', query: '' }],
    [fuzzy(' ')],
    [fuzzy('', 0)],
    [allOf([match(' ')])],
    [allOf([match('red'), match(' ')])],
    [anyOf(match(' '), match(' '))],
  ])('%j matches nothing', (rule) => {
    expect(parse(rule)).toEqual(NOTHING)
  })

  const member = (type: string, allowed: string) =>
    unprocessable(
      'where.rule.x',
      `a rule of type ${type} has no such member; allowed members: type, ${allowed}`,
    )

  it.each([
    ['match', unprocessable('where.rule', 'is not a rule: a JSON object with a type')],
    [{ ...match('red'), x: 1 }, member('match', 'query, ordered, maxGaps')],
    [{ ...allOf([]), x: 1 }, member('allOf', 'rules, ordered, maxGaps')],
    [{ ...anyOf(), x: 1 }, member('anyOf', 'rules')],
    [{ ...fuzzy('red'), x: 1 }, member('fuzzy', 'term, fuzziness')],
    [{ type: 'prefixOnLastToken', query: '', x: 1 }, member('prefixOnLastToken', 'query')],
    [
      { type: 'near' },
      unprocessable(
        'where.rule.type',
        'is not one of allOf, anyOf, match, prefixOnLastToken, fuzzy',
      ),
    ],
    [
      { type: 'anyOf', rules: match('red') },
      unprocessable('where.rule.rules', 'is not a list of at least one rule'),
    ],
    [allOf([]), unprocessable('where.rule.rules', 'is not a list of at least one rule')],
    [
      anyOf(match('red'), 'fox'),
      unprocessable('where.rule.rules[1]', 'is not a rule: a JSON object with a type'),
    ],
    [{ type: 'match' }, unprocessable('where.rule.query', 'is missing')],
    [{ type: 'prefixOnLastToken' }, unprocessable('where.rule.query', 'is missing')],
    [{ type: 'fuzzy' }, unprocessable('where.rule.term', 'is missing')],
    [match('\ud800'), unprocessable('where.rule.query', 'contains an unpaired surrogate')],
    [
      match('x'.repeat(101)),
      failure('QueryTextExceededLimit', { field: 'where.rule.query', lengthLimit: 100 }),
    ],
    [fuzzy('red fox'), unprocessable('where.rule.term', 'has more than one term')],
    [fuzzy('red', 3), unprocessable('where.rule.fuzziness', 'is not a whole number from 0 to 2')],
    [fuzzy('red', -1), unprocessable('where.rule.fuzziness', 'is not a whole number from 0 to 2')],
    [fuzzy('red', 0.5), unprocessable('where.rule.fuzziness', 'is not a whole number from 0 to 2')],
    [fuzzy('red', '1'), unprocessable('where.rule.fuzziness', 'is not a whole number from 0 to 2')],
    [
      match('red', { maxGaps: 2_147_483_648 }),
      unprocessable('where.rule.maxGaps', 'is not a whole number from 0 to 2147483647'),
    ],
    [match('red', { ordered: 1 }), unprocessable('where.rule.ordered', 'is not a boolean')],
    [
      nested(6),
      unprocessable(
        'where.rule.rules[0].rules[0].rules[0].rules[0].rules[0].rules[0]',
        'nests rules more than 5 deep',
      ),
    ],
  ])('%j is refused', (rule, refusal) => {
    expect(() => parse(rule)).toThrow(refusal)
  })

  it('searches texts only', () => {
    expect(() => parse(match('red'), 'runways')).toThrow(
      failure('PropertyTypesSearchNotSupported', { parameters: { interval: ['runways'] } }),
    )
  })

  it('counts as one condition, and five more for each term', () => {
    const rules = (count: number) => anyOf(...Array.from({ length: count }, () => match('red')))
    // One for the query, one for the rule, and six for each rule in it.
    expect(parse(rules(16))).toMatchObject({ rule: { of: { length: 16 } } })
    expect(() => parse(rules(17))).toThrow(failure('QueryTermsExceededLimit', { termsLimit: 100 }))
  })

  it('has ten fuzzy terms at most', () => {
    const terms = (count: number, fuzziness: number) =>
      anyOf(...Array.from({ length: count }, () => fuzzy('red', fuzziness)))
    expect(parse(terms(10, 1))).toMatchObject({ rule: { of: { length: 10 } } })
    expect(parse(terms(11, 0))).toMatchObject({ rule: { of: { length: 11 } } })
    expect(() => parse(terms(11, 1))).toThrow(
      failure('QueryTermsExceededLimit', { termsLimit: 10, fuzzy: true }),
    )
  })
})
