import type { SizeSql } from '../../core/definitions/type-states.ts'
import type { Capabilities } from '../citus/capabilities.ts'

/** The bytes of distributed tables are on other machines. */
export function sizeSql({ isDistributed }: Capabilities): SizeSql {
  const kind = 'postgresql'
  if (isDistributed) return { kind, storedBytes: 'NULL', typeBytes: 'NULL' }
  return {
    kind,
    storedBytes: 'pg_database_size(current_database())',
    // All tables of a type, those of earlier versions and of replacements included.
    typeBytes: `(SELECT coalesce(sum(pg_total_relation_size(to_regclass('oqs_object_' || s.id))), 0)
      FROM oqs_object_table AS s WHERE s.object_type_id = t.id AND s.is_created)`,
  }
}
