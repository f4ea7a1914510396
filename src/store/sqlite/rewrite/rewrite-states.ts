/** The types that are being rewritten, or have to be, see rewrite-step.ts. */
import type { DatabaseSync } from 'node:sqlite'
import { CURRENT_LAYOUT } from '../../core/catalogue/object-tables.ts'
import type { RewriteState } from '../../rewrite.ts'
import type { StatementCache } from '../file/statement-cache.ts'

/** A rewrite as the catalogue stores it, with the state of its type. */
export interface Rewrite {
  readonly typeId: number
  readonly typeRid: string
  readonly ontologyRid: string
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
  /** True if the definition has changed since. */
  readonly isRedefined: boolean
  /** Whether the objects are converted to another definition. */
  readonly isChange: boolean
}

/** Failed rewrites of types whose definition or table has changed since. */
export const STALE_FAILURES = `SELECT 1 FROM oqs_rewrite AS r JOIN oqs_object_type AS t ON t.id = r.object_type_id
  WHERE r.phase = 'failed' AND (t.generation > r.generation OR t.table_id <> r.source_id)`
const RUNNING = `SELECT 1 FROM oqs_rewrite WHERE phase <> 'failed'`
const RUNNING_CHANGES = `SELECT 1 FROM oqs_definition_change WHERE state = 'running'`
/** Types with a table of an older layout. */
export const TO_REWRITE = `SELECT t.id FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id
  WHERE o.layout < ${CURRENT_LAYOUT} AND o.is_created = 1
    AND NOT EXISTS (SELECT 1 FROM oqs_rewrite WHERE object_type_id = t.id)`

/** True if `rewriteStep` has something to do. For a reader, so that the writer need not be asked. */
export function hasRewrites(statements: StatementCache): boolean {
  return [RUNNING, RUNNING_CHANGES, STALE_FAILURES, TO_REWRITE].some(
    (sql) => statements.prepare(`${sql} LIMIT 1`).get() !== undefined,
  )
}

/** Returns the rewrites in progress that convert objects of an ontology, or those for a new layout. */
export function findRewrites(
  db: DatabaseSync,
  { ontologyRid }: { readonly ontologyRid: string | undefined },
): Rewrite[] {
  const rows = db
    .prepare(
      `SELECT r.object_type_id AS typeId, t.rid AS typeRid, t.ontology_rid AS ontologyRid,
         r.source_id AS fromTable, r.table_id AS toTable, r.generation, r.phase,
         r.copied_to AS lastKey, r.objects, copy.loaded_as AS loadedAs,
         original.live_count AS totalObjects, copy.live_count AS copiedObjects,
         t.last_version AS lastVersion, r.change_id IS NOT NULL AS isChange,
         t.generation <> r.generation AS isRedefined,
         t.table_id = r.source_id AND t.generation = r.generation
           AND (r.change_id IS NOT NULL OR original.layout < copy.layout) AS isCurrent
       FROM oqs_rewrite AS r JOIN oqs_object_type AS t ON t.id = r.object_type_id
       JOIN oqs_object_table AS copy ON copy.id = r.table_id
       JOIN oqs_object_table AS original ON original.id = t.table_id
       WHERE r.phase <> 'failed'
         AND CASE WHEN ?1 IS NULL THEN r.change_id IS NULL
           ELSE r.change_id IS NOT NULL AND t.ontology_rid = ?1 END
       ORDER BY t.id`,
    )
    .all(ontologyRid ?? null)
  return rows.map((row) => ({
    ...(row as unknown as Rewrite),
    isCurrent: row['isCurrent'] === 1,
    isRedefined: row['isRedefined'] === 1,
    isChange: row['isChange'] === 1,
  }))
}

/** Returns the rewrites that are running or have failed; only those of one ontology if it is given. */
export function readRewrites(statements: StatementCache, ontologyRid?: string): RewriteState[] {
  const rows = statements
    .prepare(
      `SELECT t.rid, r.phase, r.objects, o.live_count, r.reason, r.change_id IS NOT NULL, t.ontology_rid
       FROM oqs_rewrite AS r JOIN oqs_object_type AS t ON t.id = r.object_type_id
       JOIN oqs_object_table AS o ON o.id = t.table_id
       WHERE ?1 IS NULL OR (t.ontology_rid = ?1 AND r.change_id IS NOT NULL) ORDER BY t.id`,
    )
    .all(ontologyRid ?? null) as unknown as RewriteRow[]
  return rows.map(([typeRid, phase, objects, totalObjects, reason, isChange, changed]) => ({
    typeRid,
    ...(isChange === 1 ? { ontologyRid: changed } : {}),
    phase,
    objects,
    totalObjects,
    ...(reason === null ? {} : { reason }),
  }))
}

type RewriteRow = readonly [
  typeRid: string,
  phase: RewriteState['phase'],
  objects: number,
  totalObjects: number,
  reason: string | null,
  isChange: number,
  ontologyRid: string,
]
