import { describe, expect, it } from 'vitest'
import type { Query, TextMatch } from './query.ts'
import { relevanceTiers } from './relevance-tiers.ts'

const name = { property: 'name', structField: undefined }
const text = (match: TextMatch, ...terms: string[]): Query => ({
  kind: 'text',
  field: name,
  match,
  terms,
  fuzzy: false,
})
const any = (...terms: string[]) => text('anyTerm', ...terms)

/** Evaluates a query on a text, as far as it consists of texts, `and`, `or` and `not`. */
function matches(query: Query, words: readonly string[]): boolean {
  switch (query.kind) {
    case 'everything':
      return true
    case 'and':
      return query.of.every((one) => matches(one, words))
    case 'or':
      return query.of.some((one) => matches(one, words))
    case 'not':
      return !matches(query.of, words)
    case 'text':
      if (query.match === 'anyTerm') return query.terms.some((term) => words.includes(term))
      if (query.match === 'allTerms') return query.terms.every((term) => words.includes(term))
      return ` ${words.join(' ')} `.includes(` ${query.terms.join(' ')} `)
    default:
      throw new Error(`unexpected ${query.kind}`)
  }
}

/** Returns the score of each text, and checks that no text is in two tiers. */
function scores(query: Query, texts: readonly string[]): (number | undefined)[] {
  return texts.map((one) => {
    const words = one.split(' ')
    const tiers = relevanceTiers(query).filter((tier) => matches(tier.query, words))
    expect(tiers.length).toBe(matches(query, words) ? 1 : 0)
    return tiers[0]?.score
  })
}

describe('the tiers of relevance', () => {
  it('put phrases first, then all terms, then fewer', () => {
    const texts = ['a b c', 'c b a', 'a c', 'b', 'd']
    expect(scores(any('a', 'b', 'c'), texts)).toEqual([4, 3, 2, 1, undefined])
  })

  it('tell a single whole term from other matches', () => {
    expect(relevanceTiers(any('a')).map(({ score }) => score)).toEqual([2, 1])
    expect(scores(any('a'), ['a', 'b'])).toEqual([2, undefined])
  })

  it('count no terms beyond five', () => {
    const six = any('a', 'b', 'c', 'd', 'e', 'f')
    expect(scores(six, ['a b c d e f', 'f e d c b a', 'a b c d e', 'a'])).toEqual([3, 2, 1, 1])
  })

  it('prefer objects that match more of several conditions', () => {
    const both: Query = { kind: 'or', of: [any('a', 'b'), any('c', 'd')] }
    const texts = ['a b c d', 'b a d c', 'b a', 'a']
    expect(scores(both, texts)).toEqual([4, 3, 2, 1])
  })

  it('ignore conditions that are negated, and queries without text', () => {
    const negated: Query = { kind: 'not', of: any('a') }
    expect(relevanceTiers(negated)).toEqual([{ query: negated, score: 1 }])
    const everything: Query = { kind: 'everything' }
    expect(relevanceTiers(everything)).toEqual([{ query: everything, score: 1 }])
  })

  it('hold repeated terms once, except in phrases', () => {
    expect(scores(text('phrase', 'a', 'b', 'a'), ['a b a', 'a b'])).toEqual([3, undefined])
  })
})
