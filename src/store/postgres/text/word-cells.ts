/** The full-text cells of a row: the distinct terms and, in tables of layout 1, all terms in order. */
import { finishInTurns } from '../../../ontology/values/steps.ts'
import { indexedTermsInSteps, type NumberedTexts } from '../../sql/text-index.ts'
import { lexemesText, TERM_BORDER, UNINDEXED_LEXEMES } from './lexemes.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface TextCells {
  /** Undefined if the object has no text, or if the table does not keep words. */
  readonly words: string | undefined
  /** Undefined if there is no term. Where words are kept, also if there are too many for an index. */
  readonly lexemes: string | undefined
}

export const NO_TEXT: TextCells = { words: undefined, lexemes: undefined }

/** Returns the cells of a table, given the lexemes if they fit. */
export function textCells(words: string | undefined, lexemes: string | undefined): TextCells {
  if (words !== undefined) return { words, lexemes }
  return { words, lexemes: lexemes === '' ? undefined : (lexemes ?? UNINDEXED_LEXEMES) }
}

export interface LongTextOptions {
  readonly keepsWords: boolean
  readonly vocabulary: Vocabulary
  readonly nextTurn: () => Promise<unknown>
}

/** Writes the cells of very long texts, and yields to other work of the event loop. */
export async function longTextCells(
  texts: readonly NumberedTexts[],
  { keepsWords, vocabulary, nextTurn }: LongTextOptions,
): Promise<TextCells> {
  if (texts.length === 0) return NO_TEXT
  const pieces: string[] = []
  const terms = new Set<string>()
  const steps = indexedTermsInSteps(texts, (piece) => {
    if (keepsWords) pieces.push(piece)
    for (const term of piece.split(' ')) if (term !== TERM_BORDER) terms.add(term)
  })
  await finishInTurns(steps, nextTurn)
  await vocabulary.addInTurns(terms, nextTurn)
  return textCells(keepsWords ? ` ${pieces.join(' ')} ` : undefined, lexemesText(terms))
}
