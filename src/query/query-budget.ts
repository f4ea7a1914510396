import { ObjectQueryError } from '../contract/errors.ts'
import { FUZZY_MAX_TERMS } from '../contract/limits.ts'

/** What a query may cost; each limit is a setting. */
export interface QueryLimits {
  /** How deep and, or and not may be nested. */
  readonly maxDepth: number
  /** How many conditions a query may have. */
  readonly maxTerms: number
  /** How many characters a text in a query may have. */
  readonly maxTextLength: number
}

/** Counts what a query costs while it is read, and refuses it at the first excess. */
export class QueryBudget {
  readonly #limits: QueryLimits
  #terms = 0
  #fuzzyTerms = 0

  constructor(limits: QueryLimits) {
    this.#limits = limits
  }

  checkDepth(depth: number): void {
    const { maxDepth } = this.#limits
    if (depth > maxDepth) {
      throw new ObjectQueryError('QueryDepthExceededLimit', { depth, depthLimit: maxDepth })
    }
  }

  spendTerms(terms: number): void {
    this.#terms += terms
    const { maxTerms } = this.#limits
    if (this.#terms > maxTerms) {
      throw new ObjectQueryError('QueryTermsExceededLimit', { termsLimit: maxTerms })
    }
  }

  /** A fuzzy term is compared with every word there is, so only few terms may be fuzzy. */
  spendFuzzyTerms(terms: number): void {
    this.#fuzzyTerms += terms
    if (this.#fuzzyTerms > FUZZY_MAX_TERMS) {
      throw new ObjectQueryError('QueryTermsExceededLimit', {
        termsLimit: FUZZY_MAX_TERMS,
        fuzzy: true,
      })
    }
  }

  checkText(field: string, text: string): void {
    const { maxTextLength } = this.#limits
    if (text.length > maxTextLength) {
      throw new ObjectQueryError('QueryTextExceededLimit', { field, lengthLimit: maxTextLength })
    }
  }
}
