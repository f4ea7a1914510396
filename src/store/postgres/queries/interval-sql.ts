/** Conditions on terms that are near each other: the term index finds rows, the texts decide. */
import type { ResolvedRule } from '../../../query/matching/interval.ts'
import type { Query } from '../../../query/query.ts'
import { resolveRule, termCondition } from '../../sql/interval-terms.ts'
import { combine, type SqlCondition } from '../../sql/sql-condition.ts'
import { fieldPrefix, indexedTerm } from '../../sql/text-index.ts'
import { lexemeOf } from '../text/lexemes.ts'
import { separatedTerms } from '../text/term-tests.ts'
import { unindexedRows } from '../text/text-condition.ts'
import type { QueryTables } from './query-tables.ts'
import { textColumns } from './text-columns.ts'

/** As many characters as surely fit into a tsquery, whose limit is 1 MB. */
const MAX_QUERY_LENGTH = 200_000

export function intervalSql(
  { field, rule }: Query & { kind: 'interval' },
  tables: QueryTables,
): SqlCondition {
  const { someText } = textColumns([field], tables)
  const prefix = fieldPrefix(tables.columnsOf(field).number)
  const resolved = resolveRule(rule, (terms, edits) => tables.similarTerms(terms, prefix, edits))
  const { leaves, steps } = programOf(resolved)
  const test = someText((text) => {
    const separated = separatedTerms(text, leaves.flat())
    return {
      sql: `oqs_has_interval(${separated.sql}, ?::jsonb, ?::integer[])`,
      values: [...separated.values, JSON.stringify(leaves), `{${steps}}`],
    }
  })
  const candidates = termCondition(resolved, {
    term: (term) => `'${lexemeOf(indexedTerm(prefix, term))}'`,
    prefix: (term) => `'${lexemeOf(indexedTerm(prefix, term))}':*`,
    and: '&',
    or: '|',
  })
  // Without the index, every text is tested.
  if (candidates.length > MAX_QUERY_LENGTH) return test
  const indexed = { sql: 'o.lexemes @@ ?::tsquery', values: [candidates] }
  return combine('and', [combine('or', [indexed, unindexedRows(tables.layout)]), test])
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

function programOf(rule: ResolvedRule): Program {
  const leaves: (readonly string[] | string)[] = []
  const steps: number[] = []
  const write = (one: ResolvedRule): void => {
    switch (one.kind) {
      case 'terms':
        steps.push(LEAF, leaves.length, 0)
        leaves.push(one.terms)
        return
      case 'prefix':
        steps.push(LEAF, leaves.length, 0)
        leaves.push(one.term)
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
