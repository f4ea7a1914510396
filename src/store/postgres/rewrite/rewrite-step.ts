/** One step of rewriting a type: what rewrites into a new layout and for a new definition share. */

import { objectTable } from '../../core/catalogue/object-tables.ts'
import type { RewriteProgress } from '../../rewrite.ts'
import { buildNextIndex, findMissingIndex } from '../catalogue/object-table.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { type LockedType, lockType, readTable, type TypeLock } from '../writes/lock-type.ts'
import { publishVersion } from '../writes/publish-version.ts'
import {
  type CopiedTables,
  copyAgain,
  copyNext,
  OBJECTS_PER_STEP,
  type ObjectCopier,
} from './copy-objects.ts'
import {
  deleteChangedKeys,
  deleteRewrite,
  lockRewrite,
  noteChanges,
  type Rewrite,
  RewriteFailure,
  readChangedKeys,
  savePhase,
} from './rewrite-state.ts'

/** A step of a rewrite. The type and the rewrite are locked. */
export type Step = (
  session: WriteSession,
  tables: CopiedTables,
  rewrite: Rewrite,
  type: LockedType,
) => Promise<Outcome>

export interface Outcome extends Pick<RewriteProgress, 'phase' | 'reason'> {
  /** Whether the copies can be published. */
  readonly isReady?: boolean
}

/** What is rewritten, and how. */
export interface RewriteSpec {
  readonly typeRid: string
  /** The change for which objects are converted; undefined for a new layout. */
  readonly changeId: string | undefined
  /** The generation of the catalogue that contained the definition of the objects. */
  readonly generation: number
  readonly copier: (
    session: WriteSession,
    typeId: number,
    rewrite: Rewrite,
  ) => Promise<ObjectCopier>
  /** Called instead of the step if the objects were replaced or redefined, or the copies are behind. */
  readonly restart: (session: WriteSession, type: LockedType, rewrite: Rewrite) => Promise<void>
}

export interface StepResult {
  readonly progress: RewriteProgress
  readonly isReady: boolean
}

/**
 * Takes the first step that makes progress. A step that throws does not hold up the others; its error
 * is thrown if none of them makes progress.
 */
export async function firstProgress(
  steps: readonly (() => Promise<RewriteProgress | undefined>)[],
): Promise<RewriteProgress | undefined> {
  const errors: unknown[] = []
  for (const step of steps) {
    try {
      const progress = await step()
      if (progress !== undefined) return progress
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return undefined
}

/** Runs a step in a transaction. Returns undefined if another node works on the type. */
export function runStep(
  store: PostgresContext,
  spec: RewriteSpec,
  lock: TypeLock,
  step: Step,
): Promise<StepResult | undefined> {
  const { typeRid } = spec
  // With a key of its own: commits of the type need not wait until a step ends.
  return writeInTurn(store, { key: `rewrite ${typeRid}` }, async (session) => {
    const type = await lockType(session, store.capabilities, typeRid, lock)
    // The next step reads the catalogue again.
    if (type === undefined || type.generation > spec.generation) return undefined
    const rewrite = await lockRewrite(session, type.id)
    if (rewrite === undefined || rewrite === 'busy') return undefined
    if (rewrite.changeId !== spec.changeId) return undefined
    // Not before the locks are held: waiting for a lock keeps the short timeout.
    await session.extendTimeout()
    const before = await countsOf(session, rewrite)
    const isCurrent = rewrite.sourceId === type.tableId && rewrite.generation === type.generation
    if (!isCurrent || !(await noteChanges(session, type, rewrite))) {
      await spec.restart(session, type, rewrite)
      return { progress: { typeRid, phase: 'cancelled', ...before }, isReady: false }
    }
    const { sourceId, tableId } = rewrite
    const copier = await spec.copier(session, type.id, rewrite)
    const tables = { typeId: type.id, sourceId, tableId, copier }
    const { isReady = false, ...outcome } = await step(session, tables, rewrite, type)
    const counts = await countsOf(session, rewrite)
    return { progress: { typeRid, ...outcome, ...counts }, isReady }
  })
}

async function countsOf(session: WriteSession, { sourceId, tableId }: Rewrite) {
  const [row] = await session.query(
    `SELECT (SELECT live_count FROM oqs_object_table WHERE id = ?),
       (SELECT live_count FROM oqs_object_table WHERE id = ?)`,
    [tableId, sourceId],
  )
  return { objects: Number(row?.[0] ?? 0), totalObjects: Number(row?.[1] ?? 0) }
}

/** Copies some objects, builds an index, or copies some objects again. */
export async function advance(
  session: WriteSession,
  tables: CopiedTables,
  { phase, copiedTo }: Rewrite,
  capabilities: Capabilities,
): Promise<Outcome> {
  const { typeId, tableId } = tables
  if (phase === 'copying') {
    const { lastKey, isLast } = await copyNext(session, tables, copiedTo)
    const next = isLast ? 'indexing' : phase
    await savePhase(session, typeId, { phase: next, copiedTo: lastKey })
    return { phase: next }
  }
  // An index may have been exchanged because of a long text.
  if (await buildNextIndex(session, capabilities, typeId, await readTable(session, tableId))) {
    return { phase }
  }
  if (phase === 'indexing') {
    await session.query(`ANALYZE ${objectTable(tableId)}`)
    await savePhase(session, typeId, { phase: 'catchingUp', copiedTo })
    return { phase: 'catchingUp' }
  }
  const isReady = await catchUp(session, tables)
  return { phase, isReady }
}

/** Copies changed objects again. Returns true if few are left, so that commits may wait for them. */
export async function catchUp(session: WriteSession, tables: CopiedTables): Promise<boolean> {
  const keys = await readChangedKeys(session, tables.typeId, OBJECTS_PER_STEP)
  if (keys.length > 0) {
    // Deleted first, so that a copy of this step is not mistaken for one whose original has
    // changed.
    await deleteChangedKeys(session, tables.typeId, keys)
    await copyAgain(session, tables, keys)
  }
  return keys.length < OBJECTS_PER_STEP
}

/**
 * Returns false if an index is missing. A long text among the last changes dropped it: the next step
 * builds the one for it, without the lock that commits wait for. Throws if the copies are not
 * complete.
 */
export async function areCopiesComplete(
  session: WriteSession,
  capabilities: Capabilities,
  { typeId, tableId, sourceId }: CopiedTables,
): Promise<boolean> {
  const [copies, source] = [await readTable(session, tableId), await readTable(session, sourceId)]
  if (await findMissingIndex(session, capabilities, typeId, copies)) return false
  if (copies.liveCount !== source.liveCount) {
    throw new RewriteFailure(`copied ${copies.liveCount} of ${source.liveCount} objects`)
  }
  return true
}

/** Makes the copies the newest version of their type. */
export async function publishCopies(
  session: WriteSession,
  { typeId, tableId }: Pick<CopiedTables, 'typeId' | 'tableId'>,
  rewrite: Rewrite,
  { version, put }: { readonly version: number; readonly put: number },
): Promise<void> {
  await session.run(
    `UPDATE oqs_object_table SET state = 'published', first_version = ? WHERE id = ?`,
    [version, tableId],
  )
  await session.run('UPDATE oqs_object_type SET table_id = ? WHERE id = ?', [tableId, typeId])
  await publishVersion(session, { typeId, version, put, deleted: 0 })
  await deleteRewrite(session, typeId, rewrite)
}
