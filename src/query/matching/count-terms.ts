import { analyseQuery } from './analyser.ts'
import { termsOf } from './terms.ts'

/** Returns how many terms the text of a query has by the rules of the table that finds the most. */
export function countTerms(written: readonly string[]): number {
  const text = written.join(' ')
  return Math.max(analyseQuery(text).phrase.terms.length, termsOf(text).length)
}
