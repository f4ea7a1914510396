import type { Steps } from '../../ontology/values/steps.ts'
import { endOfTerm, termsOf } from '../../query/matching/terms.ts'

/**
 * The terms of texts as databases index them. They are cut by our own tokeniser, the same for every
 * store; the database sees them one by one, divided by spaces. ASCII signs inside a term are moved
 * to a private range of Unicode, so that nothing takes them for a border, or for syntax.
 *
 * Each term stands behind the number of its field; anywhere means in any of the fields of a type.
 */

const PRIVATE_RANGE = 0xe000
/** Between two values, so that no phrase runs from one into the next. */
const BORDER = '\ue0ff'

/** What stands before a term: in which field it occurs. */
export type TermPrefix = string

export function fieldPrefix(field: number): TermPrefix {
  return `${field}${protectedTerms(':')}`
}

/** What sorts behind every term with the prefix, and before everything else. */
export function behindPrefix(prefix: TermPrefix): string {
  const last = prefix.charCodeAt(prefix.length - 1)
  return prefix.slice(0, -1) + String.fromCharCode(last + 1)
}

function prefixedTerms(prefix: TermPrefix, terms: readonly string[]): string {
  // No term holds a space, so what stands between two terms is known when all are protected.
  return `${prefix}${protectedTerms(terms.join(' ')).replaceAll(' ', ` ${prefix}`)}`
}

/** Texts, with the number of the field that they stand in. */
export type NumberedTexts = readonly [field: number, texts: readonly string[]]

/**
 * The terms of one object, as they are indexed. Text by text, not term by term: writing objects
 * spends much of its time here.
 */
export function indexedTerms(fields: readonly NumberedTexts[]): string {
  return fields
    .flatMap(([field, texts]) => {
      const prefix = fieldPrefix(field)
      return texts.map((text) => {
        const terms = termsOf(text)
        if (terms.length === 0) return BORDER
        return `${prefixedTerms(prefix, terms)} ${BORDER}`
      })
    })
    .join(' ')
}

/** Characters of a text whose terms are cut in one step. */
const STEP_LENGTH = 32 * 1024

/** The same in pieces, which make up the whole with a space between each two. */
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
      take(BORDER)
    }
  }
}

/** A term as it may be found: in one of several fields, or in one of several spellings. */
export type Alternatives = readonly string[]

export function indexedTerm(prefix: TermPrefix, term: string): string {
  return prefix + protectedTerms(term)
}

/** The term behind the number of its field, as people wrote it. */
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

/** Terms with spaces between, as databases take them: each whole, whatever it holds. */
function protectedTerms(terms: string): string {
  if (PLAIN.test(terms)) return terms
  return terms
    .replaceAll(/[\ue000-\ue0ff]/g, (sign) => ESCAPE + sign.charCodeAt(0).toString(16))
    .replaceAll(/[^a-z0-9 \u0080-\uffff]/g, (sign) =>
      String.fromCharCode(PRIVATE_RANGE + sign.charCodeAt(0)),
    )
}
