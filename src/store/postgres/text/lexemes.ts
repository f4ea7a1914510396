/**
 * Lexemes for full text in PostgreSQL. The column `lexemes` has the distinct terms of an object with
 * their positions, and its index finds rows; see text-condition.ts. sql/text/text-index.ts defines the form
 * of a term, which contains no ASCII punctuation.
 */

import type { Steps } from '../../../ontology/pausable-work.ts'
import { indexedTerms, indexedTermsInSteps, type NumberedTexts } from '../../sql/text/text-index.ts'
import { CopyBuffer } from '../driver/copy-buffer.ts'
import type { Vocabulary } from './save-terms.ts'

/** PostgreSQL keeps no larger position. */
export const MAX_POSITION = 16_383
/** PostgreSQL keeps no more positions of one lexeme. */
export const MAX_POSITIONS = 255

/** Longer terms are truncated: the index then finds too many rows, never too few. */
export const MAX_LEXEME_LENGTH = 500
/** A little less than PostgreSQL's limit. Rows with more lexemes are not indexed. */
export const MAX_LEXEMES_BYTES = 900_000
/** Separates two values; see sql/text/text-index.ts. */
export const TERM_BORDER = '\ue0ff'
/** The only lexeme of a row that has too many. No term contains this character. */
export const UNINDEXED_LEXEME = TERM_BORDER
/** A lexeme of rows that the column `words` decides. Terms begin with the number of their field. */
export const WORDS_DECIDE = `${TERM_BORDER}words`

/** Ends the text of a lexeme in the binary form of a tsvector. */
export const LEXEME_END = '\0'
/** The number of positions of a lexeme without any, as two bytes. */
const NO_POSITIONS = '\0\0'

/** Returns the indexed form of a term. */
export function lexemeOf(term: string): string {
  if (term.length <= MAX_LEXEME_LENGTH) return term
  // A surrogate pair must not be split.
  const isSplit = /[\ud800-\udbff]/.test(term.charAt(MAX_LEXEME_LENGTH - 1))
  return term.slice(0, isSplit ? MAX_LEXEME_LENGTH - 1 : MAX_LEXEME_LENGTH)
}

/**
 * A tsvector in binary form: the number of its lexemes, then each lexeme with the number of its
 * positions and these. PostgreSQL sorts the lexemes, but does not remove duplicates, so each one must
 * be written once.
 */
export type Lexemes = Uint8Array

/** Returns lexemes without positions; undefined if they would be too large. */
function lexemesOf(terms: ReadonlySet<string>): Lexemes | undefined {
  const distinct = new Set<string>()
  let minBytes = 0
  for (const term of terms) {
    const lexeme = lexemeOf(term)
    distinct.add(lexeme)
    // UTF-8 takes at least one byte for each UTF-16 code unit; the end and the number take three.
    minBytes += lexeme.length + 3
    if (minBytes > MAX_LEXEMES_BYTES) return undefined
  }
  const buffer = new CopyBuffer()
  buffer.addInt32(distinct.size)
  // There can be very many, so all are encoded in one call.
  buffer.addUtf8([...distinct, ''].join(LEXEME_END + NO_POSITIONS))
  return buffer.length <= MAX_LEXEMES_BYTES ? buffer.bytes() : undefined
}

/** The full-text cells of a row: its lexemes and, where these are not enough, all terms in order. */

export interface TextCells {
  /** Undefined if the object has no text, or if the lexemes describe it. */
  readonly words: string | undefined
  /** Undefined if the object has no text. */
  readonly lexemes: Lexemes | undefined
}

export const NO_TEXT: TextCells = { words: undefined, lexemes: undefined }

/** Writes the cells of a row that its words decide. */
export function wordCells(texts: readonly NumberedTexts[], vocabulary: Vocabulary): TextCells {
  const words = indexedTerms(texts)
  const terms = new Set<string>()
  addTerms(terms, words)
  for (const term of terms) vocabulary.add(term)
  return cellsOf(words, terms)
}

/** Does the same for very long texts, in steps. */
export function* longTextCells(
  texts: readonly NumberedTexts[],
  vocabulary: Vocabulary,
): Steps<TextCells> {
  if (texts.length === 0) return NO_TEXT
  const pieces: string[] = []
  const terms = new Set<string>()
  yield* indexedTermsInSteps(texts, (piece) => {
    pieces.push(piece)
    addTerms(terms, piece)
  })
  yield* vocabulary.addInSteps(terms)
  return cellsOf(pieces.join(' '), terms)
}

function addTerms(terms: Set<string>, words: string): void {
  for (const term of words.split(' ')) if (term !== TERM_BORDER && term !== '') terms.add(term)
}

function cellsOf(terms: string, distinct: Set<string>): TextCells {
  distinct.add(WORDS_DECIDE)
  return {
    words: ` ${terms} `,
    lexemes: lexemesOf(distinct) ?? lexemesOf(new Set([UNINDEXED_LEXEME])),
  }
}
