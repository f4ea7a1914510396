/**
 * Stems: what the forms of a term have in common, such as `island` of `islands`, by the Snowball
 * algorithm of a language. Terms are folded first, so accents do not matter.
 *
 * The term index holds the stems that differ from their term. They have no position, so phrases,
 * prefixes and intervals compare terms as they are written.
 */
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as english } from '@orama/stemmers/english'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import type { Language } from '../../ontology/definition/language.ts'

const STEMMERS: Readonly<Record<Language, (term: string) => string>> = {
  dutch,
  english,
  french,
  german,
  italian,
  portuguese,
  spanish,
}

/** Longer terms are not words of a language. */
const MAX_LENGTH = 64

/** Distinguishes stems from terms, of which none begins with it. */
export const STEM_MARK = '~'

export function stemOf(term: string, language: Language): string {
  if (term.length > MAX_LENGTH) return term
  const stem = STEMMERS[language](term)
  return stem === '' ? term : stem
}

/** Returns the indexed stems of the terms of a text. */
export function stemsOf(
  terms: readonly string[],
  language: Language,
  stemmed: typeof stemOf = stemOf,
): string[] {
  return terms.flatMap((term) => {
    const stem = stemmed(term, language)
    return stem === term ? [] : [STEM_MARK + stem]
  })
}

/** Returns indexed terms such that a text has a form of the term exactly if it has one of them. */
export function formsOf(term: string, language: Language): string[] {
  const stem = stemOf(term, language)
  const forms = [term, STEM_MARK + stem]
  // A term that is its own stem has no other entry in the index.
  return stem !== term && stemOf(stem, language) === stem ? [...forms, stem] : forms
}

/** Further stems are not remembered: their terms are unlikely to recur. */
const MAX_REMEMBERED = 50_000

/** Returns a function like `stemOf` that remembers stems, because the same terms recur. */
export function rememberStems(): typeof stemOf {
  const languages = new Map<Language, Map<string, string>>()
  return (term, language) => {
    const known = languages.get(language) ?? new Map<string, string>()
    languages.set(language, known)
    const stem = known.get(term) ?? stemOf(term, language)
    if (known.size < MAX_REMEMBERED) known.set(term, stem)
    return stem
  }
}
