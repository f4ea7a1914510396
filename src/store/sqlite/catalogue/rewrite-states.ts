/** Which types are rewritten, or have to be, see rewrite.ts. */
import type { RewriteState } from '../../rewrite.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import { CURRENT_LAYOUT } from './table-layout.ts'

/** A rewrite as the catalogue stores it, with the state of its type. */
export interface Rewrite {
  readonly typeId: number
  readonly typeRid: string
  readonly fromTable: number
  readonly toTable: number
  readonly generation: number
  readonly phase: 'copying' | 'indexing' | 'catchingUp'
  readonly lastKey: string
  readonly objects: number
  /** The version of the rows of the new table. */
  readonly loadedAs: number
  readonly totalObjects: number
  readonly copiedObjects: number
  readonly lastVersion: number
  /** False if the type was replaced or redefined since the rewrite started. */
  readonly isCurrent: boolean
}

/** Failed rewrites of types whose definition or table has changed since. */
export const STALE_FAILURES = `SELECT 1 FROM rewrite AS r JOIN object_type AS t ON t.id = r.object_type_id
  WHERE r.phase = 'failed' AND (t.generation > r.generation OR t.table_id <> r.from_table)`
const RUNNING = `SELECT 1 FROM rewrite WHERE phase <> 'failed'`
/** Types with a table of an earlier layout. */
export const TO_REWRITE = `SELECT t.id FROM object_type AS t JOIN object_table AS o ON o.id = t.table_id
  WHERE o.layout < ${CURRENT_LAYOUT} AND o.is_made = 1
    AND NOT EXISTS (SELECT 1 FROM rewrite WHERE object_type_id = t.id)`

/** True if `rewriteStep` has something to do. For a reader, so that the writer need not be asked. */
export function hasRewrites(statements: StatementCache): boolean {
  return [RUNNING, STALE_FAILURES, TO_REWRITE].some(
    (sql) => statements.prepare(`${sql} LIMIT 1`).get() !== undefined,
  )
}

/** Returns the rewrites that are running or have failed. */
export function readRewrites(statements: StatementCache): RewriteState[] {
  const rows = statements
    .prepare(
      `SELECT t.rid, r.phase, r.objects, o.live_count, r.reason
       FROM rewrite AS r JOIN object_type AS t ON t.id = r.object_type_id
       JOIN object_table AS o ON o.id = t.table_id ORDER BY t.id`,
    )
    .all() as unknown as [string, RewriteState['phase'], number, number, string | null][]
  return rows.map(([typeRid, phase, objects, totalObjects, reason]) => ({
    typeRid,
    phase,
    objects,
    totalObjects,
    ...(reason === null ? {} : { reason }),
  }))
}
