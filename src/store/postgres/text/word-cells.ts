/** The full-text cells of a row: all terms in order, and the distinct ones. */
import type { Steps } from '../../../ontology/values/steps.ts'
import { indexedTermsInSteps, type NumberedTexts } from '../../sql/text-index.ts'
import { lexemesText, TERM_BORDER } from './lexemes.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface TextCells {
  /** Undefined if the object has no text. */
  readonly words: string | undefined
  /** Undefined if there is no text, or too much for an index. */
  readonly lexemes: string | undefined
}

export const NO_WORDS: TextCells = { words: undefined, lexemes: undefined }

/** Writes the cells of very long texts, in steps. */
export function* longTextCells(
  texts: readonly NumberedTexts[],
  vocabulary: Vocabulary,
): Steps<TextCells> {
  const pieces: string[] = []
  const terms = new Set<string>()
  yield* indexedTermsInSteps(texts, (piece) => {
    pieces.push(piece)
    for (const term of piece.split(' ')) if (term !== TERM_BORDER) terms.add(term)
  })
  yield* vocabulary.addInSteps(terms)
  return { words: ` ${pieces.join(' ')} `, lexemes: lexemesText(terms) }
}
