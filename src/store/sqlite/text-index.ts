import type { SearchableText } from '../../ontology/searchable-values.ts'
import type { TextMatch } from '../../query/query.ts'
import { termsOf } from '../../query/terms.ts'
import type { FieldNumbers } from './field-numbers.ts'

/**
 * Full text in FTS5. The terms are cut by our own tokeniser, the same for every store; FTS5 sees
 * them one by one, divided by spaces. Its own tokeniser `ascii` keeps a term whole because ASCII
 * signs inside a term are moved to a private range of Unicode.
 *
 * Each term stands there twice: in `by_field` behind the number of its field, in `anywhere` bare.
 */

const PRIVATE_RANGE = 0xe000
/** Between two values, so that no phrase runs from one into the next. */
const BORDER = '\ue0ff'

/** The two columns of the index for one object. */
export function textColumns(
  texts: readonly SearchableText[],
  numbers: FieldNumbers,
): readonly [byField: string, anywhere: string] {
  const byField: string[] = []
  const anywhere: string[] = []
  for (const text of texts) {
    const terms = termsOf(text.text).map(protectedTerm)
    const number = numbers.of(text)
    byField.push(...terms.map((term) => fieldTerm(number, term)), BORDER)
    anywhere.push(...terms, BORDER)
  }
  return [byField.join(' '), anywhere.join(' ')]
}

/** A condition in the query language of FTS5; `alternatives` holds, for each term, what may stand for it. */
export function matchExpression(
  match: TextMatch,
  alternatives: readonly (readonly string[])[],
  field: number | undefined,
): string {
  const written = alternatives.map((terms) =>
    terms.map((term) => {
      const safe = protectedTerm(term)
      return field === undefined ? safe : fieldTerm(field, safe)
    }),
  )
  const column = field === undefined ? 'anywhere' : 'by_field'
  return `${column} : (${expression(match, written)})`
}

function expression(match: TextMatch, terms: readonly (readonly string[])[]): string {
  const anyOf = (some: readonly string[]) => `(${some.map((term) => `"${term}"`).join(' OR ')})`
  switch (match) {
    case 'phrase':
      return `"${terms.flat().join(' ')}"`
    case 'prefix':
      return `"${terms.flat().join(' ')}" *`
    case 'anyTerm':
      return terms.map(anyOf).join(' OR ')
    case 'allTerms':
      return terms.map(anyOf).join(' AND ')
  }
}

/** The terms of the vocabulary that belong to a field: how they begin. */
export function fieldPrefix(field: number | undefined): string {
  return field === undefined ? '' : fieldTerm(field, '')
}

/** The term behind the number of its field, as people wrote it. */
export function plainTerm(indexed: string, prefix: string): string {
  return [...indexed.slice(prefix.length)]
    .map((character) => {
      const code = character.charCodeAt(0) - PRIVATE_RANGE
      return code >= 0 && code < 0x80 ? String.fromCharCode(code) : character
    })
    .join('')
}

function fieldTerm(field: number, term: string): string {
  return `${field}${protectedTerm(':')}${term}`
}

function protectedTerm(term: string): string {
  return term.replaceAll(/[^a-z0-9\u0080-\uffff]/g, (sign) =>
    String.fromCharCode(PRIVATE_RANGE + sign.charCodeAt(0)),
  )
}
