/**
 * Full text in PostgreSQL. The words of an object stand in one text, which conditions are tested
 * on; an index over its distinct terms finds the rows worth testing. See sql/text-index.ts for
 * what a term looks like there: it holds no ASCII sign.
 */

/** A longer term is indexed by its beginning, so the index finds too much, never too little. */
const LEXEME_LENGTH = 500
/** PostgreSQL takes a little more; the rows of longer texts are found without the index. */
const LEXEMES_MAX_BYTES = 900_000
/** Between two values, see sql/text-index.ts. */
export const TERM_BORDER = '\ue0ff'

/** A term as the index has it. */
export function lexemeOf(term: string): string {
  if (term.length <= LEXEME_LENGTH) return term
  // Never half of a surrogate pair.
  const isHalf = /[\ud800-\udbff]/.test(term.charAt(LEXEME_LENGTH - 1))
  return term.slice(0, isHalf ? LEXEME_LENGTH - 1 : LEXEME_LENGTH)
}

/** The distinct terms of an object. */
export function distinctTerms(indexedTerms: string): Set<string> {
  const terms = new Set(indexedTerms.split(' '))
  terms.delete(TERM_BORDER)
  return terms
}

/** The text of a tsvector; undefined where it would be too large for one. */
export function lexemesText(terms: ReadonlySet<string>): string | undefined {
  // Each has three more bytes at least: two quotes and a space.
  if (terms.size * 4 > LEXEMES_MAX_BYTES) return undefined
  const text = [...new Set(Array.from(terms, lexemeOf))].map((term) => `'${term}'`).join(' ')
  return Buffer.byteLength(text) > LEXEMES_MAX_BYTES ? undefined : text
}
