import type { SizeSql } from '../../core/definitions/type-states.ts'
import type { Capabilities } from '../citus/capabilities.ts'

const DATABASE_BYTES = 'pg_database_size(current_database())'
/** All shards of the database, with one question to each machine. */
const SHARD_BYTES = '(SELECT coalesce(sum(size), 0) FROM citus_shard_sizes())'
/** The same by table. It depends on nothing else, so the database computes it once. */
const SHARDED_BYTES = `(SELECT jsonb_object_agg(name, bytes) FROM (
  SELECT logicalrelid::oid::text AS name, sum(size) AS bytes
  FROM citus_shard_sizes() AS sizes JOIN pg_dist_shard AS d ON d.shardid = sizes.shard_id
  GROUP BY logicalrelid) AS tables)`

export function sizeSql({ isDistributed }: Capabilities): SizeSql {
  const table = `to_regclass('oqs_object_' || s.id)`
  // A table that is locked has no size for now: to ask for it would wait for the lock.
  const own = `CASE WHEN EXISTS (
      SELECT 1 FROM pg_locks AS l WHERE l.mode = 'AccessExclusiveLock' AND (l.relation = ${table}
        OR l.relation IN (SELECT indexrelid FROM pg_index WHERE indrelid = ${table}))
    ) THEN NULL ELSE pg_total_relation_size(${table}) END`
  const shards = `coalesce((${SHARDED_BYTES} ->> ${table}::oid::text)::bigint, 0)`
  return {
    kind: 'postgresql',
    storedBytes: isDistributed ? `${DATABASE_BYTES} + ${SHARD_BYTES}` : DATABASE_BYTES,
    // All tables of a type, those of earlier versions and of replacements included.
    typeBytes: `(SELECT CASE WHEN bool_and(size IS NOT NULL) THEN sum(size) WHEN count(*) = 0 THEN 0 END
      FROM (SELECT ${isDistributed ? `${own} + ${shards}` : own} AS size
      FROM oqs_object_table AS s WHERE s.object_type_id = t.id AND s.is_created) AS sizes)`,
  }
}
