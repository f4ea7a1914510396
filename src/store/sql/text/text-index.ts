/**
 * Terms as databases index them. The same rules serve every store; databases receive the terms
 * separated by spaces. ASCII punctuation inside a term is mapped to a private range of Unicode, so
 * that no database treats it as a separator or as syntax.
 *
 * Each term is prefixed with the number of its field; a search of all fields lists every prefix.
 */
import type { Language } from '../../../ontology/definition/language.ts'
import type { Steps } from '../../../ontology/pausable-work.ts'
import { type AnalysedText, analyseText, endOfWord } from '../../../query/matching/analyser.ts'
import { rememberStems, stemOf, stemsOf } from '../../../query/matching/stem.ts'

/** Cuts a text into terms. With a language, the stems are among those without a position. */
export function cutText(text: string, language?: Language, stemmed = stemOf): AnalysedText {
  const analysed = analyseText(text)
  if (language === undefined) return analysed
  const { terms, wholes } = analysed
  return { terms, wholes: [...wholes, ...stemsOf(terms, language, stemmed)] }
}

const PRIVATE_RANGE = 0xe000
/** Separates two values, so that no phrase matches across them. */
const TERM_BORDER = '\ue0ff'

/** The prefix of an indexed term, which names its field. */
export type TermPrefix = string

export function fieldPrefix(field: number): TermPrefix {
  return `${field}${escapedTerms(':')}`
}

/** Returns the end of the range of terms with a prefix, exclusive. */
export function endOfPrefix(prefix: TermPrefix): string {
  const last = prefix.charCodeAt(prefix.length - 1)
  return prefix.slice(0, -1) + String.fromCharCode(last + 1)
}

function prefixedTerms(prefix: TermPrefix, terms: readonly string[]): string {
  // No term contains a space, so the terms can be escaped together.
  return `${prefix}${escapedTerms(terms.join(' ')).replaceAll(' ', ` ${prefix}`)}`
}

/** The texts of a field, with its number, and the language in which their terms are stemmed. */
export type NumberedTexts = readonly [
  field: number,
  texts: readonly string[],
  language?: Language | undefined,
]

/** Returns the indexed terms of one object. */
export function indexedTerms(fields: readonly NumberedTexts[]): string {
  const stemmed = rememberStems()
  return fields
    .flatMap(([field, texts, language]) => {
      const prefix = fieldPrefix(field)
      return texts.map((text) => {
        const { terms, wholes } = cutText(text, language, stemmed)
        const first = terms.length === 0 ? [] : [prefixedTerms(prefix, terms)]
        return [...first, TERM_BORDER, ...wholes.map((term) => wholePiece(prefix, term))].join(' ')
      })
    })
    .join(' ')
}

/** Terms without a position follow the text, each between two borders. */
function wholePiece(prefix: TermPrefix, term: string): string {
  return `${indexedTerm(prefix, term)} ${TERM_BORDER}`
}

/** Characters that are cut in one step. */
const STEP_LENGTH = 32 * 1024

/** Does the same in pieces, which form the whole when joined with spaces. */
export function* indexedTermsInSteps(
  fields: readonly NumberedTexts[],
  take: (piece: string) => void,
): Steps<undefined> {
  const stemmed = rememberStems()
  for (const [field, texts, language] of fields) {
    const prefix = fieldPrefix(field)
    for (const text of texts) {
      const pieces: string[] = []
      for (let at = 0; at < text.length; ) {
        const end = endOfWord(text, at + STEP_LENGTH)
        const { terms, wholes } = cutText(text.slice(at, end), language, stemmed)
        if (terms.length > 0) take(prefixedTerms(prefix, terms))
        for (const term of wholes) pieces.push(wholePiece(prefix, term))
        at = end
        yield
      }
      take(TERM_BORDER)
      for (const piece of pieces) take(piece)
    }
  }
}

export function indexedTerm(prefix: TermPrefix, term: string): string {
  return prefix + escapedTerms(term)
}

/** Returns the prefix of an indexed term. */
export function prefixOfTerm(indexed: string): TermPrefix {
  return indexed.slice(0, indexed.indexOf(escapedTerms(':')) + 1)
}

/** Returns an indexed term without its prefix and escapes. */
export function plainTerm(indexed: string, prefix: TermPrefix): string {
  const term = indexed.slice(prefix.length)
  if (PLAIN.test(term)) return term
  return term
    .replaceAll(/[\ue000-\ue07f]/g, (sign) =>
      String.fromCharCode(sign.charCodeAt(0) - PRIVATE_RANGE),
    )
    .replaceAll(/\ue0fe([0-9a-f]{4})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
}

const PLAIN = /^[a-z0-9 \u0080-\udfff\ue100-\uffff]*$/
const ESCAPE = '\ue0fe'

/** Escapes terms that are separated by spaces, so that databases keep each of them whole. */
function escapedTerms(terms: string): string {
  if (PLAIN.test(terms)) return terms
  return terms
    .replaceAll(/[\ue000-\ue0ff]/g, (sign) => ESCAPE + sign.charCodeAt(0).toString(16))
    .replaceAll(/[^a-z0-9 \u0080-\uffff]/g, (sign) =>
      String.fromCharCode(PRIVATE_RANGE + sign.charCodeAt(0)),
    )
}
