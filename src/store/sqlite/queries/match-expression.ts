import type { TermCondition } from '../../sql/text/text-condition.ts'

/** Returns a text condition in the query language of FTS5. */
export function matchExpression(condition: TermCondition): string {
  if (condition.kind === 'phrase') {
    return `"${condition.terms.join(' ')}"${condition.isPrefix ? ' *' : ''}`
  }
  const operator = condition.kind === 'and' ? ' AND ' : ' OR '
  return `(${condition.of.map(matchExpression).join(operator)})`
}
