/** Limits the size of a query while it is parsed. */

import { ObjectQueryError } from '../../contract/errors.ts'
import { FUZZY_MAX_TERMS, QUERY_MAX_VALUES } from '../../contract/limits.ts'

/** The limits on a query; each is a setting. */
export interface QueryLimits {
  /** The maximum nesting of and, or and not. */
  readonly maxDepth: number
  /** The maximum number of conditions. */
  readonly maxTerms: number
  /** The maximum length of a text, in UTF-16 code units. */
  readonly maxTextLength: number
}

/** Counts the cost of a query and throws as soon as a limit is exceeded. */
export class QueryBudget {
  readonly #limits: QueryLimits
  #terms = 0
  #fuzzyTerms = 0
  readonly #values: { count: number }

  constructor(limits: QueryLimits, values = { count: 0 }) {
    this.#limits = limits
    this.#values = values
  }

  /**
   * Returns a budget for parsing the same part of the request for another object type: its conditions
   * count once, but parsing its values takes time for each type.
   */
  forNextType(): QueryBudget {
    return new QueryBudget(this.#limits, this.#values)
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

  /** A fuzzy term is compared with every indexed term, so only a few may be fuzzy. */
  spendFuzzyTerms(terms: number): void {
    this.#fuzzyTerms += terms
    if (this.#fuzzyTerms > FUZZY_MAX_TERMS) {
      throw new ObjectQueryError('QueryTermsExceededLimit', {
        termsLimit: FUZZY_MAX_TERMS,
        fuzzy: true,
      })
    }
  }

  spendValues(values: number): void {
    this.#values.count += values
    if (this.#values.count > QUERY_MAX_VALUES) {
      throw new ObjectQueryError('QueryTermsExceededLimit', {
        termsLimit: QUERY_MAX_VALUES,
        reason: 'the values of a filter count once for each object type',
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
