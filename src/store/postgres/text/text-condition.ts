/**
 * Conditions on text. The index of the column `lexemes` finds rows, and the positions of lexemes
 * decide phrases. The column `words` has all terms in order, and decides for rows that lexemes cannot
 * describe.
 */
import { combine, type SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { IndexedPhrase, TermCondition } from '../../sql/text/text-condition.ts'
import { prefixOfTerm } from '../../sql/text/text-index.ts'
import { lexemeOf, UNINDEXED_LEXEME, WORDS_DECIDE } from './lexemes.ts'

/** Terms below this length are not truncated in the index. */
const WHOLE_LEXEME_LENGTH = 499

/** As many lexemes as always fit into a tsquery, whose limit is 1 MB. */
const LEXEMES_PER_QUERY = 500

export function textSql(condition: TermCondition): SqlCondition {
  const candidates = lexemesSql(condition, ' & ')
  const exact = wordsSql(condition)
  if (isDecidedByLexemes(condition)) {
    return combine('or', [candidates, combine('and', [UNINDEXED_ROWS, exact])])
  }
  const byWords = combine('and', [candidates, hasLexemes(quotedLexeme(WORDS_DECIDE))])
  return combine('or', [
    combine('and', [placedSql(condition), { sql: 'o.words IS NULL', values: [] }]),
    combine('and', [combine('or', [byWords, UNINDEXED_ROWS]), exact]),
  ])
}

/** Selects the rows that have too many terms for the index. */
export const UNINDEXED_ROWS = hasLexemes(quotedLexeme(UNINDEXED_LEXEME))

/** True if neither the order of terms matters nor the end of long ones. */
function isDecidedByLexemes(condition: TermCondition): boolean {
  if (condition.kind !== 'phrase') return condition.of.every(isDecidedByLexemes)
  const [term = '', ...others] = condition.terms
  return others.length === 0 && term.length < WHOLE_LEXEME_LENGTH
}

/** Decides by the positions of lexemes. */
function placedSql(condition: TermCondition): SqlCondition {
  if (!hasPrefixPhrase(condition)) return lexemesSql(condition, ' <-> ')
  const of = condition.kind === 'phrase' ? [condition] : condition.of
  const phrases = of.filter((one) => one.kind === 'phrase')
  if (condition.kind === 'and' || phrases.length < of.length) {
    return combine(condition.kind === 'and' ? 'and' : 'or', of.map(placedSql))
  }
  // PostgreSQL finds no phrase in a row in which the prefix also matches a lexeme without a position.
  return combine('and', [
    lexemesSql(condition, ' & '),
    combine('or', [lexemesSql(condition, ' <-> '), textsContainAny(phrases)]),
  ])
}

function hasPrefixPhrase(condition: TermCondition): boolean {
  if (condition.kind !== 'phrase') return condition.of.some(hasPrefixPhrase)
  return condition.isPrefix && condition.terms.length > 1
}

/** Searches the texts that the positions of lexemes describe. */
function textsContainAny(phrases: readonly IndexedPhrase[]): SqlCondition {
  return {
    sql: `EXISTS (
      SELECT 1 FROM unnest(?::text[], ?::text[]) AS phrase (prefix, part),
        oqs_texts(o.lexemes, phrase.prefix) AS listed (text)
      WHERE strpos(listed.text, phrase.part) > 0)`,
    values: [
      arrayOf(phrases.map(({ terms: [first = ''] }) => prefixOfTerm(first))),
      arrayOf(phrases.map(spaced)),
    ],
  }
}

type PhraseOperator = ' & ' | ' <-> '

/** A type with many fields has many alternatives per term, which may take several conditions. */
function lexemesSql(condition: TermCondition, operator: PhraseOperator): SqlCondition {
  if (condition.kind === 'phrase' || sizeOf(condition) <= LEXEMES_PER_QUERY) {
    return hasLexemes(lexemeQuery(condition, operator))
  }
  const { kind, of } = condition
  return combine(
    kind,
    packed(of).map((pack) => {
      const [only, ...others] = pack
      return lexemesSql(
        only !== undefined && others.length === 0 ? only : { kind, of: pack },
        operator,
      )
    }),
  )
}

function lexemeQuery(condition: TermCondition, operator: PhraseOperator): string {
  if (condition.kind === 'phrase') {
    const { terms, isPrefix } = condition
    return `(${terms.map(quotedLexeme).join(operator)}${isPrefix ? ':*' : ''})`
  }
  const parts = condition.of.map((one) => lexemeQuery(one, operator))
  return `(${parts.join(condition.kind === 'and' ? ' & ' : ' | ')})`
}

function sizeOf(condition: TermCondition): number {
  if (condition.kind === 'phrase') return condition.terms.length
  return condition.of.reduce((sum, one) => sum + sizeOf(one), 0)
}

/** Packs neighbours together, up to the limit of a tsquery; a larger condition stays alone. */
function packed(conditions: readonly TermCondition[]): TermCondition[][] {
  const packs: TermCondition[][] = []
  let room = 0
  for (const condition of conditions) {
    const size = sizeOf(condition)
    if (size > room) {
      packs.push([])
      room = LEXEMES_PER_QUERY
    }
    packs.at(-1)?.push(condition)
    room -= size
  }
  return packs
}

function hasLexemes(query: string): SqlCondition {
  return { sql: 'o.lexemes @@ ?::tsquery', values: [query] }
}

/** The only ASCII characters of a term are lower-case letters and digits, so quotes are enough. */
function quotedLexeme(term: string): string {
  return `'${lexemeOf(term)}'`
}

/** Searches the text of all terms, each between two spaces. */
function wordsSql(condition: TermCondition): SqlCondition {
  if (condition.kind === 'phrase') return contains(condition)
  const { kind, of } = condition
  const phrases = of.filter((one) => one.kind === 'phrase')
  if (kind === 'or' && phrases.length === of.length) return containsAny(phrases)
  return combine(kind, of.map(wordsSql))
}

/** Binds all alternatives as one value, because a statement has at most 65,535. */
function containsAny(phrases: readonly IndexedPhrase[]): SqlCondition {
  return {
    sql: 'EXISTS (SELECT 1 FROM unnest(?::text[]) AS part WHERE strpos(o.words, part) > 0)',
    values: [arrayOf(phrases.map(spaced))],
  }
}

/** Terms contain neither quotes nor backslashes. */
function arrayOf(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text}"`).join(',')}}`
}

function contains(phrase: IndexedPhrase): SqlCondition {
  return { sql: 'strpos(o.words, ?) > 0', values: [spaced(phrase)] }
}

function spaced({ terms, isPrefix }: IndexedPhrase): string {
  return ` ${terms.join(' ')}${isPrefix ? '' : ' '}`
}
