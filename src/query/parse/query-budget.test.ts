import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/support/parsed-queries.ts'
import { QueryBudget } from './query-budget.ts'

const LIMITS = { maxDepth: 3, maxTerms: 5, maxTextLength: 4 }
const terms = (termsLimit: number) => failure('QueryTermsExceededLimit', { termsLimit })

describe('the budget of a query', () => {
  it('allows terms up to its limit, added up', () => {
    const budget = new QueryBudget(LIMITS)
    budget.spendTerms(3)
    budget.spendTerms(2)
    expect(() => budget.spendTerms(1)).toThrow(terms(5))
  })

  it('allows ten fuzzy terms', () => {
    const budget = new QueryBudget(LIMITS)
    budget.spendFuzzyTerms(4)
    budget.spendFuzzyTerms(6)
    expect(() => budget.spendFuzzyTerms(1)).toThrow(
      failure('QueryTermsExceededLimit', { termsLimit: 10, fuzzy: true }),
    )
  })

  it('counts the values for each object type, and everything else once', () => {
    const budget = new QueryBudget(LIMITS)
    budget.spendTerms(5)
    budget.spendFuzzyTerms(10)
    budget.spendValues(24_999)
    const next = budget.forNextType()
    next.spendTerms(5)
    next.spendFuzzyTerms(10)
    next.spendValues(1)
    expect(() => next.spendTerms(1)).toThrow(terms(5))
    expect(() => next.spendValues(1)).toThrow(
      failure('QueryTermsExceededLimit', {
        termsLimit: 25_000,
        reason: 'the values of a filter count once for each object type',
      }),
    )
  })

  it('allows a depth and a length up to their limits', () => {
    const budget = new QueryBudget(LIMITS)
    budget.checkDepth(3)
    expect(() => budget.checkDepth(4)).toThrow(
      failure('QueryDepthExceededLimit', { depth: 4, depthLimit: 3 }),
    )
    budget.checkText('name', 'abcd')
    expect(() => budget.checkText('name', 'abcde')).toThrow(
      failure('QueryTextExceededLimit', { field: 'name', lengthLimit: 4 }),
    )
  })
})
