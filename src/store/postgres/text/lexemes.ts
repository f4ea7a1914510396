/**
 * Lexemes for full text in PostgreSQL. The column `lexemes` has the distinct terms of an object with
 * their positions, and its index finds rows; see text-condition.ts. sql/text-index.ts defines the form
 * of a term, which contains no ASCII punctuation.
 */

/** PostgreSQL keeps no larger position. */
export const MAX_POSITION = 16_383
/** PostgreSQL keeps no more positions of one lexeme. */
export const MAX_POSITIONS = 255

/** Longer terms are truncated: the index then finds too many rows, never too few. */
export const MAX_LEXEME_LENGTH = 500
/** A little less than PostgreSQL's limit. Rows with more lexemes are not indexed. */
const MAX_LEXEMES_BYTES = 900_000
/** Separates two values; see sql/text-index.ts. */
export const TERM_BORDER = '\ue0ff'
/** The lexemes of a row that has too many. No term contains this character. */
export const UNINDEXED_LEXEMES = `'${TERM_BORDER}'`

/** A lexeme of rows that the column `words` decides. Terms begin with the number of their field. */
export const WORDS_DECIDE = `'${TERM_BORDER}words'`

/** Returns the indexed form of a term. */
export function lexemeOf(term: string): string {
  if (term.length <= MAX_LEXEME_LENGTH) return term
  // A surrogate pair must not be split.
  const isSplit = /[\ud800-\udbff]/.test(term.charAt(MAX_LEXEME_LENGTH - 1))
  return term.slice(0, isSplit ? MAX_LEXEME_LENGTH - 1 : MAX_LEXEME_LENGTH)
}

/** Returns the text of a tsvector, or undefined if it would be too large. */
export function lexemesText(terms: ReadonlySet<string>): string | undefined {
  // Each lexeme has at least one byte, two quotes and a space.
  if (terms.size * 4 > MAX_LEXEMES_BYTES) return undefined
  const text = [...new Set(Array.from(terms, lexemeOf))].map((term) => `'${term}'`).join(' ')
  return withinLimit(text)
}

/** Returns the text of a tsvector, or undefined if it is too large. */
export function withinLimit(text: string): string | undefined {
  // UTF-8 takes at most three bytes for each UTF-16 code unit.
  const isSmall = 3 * text.length <= MAX_LEXEMES_BYTES
  return isSmall || Buffer.byteLength(text) <= MAX_LEXEMES_BYTES ? text : undefined
}
