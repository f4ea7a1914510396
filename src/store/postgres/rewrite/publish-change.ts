/** Publishes a change of a definition: the definition and the objects of all its types at once. */
import { lockCatalogue, lockTypes } from '../../core/definitions/ontology-rows.ts'
import { publishDefinition } from '../../core/definitions/save-ontology.ts'
import { awaited, type Operation } from '../../core/session/operation.ts'
import type { RewriteProgress } from '../../rewrite.ts'
import type { ChangePlan } from '../../sql/stored-change.ts'
import { CATALOGUE, definitionTables } from '../catalogue/save-definition.ts'
import { type PostgresContext, writeInTurn } from '../citus/pending-commit.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'
import { readTable } from '../writes/lock-type.ts'
import { publishRedefined } from '../writes/rewrite-type.ts'
import type { ObjectCopier } from './copy-objects.ts'
import { ChangeFailure, type RunningChange, readPlan } from './definition-change.ts'
import { lockRewrite, noteChanges, type Rewrite } from './rewrite-state.ts'
import { areCopiesComplete, catchUp } from './rewrite-step.ts'

/** Returns how objects are copied; undefined for a type that the change does not convert. */
type FindCopier = (typeId: number, typeRid: string, rewrite: Rewrite) => ObjectCopier | undefined

/**
 * Copies the last changes and publishes all types. Commits wait until the transaction ends, so it
 * stops if too much is left to do, and the next step continues without locks. Returns undefined if
 * the change has ended, or waits for a replacement.
 */
export function publishChange(
  store: PostgresContext,
  change: RunningChange,
  findCopier: FindCopier,
): Promise<RewriteProgress | undefined> {
  const { capabilities } = store
  return writeInTurn(store, { key: CATALOGUE }, async (session) => {
    const definitions = definitionTables(session, capabilities)
    const stored = await runIn(session, function* (core) {
      yield* lockCatalogue(core)
      return yield* lockTypes(core, definitions, change.ontologyRid)
    })
    await session.extendTimeout()
    const copies = new Map<number, (generation: number) => Operation<void>>()
    let progress: RewriteProgress | undefined
    for (const { id: typeId, rid: typeRid, objects } of stored) {
      const rewrite = await lockRewrite(session, typeId)
      if (rewrite === undefined || rewrite === 'busy' || rewrite.changeId !== change.id) continue
      if (await isReplacing(session, typeId)) return undefined
      const copier = findCopier(typeId, typeRid, rewrite)
      if (copier === undefined) return undefined
      const type = await readState(session, typeId)
      const catchingUp = { typeRid, phase: 'catchingUp', objects, totalObjects: objects } as const
      const isCurrent =
        rewrite.phase === 'catchingUp' &&
        rewrite.sourceId === type.tableId &&
        rewrite.generation === type.generation
      // The next step starts the copies again.
      if (!isCurrent || !(await noteChanges(session, type, rewrite))) return catchingUp
      const { sourceId, tableId } = rewrite
      const tables = { typeId, sourceId, tableId, copier }
      if (!(await catchUp(session, tables))) return catchingUp
      if (copier.unfit.length > 0) throw ChangeFailure.ofUnfit(copier.unfit)
      if (!(await areCopiesComplete(session, capabilities, tables))) return catchingUp
      const { liveCount: count } = await readTable(session, tableId)
      const prepared = { typeId, rewrite, count, lastVersion: type.lastVersion }
      copies.set(typeId, (generation) => awaited(publishRedefined(session, prepared, generation)))
      progress ??= { ...catchingUp, phase: 'published' }
    }
    const plan = await lockPlan(session, change)
    if (plan === undefined) return undefined
    await runIn(session, (core) =>
      publishDefinition(core, definitions, { change: plan, stored, copies }),
    )
    await session.run(`UPDATE oqs_definition_change SET state = 'published' WHERE id = ?`, [
      change.id,
    ])
    return progress
  })
}

/** Locks the change, so that it cannot be cancelled any more. */
async function lockPlan(
  session: WriteSession,
  change: RunningChange,
): Promise<ChangePlan | undefined> {
  await session.query('SELECT 1 FROM oqs_definition_change WHERE id = ? FOR UPDATE', [change.id])
  return (await readPlan(session, change))?.plan
}

/** True if a replacement of a type is open, also if it has no objects yet. */
async function isReplacing(session: Session, typeId: number): Promise<boolean> {
  const rows = await session.query(
    `SELECT 1 FROM oqs_object_table WHERE object_type_id = ? AND state = 'loading' LIMIT 1`,
    [typeId],
  )
  return rows.length > 0
}

async function readState(session: Session, typeId: number) {
  const [row] = await session.query(
    'SELECT generation, published, last_version, table_id FROM oqs_object_type WHERE id = ?',
    [typeId],
  )
  const [generation = 0, published = 0, lastVersion = 0, tableId = 0] = (row ?? []).map(Number)
  return { id: typeId, generation, published, lastVersion, tableId }
}
