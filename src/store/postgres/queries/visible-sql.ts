/** The SQL that selects the visible rows of a table. */

import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import type { SqlCondition } from '../../sql/compile/sql-condition.ts'
import type { Visibility } from '../../sql/plan/plan-rules.ts'

/** Selects the rows of a visibility. */
export function visibleSql(
  visibility: Visibility,
  version: number,
  { number } = PLAIN_VALUES,
): SqlCondition {
  return visibility === 'current'
    ? { sql: `o.valid_to = ${NEVER_CLOSED}`, values: [] }
    : {
        sql: `o.valid_from <= ${number} AND o.valid_to > ${number}`,
        values: [version, version],
      }
}

/** The SQL of bound values. */
interface ValuePlaceholders {
  readonly number: string
  readonly text: string
}

/** The database sees the values, and plans for them. */
export const PLAIN_VALUES: ValuePlaceholders = { number: '?', text: '?' }

/**
 * The database does not see the values, so one plan serves them all: planning takes as long as
 * reading a small page. It then assumes that a few rows in a hundred match.
 */
export const HIDDEN_VALUES: ValuePlaceholders = {
  number: '(SELECT ?::bigint)',
  text: '(SELECT ?::text)',
}
