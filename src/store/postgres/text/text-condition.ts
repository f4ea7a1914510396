/**
 * Conditions on text. The index of the column `lexemes` finds rows; it has each term once, and long
 * terms truncated. The column `words` has all terms in order, and decides the other conditions and
 * the rows that have too many terms for the index.
 */
import type { TextMatch } from '../../../query/query.ts'
import { combine, type SqlCondition } from '../../sql/sql-condition.ts'
import type { Alternatives } from '../../sql/text-index.ts'
import { lexemeOf } from './lexemes.ts'

/** Terms below this length are not truncated in the index. */
const WHOLE_LEXEME_LENGTH = 499

/** As many lexemes as always fit into a tsquery, whose limit is 1 MB. */
const LEXEMES_PER_QUERY = 500

export function textCondition(match: TextMatch, terms: readonly Alternatives[]): SqlCondition {
  const exact = exactSql(match, terms)
  const indexed = indexedSql(match, terms)
  const unindexed = { sql: 'o.lexemes IS NULL AND o.words IS NOT NULL', values: [] }
  return isDecidedByIndex(match, terms)
    ? combine('or', [indexed, combine('and', [unindexed, exact])])
    : combine('and', [combine('or', [indexed, unindexed]), exact])
}

/** True if the index decides: it has neither the order of terms nor the end of long ones. */
function isDecidedByIndex(match: TextMatch, terms: readonly Alternatives[]): boolean {
  const ignoresOrder = match === 'anyTerm' || match === 'allTerms' || terms.length === 1
  return ignoresOrder && terms.flat().every((term) => term.length < WHOLE_LEXEME_LENGTH)
}

/** A type with many fields has many alternatives per term, which may take several conditions. */
function indexedSql(match: TextMatch, terms: readonly Alternatives[]): SqlCondition {
  switch (match) {
    case 'phrase':
      return hasLexemes(allOf(terms.flat()))
    case 'prefix':
      return hasLexemes(`${allOf(terms.flat())}:*`)
    case 'anyTerm':
      return hasAnyTerm(terms.flat())
    case 'allTerms':
      return combine('and', packed(terms, ({ length }) => length).map(hasAllTerms))
  }
}

function hasAllTerms(terms: readonly Alternatives[]): SqlCondition {
  return terms.length === 1
    ? hasAnyTerm(terms.flat())
    : hasLexemes(terms.map((some) => `(${anyOf(some)})`).join(' & '))
}

function hasAnyTerm(some: Alternatives): SqlCondition {
  return combine(
    'or',
    packed(some, () => 1).map((part) => hasLexemes(anyOf(part))),
  )
}

/** Packs neighbours together, up to the limit of a tsquery; a larger item stays alone. */
function packed<T>(items: readonly T[], sizeOf: (item: T) => number): T[][] {
  const packs: T[][] = []
  let room = 0
  for (const item of items) {
    if (sizeOf(item) > room) {
      packs.push([])
      room = LEXEMES_PER_QUERY
    }
    packs.at(-1)?.push(item)
    room -= sizeOf(item)
  }
  return packs
}

function hasLexemes(lexemeQuery: string): SqlCondition {
  return { sql: 'o.lexemes @@ ?::tsquery', values: [lexemeQuery] }
}

function allOf(terms: readonly string[]): string {
  return terms.map(quotedLexeme).join(' & ')
}

function anyOf(terms: readonly string[]): string {
  return terms.map(quotedLexeme).join(' | ')
}

/** The only ASCII characters of a term are lower-case letters and digits, so quotes are enough. */
function quotedLexeme(term: string): string {
  return `'${lexemeOf(term)}'`
}

/** Searches the text of all terms, each between two spaces. */
function exactSql(match: TextMatch, terms: readonly Alternatives[]): SqlCondition {
  switch (match) {
    case 'phrase':
      return contains(` ${terms.flat().join(' ')} `)
    case 'prefix':
      return contains(` ${terms.flat().join(' ')}`)
    case 'anyTerm':
      return containsAny(terms.flat())
    case 'allTerms':
      return combine('and', terms.map(containsAny))
  }
}

/** Binds all alternatives as one value, because a statement has at most 65,535. */
function containsAny(some: Alternatives): SqlCondition {
  const [only = '', ...others] = some
  if (others.length === 0) return contains(` ${only} `)
  return {
    sql: 'EXISTS (SELECT 1 FROM unnest(?::text[]) AS part WHERE strpos(o.words, part) > 0)',
    values: [`{${some.map((term) => `" ${term} "`).join(',')}}`],
  }
}

function contains(part: string): SqlCondition {
  return { sql: 'strpos(o.words, ?) > 0', values: [part] }
}
