/** The rewrites in the catalogue: which type is converted, how far, and what changed meanwhile. */
import type { UnfitObject } from '../../port/definitions.ts'
import type { RewriteState } from '../../port/maintenance.ts'
import { reasonsOf } from '../../sql/plan-definition-change.ts'
import { deleteFields } from '../catalogue/fields.ts'
import {
  type CoreSession,
  integer,
  type Operation,
  type ReadSession,
  text,
  word,
} from '../session/session.ts'
import type { TableBuilder } from './construction.ts'

/** A rewrite as the catalogue stores it. */
export interface Rewrite {
  readonly phase: RewriteState['phase']
  readonly sourceId: number
  readonly tableId: number
  /** The generation of the definition when the rewrite started. */
  readonly generation: number
  /** The objects up to this key are copied. */
  readonly copiedTo: string
  /** The changes up to this version are copied, or their keys are listed. */
  readonly notedVersion: number
  /** The change for which objects are converted. */
  readonly changeId: string
}

const REWRITE = {
  phase: word<RewriteState['phase']>,
  sourceId: integer,
  tableId: integer,
  generation: integer,
  copiedTo: text,
  notedVersion: integer,
  changeId: text,
} as const

/** Locks the rewrite of a type. Returns `busy` if another node works on it, undefined if none is. */
export function* lockRewrite(
  session: CoreSession,
  typeId: number,
): Operation<Rewrite | 'busy' | undefined> {
  const rewrite = yield* session.find(
    `SELECT phase, source_id, table_id, generation, copied_to, noted_version, change_id
     FROM oqs_rewrite WHERE object_type_id = ?${session.dialect.lock.skipLocked}`,
    [typeId],
    REWRITE,
  )
  if (rewrite !== undefined) return rewrite
  const busy = yield* session.find(
    'SELECT table_id FROM oqs_rewrite WHERE object_type_id = ?',
    [typeId],
    { tableId: integer },
  )
  return busy === undefined ? undefined : 'busy'
}

/** Adds the rewrite of a type whose table of copies was created. */
export function* addRewrite(
  session: CoreSession,
  typeId: number,
  tableId: number,
  changeId: string,
): Operation<void> {
  yield* session.run(
    `INSERT INTO oqs_rewrite
       (object_type_id, phase, source_id, table_id, generation, noted_version, change_id)
     SELECT id, 'copying', table_id, CAST(? AS bigint), generation, published, CAST(? AS text)
     FROM oqs_object_type WHERE id = ?`,
    [tableId, changeId, typeId],
  )
}

/** Saves how far a rewrite has come, and counts its step. */
export function* saveProgress(
  session: CoreSession,
  typeId: number,
  { phase, copiedTo }: Pick<Rewrite, 'phase' | 'copiedTo'>,
): Operation<void> {
  yield* session.run(
    'UPDATE oqs_rewrite SET phase = ?, copied_to = ?, steps = steps + 1 WHERE object_type_id = ?',
    [phase, copiedTo, typeId],
  )
}

/** Ends a rewrite; reclaim removes the copies. */
export function* cancelRewrite(
  builder: TableBuilder,
  typeId: number,
  rewrite: Rewrite,
): Operation<void> {
  yield* abandonCopies(builder, typeId, rewrite)
  yield* deleteRewrite(builder.session, typeId)
}

export function* deleteRewrite(session: CoreSession, typeId: number): Operation<void> {
  yield* session.run('DELETE FROM oqs_rewrite WHERE object_type_id = ?', [typeId])
}

function* abandonCopies(
  { session }: TableBuilder,
  typeId: number,
  { tableId }: Rewrite,
): Operation<void> {
  yield* session.run(
    `UPDATE oqs_object_table SET state = 'abandoned' WHERE id = ? AND state = 'rewriting'`,
    [tableId],
  )
  yield* deleteFields(session, typeId, tableId)
}

/** Objects that are copied again in one step; more if many are left, so that the rewrite ends. */
const CHANGES = { min: 500, max: 2000 } as const

export interface ChangedKeys {
  readonly keys: readonly string[]
  /** True if these were all. */
  readonly isLast: boolean
}

/** Takes some of the keys of changed objects from the list. */
export function* takeChangedKeys(session: CoreSession, typeId: number): Operation<ChangedKeys> {
  const listed = yield* session.find(
    'SELECT count(*) FROM oqs_rewrite_key WHERE object_type_id = ?',
    [typeId],
    { count: integer },
  )
  const count = listed?.count ?? 0
  if (count === 0) return { keys: [], isLast: true }
  const limit = Math.min(CHANGES.max, Math.max(CHANGES.min, Math.ceil(count / 4)))
  const taken = yield* session.query(
    `DELETE FROM oqs_rewrite_key WHERE object_type_id = ? AND pk IN (
       SELECT pk FROM oqs_rewrite_key WHERE object_type_id = ? ORDER BY pk LIMIT ?
     ) RETURNING pk`,
    [typeId, typeId, limit],
    { pk: text },
  )
  return { keys: taken.map(({ pk }) => pk), isLast: count <= limit }
}

/** The numbers of objects that are copied, and that there are. */
export interface RewriteCounts {
  readonly objects: number
  readonly totalObjects: number
}

/** The table from which objects are copied may have been replaced and dropped since. */
export function* countCopies(
  session: ReadSession,
  { sourceId, tableId }: Pick<Rewrite, 'sourceId' | 'tableId'>,
): Operation<RewriteCounts> {
  const counts = yield* session.find(
    `SELECT coalesce((SELECT live_count FROM oqs_object_table WHERE id = ?), 0),
       coalesce((SELECT live_count FROM oqs_object_table WHERE id = ?), 0)`,
    [tableId, sourceId],
    { objects: integer, totalObjects: integer },
  )
  return counts ?? { objects: 0, totalObjects: 0 }
}

/** Returns the rewrites of running changes; only those for one change if it is given. */
export function* readRewriteStates(
  session: ReadSession,
  changeId?: string,
): Operation<readonly RewriteState[]> {
  return yield* session.query(
    `SELECT t.rid, r.phase, coalesce(copies.live_count, 0), coalesce(source.live_count, 0),
       c.ontology_rid
     FROM oqs_rewrite AS r JOIN oqs_object_type AS t ON t.id = r.object_type_id
     LEFT JOIN oqs_object_table AS source ON source.id = r.source_id
     LEFT JOIN oqs_object_table AS copies ON copies.id = r.table_id
     JOIN oqs_definition_change AS c ON c.id = r.change_id AND c.state = 'running'
     WHERE ${changeId === undefined ? 'TRUE' : 'c.id = ?'} ORDER BY t.id`,
    changeId === undefined ? [] : [changeId],
    {
      typeRid: text,
      phase: word<RewriteState['phase']>,
      objects: integer,
      totalObjects: integer,
      ontologyRid: text,
    },
  )
}

/** Why a change has failed. */
export interface Failure {
  readonly reasons: readonly string[]
  readonly unfit: readonly UnfitObject[]
}

/** Thrown if a change cannot be carried out: its transaction is rolled back, and another one fails it. */
export class ChangeFailure extends Error implements Failure {
  readonly reasons: readonly string[]
  readonly unfit: readonly UnfitObject[]

  constructor(reasons: readonly string[], unfit: readonly UnfitObject[] = []) {
    super('the definition cannot be changed')
    this.reasons = reasons
    this.unfit = unfit
  }

  static ofUnfit(unfit: readonly UnfitObject[]): ChangeFailure {
    return new ChangeFailure(reasonsOf(unfit), unfit)
  }
}
