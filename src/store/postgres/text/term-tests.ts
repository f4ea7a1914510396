/**
 * Tests texts for terms in SQL, exactly as `termsOf` cuts them. No table keeps the terms of a text in
 * order, so that a condition on their order tests the text itself.
 */
import type { SqlCondition } from '../../sql/sql-condition.ts'
import { arrayText } from '../catalogue/column-codec.ts'
import { DOTTED_CAPITAL_I, DOTTED_SMALL_I, formsOf } from './letter-forms.ts'

/** Terms that follow each other in a text. */
export interface Phrase {
  readonly terms: readonly string[]
  /** Whether the last term is only the beginning of one. */
  readonly isPrefix: boolean
}

/** A longer phrase is searched for as a text: compiling its expression would take too long. */
const MAX_EXPRESSION_TERMS_LENGTH = 500

/** The same characters as in `termsOf`, as the database spells them. */
const SEPARATOR = separatorClass()
/** A lone period is not a term. */
const BETWEEN_TERMS = `${SEPARATOR}+(?:\\.${SEPARATOR}+)*`

function separatorClass(): string {
  const ascii = '?!,:;-[](){}\'"~\t\n\v\f\r '
  const spaces = '\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'
  const range = `${spelled('\u2000')}-${spelled('\u200a')}`
  return `[${[...ascii, ...spaces].map(spelled).join('')}${range}]`
}

function spelled(character: string): string {
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`
}

/** Tests whether a text contains a phrase. */
export function hasPhrase(text: string, phrase: Phrase): SqlCondition {
  const { terms, isPrefix } = phrase
  const spaced = ` ${terms.join(' ')}${isPrefix ? '' : ' '}`
  if (spaced.length > MAX_EXPRESSION_TERMS_LENGTH) {
    const separated = separatedTerms(text, terms)
    return { sql: `strpos(${separated.sql}, ?) > 0`, values: [...separated.values, spaced] }
  }
  // Texts that do not even have the terms in this order are told in a third of the time.
  return {
    sql: `(${text} ILIKE ? AND ${text} ~ ?)`,
    values: [orderPattern(terms), phraseExpression(phrase)],
  }
}

/** Letters and digits that no character beyond ASCII becomes in lower case. */
const ASCII_ONLY = /[a-hjl-z0-9]/

/** Returns a pattern of all texts that contain the terms in this order, and of some others. */
function orderPattern(terms: readonly string[]): string {
  const patterns = terms.map((term) =>
    Array.from(term, (one) => {
      if (ASCII_ONLY.test(one)) return one
      // A single character may become an `i` with a dot.
      return one === '\u0307' ? '%' : '_'
    }).join(''),
  )
  return `%${patterns.join('%')}%`
}

/** Tests whether a text contains one of several terms. */
export function hasAnyTerm(text: string, terms: readonly string[]): SqlCondition {
  return compareTerms(text, '&&', terms)
}

/** Tests whether a text contains all of several terms. */
export function hasTerms(text: string, terms: readonly string[]): SqlCondition {
  return compareTerms(text, '@>', terms)
}

function compareTerms(text: string, operator: string, terms: readonly string[]): SqlCondition {
  const separated = separatedTerms(text, terms)
  return {
    sql: `string_to_array(${separated.sql}, ' ') ${operator} ?::text[]`,
    values: [...separated.values, arrayText('text', terms)],
  }
}

/**
 * Returns a text as its terms between spaces. Only characters that the given terms contain are
 * converted to lower case: no other term is looked for.
 */
export function separatedTerms(text: string, terms: readonly string[]): SqlCondition {
  const searched = new Set(terms.flatMap((term) => [...term]))
  const pairs = [...searched].flatMap((to) =>
    formsOf(to)
      .filter((from) => from > '\u007f')
      .map((from) => [from, to] as const),
  )
  return {
    // In the collation "C", only letters of ASCII have two cases.
    sql: `regexp_replace(' ' || translate(replace(lower(${text} COLLATE "C"), ?, ?), ?, ?) || ' ',
      ?, ' ', 'g')`,
    values: [
      DOTTED_CAPITAL_I,
      DOTTED_SMALL_I,
      pairs.map(([from]) => from).join(''),
      pairs.map(([, to]) => to).join(''),
      BETWEEN_TERMS,
    ],
  }
}

function phraseExpression({ terms, isPrefix }: Phrase): string {
  const last = terms.length - 1
  const written = terms.map((term, at) => termExpression(term, isPrefix && at === last))
  const end = isPrefix ? '' : `(?:${SEPARATOR}|$)`
  return `(?:^|${SEPARATOR})${written.join(BETWEEN_TERMS)}${end}`
}

function termExpression(term: string, isPrefix: boolean): string {
  const characters = [...term]
  let expression = ''
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? ''
    const classOf = (...others: readonly string[]) =>
      `[${[character, ...formsOf(character), ...others].map(spelled).join('')}]`
    const next = characters[at + 1]
    if (character === 'i' && next === '\u0307') {
      expression += `(?:${classOf()}${spelled(next)}|${spelled(DOTTED_CAPITAL_I)})`
      at += 1
    } else {
      const isLast = isPrefix && next === undefined
      expression += character === 'i' && isLast ? classOf(DOTTED_CAPITAL_I) : classOf()
    }
  }
  return expression
}
