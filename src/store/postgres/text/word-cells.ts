/** The full-text cells of a row: its lexemes and, where these are not enough, all terms in order. */
import type { Steps } from '../../../ontology/values/steps.ts'
import { indexedTermsInSteps, type NumberedTexts, type TermRules } from '../../sql/text-index.ts'
import { lexemesText, TERM_BORDER, UNINDEXED_LEXEMES, WORDS_DECIDE } from './lexemes.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface TextCells {
  /** Undefined if the object has no text, or if the lexemes describe it. */
  readonly words: string | undefined
  /** Undefined if there is no term. In tables of layout 1, also if there are too many for an index. */
  readonly lexemes: string | undefined
}

export const NO_TEXT: TextCells = { words: undefined, lexemes: undefined }

/** Returns the cells of a row that its words decide, given its lexemes if they fit. */
export function wordCells(words: string, lexemes: string | undefined, rules: TermRules): TextCells {
  if (rules === 'separators') return { words, lexemes }
  return {
    words,
    lexemes: lexemes === undefined ? UNINDEXED_LEXEMES : `${WORDS_DECIDE} ${lexemes}`,
  }
}

export interface LongTextOptions {
  readonly rules: TermRules
  readonly vocabulary: Vocabulary
}

/** Writes the cells of very long texts, in steps. */
export function* longTextCells(
  texts: readonly NumberedTexts[],
  { rules, vocabulary }: LongTextOptions,
): Steps<TextCells> {
  if (texts.length === 0) return NO_TEXT
  const pieces: string[] = []
  const terms = new Set<string>()
  yield* indexedTermsInSteps(texts, rules, (piece) => {
    pieces.push(piece)
    for (const term of piece.split(' ')) if (term !== TERM_BORDER) terms.add(term)
  })
  yield* vocabulary.addInSteps(terms)
  return wordCells(` ${pieces.join(' ')} `, lexemesText(terms), rules)
}
