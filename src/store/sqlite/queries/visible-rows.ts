/** The SQL that selects the visible rows of a table. */

import { NEVER_CLOSED } from '../../core/catalogue/object-tables.ts'
import type { Visibility } from '../../sql/plan/plan-rules.ts'
import { VISIBLE_AT_VERSION } from '../catalogue/table-layout.ts'

/** Returns the values of a visibility's placeholders. */
export function visibilityValues(visibility: Visibility, version: number): readonly number[] {
  return visibility === 'current' ? [] : [version, version]
}

export const VISIBLE: Readonly<Record<Visibility, string>> = {
  current: `valid_to = ${NEVER_CLOSED}`,
  version: VISIBLE_AT_VERSION,
}

/** The addition stops SQLite from preparing the statement again for each value of the limit. */
export const LIMIT = 'LIMIT ? + 0'
