/**
 * Tests texts for terms in SQL, exactly as `termsOf` cuts them. No table keeps the terms of a text in
 * order, so that a condition on their order tests the text itself.
 */
import type { SqlCondition } from '../../sql/sql-condition.ts'
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
  return { sql: `${text} ~ ?`, values: [phraseExpression(phrase)] }
}

/** Tests whether a text contains one of several terms. */
export function hasAnyTerm(text: string, terms: readonly string[]): SqlCondition {
  const separated = separatedTerms(text, terms)
  return {
    sql: `string_to_array(${separated.sql}, ' ') && ?::text[]`,
    // Terms contain no quotes, and a backslash is escaped.
    values: [...separated.values, `{${terms.map(quotedElement).join(',')}}`],
  }
}

function quotedElement(term: string): string {
  return `"${term.replaceAll('\\', '\\\\')}"`
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
