import { analyseQuery } from './analyser.ts'

/** Splits the text of a query at white space, in lower case; the analyser goes on from there. */
export function writtenTerms(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== '')
}

/** Returns how many terms the text of a query has. */
export function countTerms(written: readonly string[]): number {
  return analyseQuery(written.join(' ')).phrase.terms.length
}
