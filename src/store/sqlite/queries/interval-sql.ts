/** Conditions on terms that are near each other: the term index finds rows, the texts decide. */
import type { Query } from '../../../query/query.ts'
import { FALSE, type SqlCondition } from '../../sql/compile/sql-condition.ts'
import { resolveRule, termCondition } from '../../sql/text/interval-terms.ts'
import { fieldPrefix, indexedTerm } from '../../sql/text/text-index.ts'
import type { QueryTables } from './query-tables.ts'

export function intervalSql(
  { field, rule }: Query & { kind: 'interval' },
  { numbers, isMultiValued, matcherNumber, similarTerms }: QueryTables,
): SqlCondition {
  const number = numbers.of(field)
  const prefix = fieldPrefix(number)
  const resolved = resolveRule(rule, (terms, edits) => similarTerms(terms, prefix, edits))
  if (resolved === undefined) return FALSE
  const candidates = termCondition(resolved, {
    term: (term) => `"${indexedTerm(prefix, term)}"`,
    prefix: (term) => `"${indexedTerm(prefix, term)}" *`,
    and: 'AND',
    or: 'OR',
  })
  const matcher = matcherNumber({ kind: 'resolvedInterval', rule: resolved })
  const inIndex = 'o.id IN (SELECT rowid FROM oqs_term_index WHERE oqs_term_index MATCH ?)'
  return isMultiValued(field)
    ? {
        sql: `(${inIndex} AND EXISTS (
          SELECT 1 FROM oqs_element WHERE row = o.id AND field = ? AND matches(value, ?)
        ))`,
        values: [candidates, number, matcher],
      }
    : {
        sql: `(${inIndex} AND matches(${numbers.propertySql(field.property, field.structField).value}, ?))`,
        values: [candidates, matcher],
      }
}
