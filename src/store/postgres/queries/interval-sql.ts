/** Conditions on terms that are near each other: the term index finds rows, their terms decide. */
import type { ResolvedRule } from '../../../query/matching/interval.ts'
import type { Query } from '../../../query/query.ts'
import { combine, FALSE, type SqlCondition } from '../../sql/compile/sql-condition.ts'
import { resolveRule, termCondition } from '../../sql/text/interval-terms.ts'
import { fieldPrefix, indexedTerm, type TermPrefix } from '../../sql/text/text-index.ts'
import { lexemeOf, TERM_BORDER } from '../text/lexemes.ts'
import { UNINDEXED_ROWS } from '../text/text-condition.ts'
import type { QueryTables } from './queried-types.ts'

/** As many characters as surely fit into a tsquery, whose limit is 1 MB. */
const MAX_QUERY_LENGTH = 200_000

export function intervalSql(
  { field, rule }: Query & { kind: 'interval' },
  { numbers, similarTerms }: QueryTables,
): SqlCondition {
  const prefix = fieldPrefix(numbers.of(field))
  const resolved = resolveRule(rule, (terms, edits) => similarTerms(terms, prefix, edits))
  if (resolved === undefined) return FALSE
  const { leaves, steps } = programOf(resolved, prefix)
  const hasInterval = 'oqs_has_interval(text, ?::jsonb, ?::integer[])'
  const program = [JSON.stringify(leaves), `{${steps}}`]
  // Without words, the lexemes have the terms of each text with their positions.
  const test = {
    sql: `CASE WHEN o.words IS NULL
      THEN EXISTS (SELECT 1 FROM oqs_texts(o.lexemes, ?) AS listed (text) WHERE ${hasInterval})
      ELSE EXISTS (
        SELECT 1 FROM unnest(string_to_array(o.words, ?)) AS listed (text) WHERE ${hasInterval}
      ) END`,
    values: [prefix, ...program, ` ${TERM_BORDER} `, ...program],
  }
  const candidates = termCondition(resolved, {
    term: (term) => `'${lexemeOf(indexedTerm(prefix, term))}'`,
    prefix: (term) => `'${lexemeOf(indexedTerm(prefix, term))}':*`,
    and: '&',
    or: '|',
  })
  // Without the index, every text is tested.
  if (candidates.length > MAX_QUERY_LENGTH) return test
  const indexed = { sql: 'o.lexemes @@ ?::tsquery', values: [candidates] }
  return combine('and', [combine('or', [indexed, UNINDEXED_ROWS]), test])
}

interface Program {
  /** The terms that each leaf accepts, or a prefix. */
  readonly leaves: readonly (readonly string[] | string)[]
  /** In postfix order; each step is an operation, a number and the largest gap. */
  readonly steps: readonly number[]
}

/** The operations of `oqs_has_interval`. */
const LEAF = 0
const ANY_OF = 1
const IN_ORDER = 2
const IN_ANY_ORDER = 3
const UNLIMITED = -1

function programOf(rule: ResolvedRule, prefix: TermPrefix): Program {
  const leaves: (readonly string[] | string)[] = []
  const steps: number[] = []
  const write = (one: ResolvedRule): void => {
    switch (one.kind) {
      case 'terms':
        steps.push(LEAF, leaves.length, 0)
        leaves.push(one.terms.map((term) => indexedTerm(prefix, term)))
        return
      case 'prefix':
        steps.push(LEAF, leaves.length, 0)
        leaves.push(indexedTerm(prefix, one.term))
        return
      case 'anyOf':
        one.of.forEach(write)
        steps.push(ANY_OF, one.of.length, 0)
        return
      case 'allOf':
        one.of.forEach(write)
        steps.push(one.ordered ? IN_ORDER : IN_ANY_ORDER, one.of.length, one.maxGaps ?? UNLIMITED)
    }
  }
  write(rule)
  return { leaves, steps }
}
