import type { TextMatch } from '../../query/query.ts'
import { combine, type SqlCondition } from '../sql/sql-condition.ts'
import type { Alternatives } from '../sql/text-index.ts'
import { lexemeOf } from './lexemes.ts'

/**
 * Conditions on text. The column `lexemes` finds rows through its index; it knows each term once,
 * and only the start of long ones. The column `words` has all terms in order, and decides where
 * that is not enough, and where a text has too many words for an index.
 */

/** Shorter terms are whole in the index. */
const WHOLE_LEXEME_LENGTH = 499

export function textCondition(match: TextMatch, terms: readonly Alternatives[]): SqlCondition {
  const exact = exactSql(match, terms)
  const found = { sql: 'o.lexemes @@ ?::tsquery', values: [lexemeQuery(match, terms)] }
  const unindexed = { sql: 'o.lexemes IS NULL AND o.words IS NOT NULL', values: [] }
  return indexDecides(match, terms)
    ? combine('or', [found, combine('and', [unindexed, exact])])
    : combine('and', [combine('or', [found, unindexed]), exact])
}

/** Whether the index alone can tell: it knows neither the order of terms nor the end of long ones. */
function indexDecides(match: TextMatch, terms: readonly Alternatives[]): boolean {
  const isOneByOne = match === 'anyTerm' || match === 'allTerms' || terms.length === 1
  return isOneByOne && terms.flat().every((term) => term.length < WHOLE_LEXEME_LENGTH)
}

/** Terms hold no ASCII but small letters and digits, so quotes around them are all they need. */
function lexemeQuery(match: TextMatch, terms: readonly Alternatives[]): string {
  const quoted = (term: string) => `'${lexemeOf(term)}'`
  const anyOf = (some: Alternatives) => `(${some.map(quoted).join(' | ')})`
  switch (match) {
    case 'phrase':
      return terms.flat().map(quoted).join(' & ')
    case 'prefix':
      return `${terms.flat().map(quoted).join(' & ')}:*`
    case 'anyTerm':
      return terms.map(anyOf).join(' | ')
    case 'allTerms':
      return terms.map(anyOf).join(' & ')
  }
}

/** By the words as they stand, each between two spaces. */
function exactSql(match: TextMatch, terms: readonly Alternatives[]): SqlCondition {
  switch (match) {
    case 'phrase':
      return holds(` ${terms.flat().join(' ')} `)
    case 'prefix':
      return holds(` ${terms.flat().join(' ')}`)
    case 'anyTerm':
      return combine('or', terms.map(holdsAny))
    case 'allTerms':
      return combine('and', terms.map(holdsAny))
  }
}

function holdsAny(some: Alternatives): SqlCondition {
  return combine(
    'or',
    some.map((term) => holds(` ${term} `)),
  )
}

function holds(part: string): SqlCondition {
  return { sql: 'strpos(o.words, ?) > 0', values: [part] }
}
