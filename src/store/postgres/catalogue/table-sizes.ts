import type { SizeSql } from '../../core/definitions/type-states.ts'
import type { Capabilities } from '../citus/capabilities.ts'

const DATABASE_BYTES = 'pg_database_size(current_database())'
/** All shards of the database, with one question to each machine. */
const SHARD_BYTES = '(SELECT coalesce(sum(size), 0) FROM citus_shard_sizes())'

export function sizeSql({ isDistributed }: Capabilities): SizeSql {
  const kind = 'postgresql'
  if (isDistributed) {
    return { kind, storedBytes: `${DATABASE_BYTES} + ${SHARD_BYTES}`, typeBytes: 'NULL' }
  }
  return {
    kind,
    storedBytes: DATABASE_BYTES,
    // All tables of a type, those of earlier versions and of replacements included.
    typeBytes: `(SELECT coalesce(sum(pg_total_relation_size(to_regclass('oqs_object_' || s.id))), 0)
      FROM oqs_object_table AS s WHERE s.object_type_id = t.id AND s.is_created)`,
  }
}
