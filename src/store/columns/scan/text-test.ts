/** Tests text conditions on the bodies of objects. */
import type { Language } from '../../../ontology/definition/language.ts'
import type { FieldId } from '../../../ontology/values/searchable-values.ts'
import { valuesAt } from '../../../ontology/values/values-at.ts'
import type { AnalysedText } from '../../../query/matching/analyser.ts'
import { STEM_MARK } from '../../../query/matching/stem.ts'
import type { IndexedPhrase, TermCondition } from '../../sql/text/text-condition.ts'
import { cutText, plainTerm, prefixOfTerm, type TermPrefix } from '../../sql/text/text-index.ts'

/** A field with texts, and the prefix that its terms have in conditions. */
interface SearchedField extends FieldId {
  readonly prefix: TermPrefix
  readonly language: Language | undefined
}

/** A text condition, with the fields that it searches. */
interface TextTestQuery {
  readonly condition: TermCondition
  readonly fields: readonly SearchedField[]
}

/** Cuts the texts of one object, each field once. */
type CutField = (prefix: TermPrefix) => readonly AnalysedText[]

/** Returns a function that tests the JSON of a body. */
export function textTest({ condition, fields }: TextTestQuery): (json: string) => boolean {
  const isPossible = joinTests(condition, mayHavePhrase)
  const isMatch = joinTests(condition, hasPhrase)
  const byPrefix = new Map(fields.map((field) => [field.prefix, field]))
  return (json) => {
    if (ASCII.test(json) && !isPossible(json)) return false
    const body = JSON.parse(json) as Readonly<Record<string, unknown>>
    const cut = new Map<TermPrefix, readonly AnalysedText[]>()
    return isMatch((prefix) => {
      const texts = cut.get(prefix) ?? cutField(body, byPrefix.get(prefix))
      cut.set(prefix, texts)
      return texts
    })
  }
}

const ASCII = /^[\0-\x7f]*$/

/** Returns the terms of each text of a field. */
export function cutField(
  body: Readonly<Record<string, unknown>>,
  field: SearchedField | undefined,
): readonly AnalysedText[] {
  if (field === undefined || !Object.hasOwn(body, field.property)) return []
  const values = valuesAt(body[field.property], field.structField)
  return values.map((text) => cutText(String(text), field.language))
}

function joinTests<Tested>(
  condition: TermCondition,
  toTest: (phrase: IndexedPhrase) => (tested: Tested) => boolean,
): (tested: Tested) => boolean {
  if (condition.kind === 'phrase') return toTest(condition)
  const tests = condition.of.map((one) => joinTests(one, toTest))
  return condition.kind === 'and'
    ? (tested) => tests.every((test) => test(tested))
    : (tested) => tests.some((test) => test(tested))
}

/** Decides most bodies in ASCII, many times as fast as cutting their texts. */
function mayHavePhrase({ terms }: IndexedPhrase): (json: string) => boolean {
  const patterns = plainTerms(terms)
    .filter((term) => !term.startsWith(STEM_MARK))
    .map((term) => new RegExp([...term].map(escaped).join(JOINING), 'i'))
  return (json) => patterns.every((pattern) => pattern.test(json))
}

/** Signs that a term without a position leaves out: `e-mail` is also found as `email`. */
const JOINING = "['&.-]*"

function escaped(sign: string): string {
  return /[+#]/.test(sign) ? `\\${sign}` : sign
}

function hasPhrase({ terms, isPrefix }: IndexedPhrase): (cut: CutField) => boolean {
  const prefix = prefixOfTerm(terms[0] ?? '')
  const plain = plainTerms(terms)
  const isLast = (at: number) => at === plain.length - 1
  const isTerm = (at: number, term: string | undefined) => {
    const expected = plain[at] ?? ''
    if (isLast(at) && isPrefix) return term?.startsWith(expected) === true
    return term === expected
  }
  const isAt = (found: readonly string[], from: number) =>
    plain.every((_, at) => isTerm(at, found[from + at]))
  const isWhole = (term: string) => plain.length === 1 && isTerm(0, term)
  return (cut) =>
    cut(prefix).some(
      (text) => text.terms.some((_, from) => isAt(text.terms, from)) || text.wholes.some(isWhole),
    )
}

function plainTerms(terms: readonly string[]): readonly string[] {
  return terms.map((term) => plainTerm(term, prefixOfTerm(term)))
}
