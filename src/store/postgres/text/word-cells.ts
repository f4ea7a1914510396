/** The full-text cells of a row: its lexemes and, where these are not enough, all terms in order. */
import type { Steps } from '../../../ontology/steps.ts'
import { indexedTerms, indexedTermsInSteps, type NumberedTexts } from '../../sql/text/text-index.ts'
import { type Lexemes, lexemesOf, TERM_BORDER, UNINDEXED_LEXEME, WORDS_DECIDE } from './lexemes.ts'
import type { Vocabulary } from './vocabulary.ts'

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
