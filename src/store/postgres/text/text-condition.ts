import type { TextMatch } from '../../../query/query.ts'
import { combine, type SqlCondition } from '../../sql/sql-condition.ts'
import type { Alternatives } from '../../sql/text-index.ts'
import { lexemeOf } from './lexemes.ts'

/**
 * Conditions on text. The column `lexemes` finds rows through its index; it knows each term once,
 * and only the start of long ones. The column `words` has all terms in order, and decides where
 * that is not enough, and where a text has too many words for an index.
 */

/** Shorter terms are whole in the index. */
const WHOLE_LEXEME_LENGTH = 499

/** So many surely fit into a tsquery, which holds 1 MB of them. */
const LEXEMES_AT_ONCE = 500

export function textCondition(match: TextMatch, terms: readonly Alternatives[]): SqlCondition {
  const exact = exactSql(match, terms)
  const found = foundSql(match, terms)
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

/** A type with many fields makes many alternatives of each term, and of them several conditions. */
function foundSql(match: TextMatch, terms: readonly Alternatives[]): SqlCondition {
  switch (match) {
    case 'phrase':
      return isFound(allOf(terms.flat()))
    case 'prefix':
      return isFound(`${allOf(terms.flat())}:*`)
    case 'anyTerm':
      return anyIsFound(terms.flat())
    case 'allTerms':
      return combine('and', packed(terms, ({ length }) => length).map(allAreFound))
  }
}

function allAreFound(terms: readonly Alternatives[]): SqlCondition {
  return terms.length === 1
    ? anyIsFound(terms.flat())
    : isFound(terms.map((some) => `(${anyOf(some)})`).join(' & '))
}

function anyIsFound(some: Alternatives): SqlCondition {
  return combine(
    'or',
    packed(some, () => 1).map((part) => isFound(anyOf(part))),
  )
}

/** Neighbours together, as many as a tsquery holds; what is too large is alone. */
function packed<T>(items: readonly T[], sizeOf: (item: T) => number): T[][] {
  const packs: T[][] = []
  let room = 0
  for (const item of items) {
    if (sizeOf(item) > room) {
      packs.push([])
      room = LEXEMES_AT_ONCE
    }
    packs.at(-1)?.push(item)
    room -= sizeOf(item)
  }
  return packs
}

function isFound(lexemeQuery: string): SqlCondition {
  return { sql: 'o.lexemes @@ ?::tsquery', values: [lexemeQuery] }
}

function allOf(terms: readonly string[]): string {
  return terms.map(quotedLexeme).join(' & ')
}

function anyOf(terms: readonly string[]): string {
  return terms.map(quotedLexeme).join(' | ')
}

/** Terms hold no ASCII but small letters and digits, so quotes around them are all they need. */
function quotedLexeme(term: string): string {
  return `'${lexemeOf(term)}'`
}

/** By the words as they stand, each between two spaces. */
function exactSql(match: TextMatch, terms: readonly Alternatives[]): SqlCondition {
  switch (match) {
    case 'phrase':
      return holds(` ${terms.flat().join(' ')} `)
    case 'prefix':
      return holds(` ${terms.flat().join(' ')}`)
    case 'anyTerm':
      return holdsAny(terms.flat())
    case 'allTerms':
      return combine('and', terms.map(holdsAny))
  }
}

/** One value, however many there are: a statement has 65,535 at most. */
function holdsAny(some: Alternatives): SqlCondition {
  const [only = '', ...others] = some
  if (others.length === 0) return holds(` ${only} `)
  return {
    sql: 'EXISTS (SELECT 1 FROM unnest(?::text[]) AS part WHERE strpos(o.words, part) > 0)',
    values: [`{${some.map((term) => `" ${term} "`).join(',')}}`],
  }
}

function holds(part: string): SqlCondition {
  return { sql: 'strpos(o.words, ?) > 0', values: [part] }
}
