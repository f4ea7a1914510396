/**
 * Terms as databases index them. One tokeniser serves every store; databases receive the terms
 * separated by spaces. ASCII punctuation inside a term is mapped to a private range of Unicode, so
 * that no database treats it as a separator or as syntax.
 *
 * Each term is prefixed with the number of its field; a search of all fields lists every prefix.
 */
import type { Steps } from '../../ontology/values/steps.ts'
import { endOfTerm, termsOf } from '../../query/matching/terms.ts'

const PRIVATE_RANGE = 0xe000
/** Separates two values, so that no phrase matches across them. */
export const TERM_BORDER = '\ue0ff'

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

/** The texts of a field, with its number. */
export type NumberedTexts = readonly [field: number, texts: readonly string[]]

/**
 * Returns the indexed terms of one object. It works text by text, not term by term, because this is
 * a large part of the cost of writing objects.
 */
export function indexedTerms(fields: readonly NumberedTexts[]): string {
  return fields
    .flatMap(([field, texts]) => {
      const prefix = fieldPrefix(field)
      return texts.map((text) => {
        const terms = termsOf(text)
        if (terms.length === 0) return TERM_BORDER
        return `${prefixedTerms(prefix, terms)} ${TERM_BORDER}`
      })
    })
    .join(' ')
}

/** Characters that are tokenised in one step. */
const STEP_LENGTH = 32 * 1024

/** Does the same in pieces, which form the whole when joined with spaces. */
export function* indexedTermsInSteps(
  fields: readonly NumberedTexts[],
  take: (piece: string) => void,
): Steps<undefined> {
  for (const [field, texts] of fields) {
    const prefix = fieldPrefix(field)
    for (const text of texts) {
      for (let at = 0; at < text.length; ) {
        const end = endOfTerm(text, at + STEP_LENGTH)
        const terms = termsOf(text.slice(at, end))
        if (terms.length > 0) take(prefixedTerms(prefix, terms))
        at = end
        yield
      }
      take(TERM_BORDER)
    }
  }
}

/** The indexed terms that match one term: one per field and similar spelling. */
export type Alternatives = readonly string[]

export function indexedTerm(prefix: TermPrefix, term: string): string {
  return prefix + escapedTerms(term)
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
