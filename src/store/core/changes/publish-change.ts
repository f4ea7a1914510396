/** Publishes a change of a definition: the definition and the objects of all its types at once. */
import type { RewriteProgress } from '../../port/maintenance.ts'
import type { ChangePlan, TypeConverter } from '../../sql/stored-change.ts'
import { lockCatalogue, lockTypes } from '../definitions/ontology-rows.ts'
import { publishDefinition } from '../definitions/save-ontology.ts'
import { integer, text } from '../session/columns.ts'
import type { Operation } from '../session/operation.ts'
import type { CoreSession } from '../session/session.ts'
import { ChangeFailure, type RunningChange, readPlan } from '../tables/definition-changes.ts'
import {
  areCopiesComplete,
  catchUp,
  copyingOf,
  isCurrent,
  listChanges,
  publishRedefined,
} from '../tables/rewrite-table.ts'
import { lockRewrite } from '../tables/rewrites.ts'
import type { RewritingStore } from './rewriting-store.ts'

/**
 * Copies the last changes and publishes all types. Commits wait until the transaction ends, so it
 * stops if too much is left to do, and the next step continues without locks. Returns undefined if
 * the change has ended, or waits for a replacement.
 */
export function* publishChange(
  store: RewritingStore,
  change: RunningChange,
  converters: ReadonlyMap<string, TypeConverter>,
): Operation<RewriteProgress | undefined> {
  return yield* store.write(CATALOGUE, function* (builder, tables) {
    const { session } = builder
    yield* lockCatalogue(session)
    const stored = yield* lockTypes(session, tables, change.ontologyRid)
    yield* session.extendTimeout()
    const copies = new Map<number, (generation: number) => Operation<void>>()
    let progress: RewriteProgress | undefined
    for (const { id: typeId, rid: typeRid, objects } of stored) {
      const rewrite = yield* lockRewrite(session, typeId)
      if (rewrite === undefined || rewrite === 'busy' || rewrite.changeId !== change.id) continue
      if (yield* isReplacing(session, typeId)) return undefined
      const converter = converters.get(typeRid)
      if (converter === undefined) return undefined
      const catchingUp = { typeRid, phase: 'catchingUp', objects, totalObjects: objects } as const
      const type = yield* readState(session, typeId)
      // The next step starts the copies again.
      if (rewrite.phase !== 'catchingUp' || !isCurrent(rewrite, type)) return catchingUp
      if (!(yield* listChanges(builder, type, rewrite))) return catchingUp
      const conversion = { converter, unfit: [] }
      const copying = yield* copyingOf(builder, typeId, rewrite, conversion)
      if (!(yield* catchUp(builder, copying))) return catchingUp
      if (copying.unfit.length > 0) throw ChangeFailure.ofUnfit(copying.unfit)
      if (!(yield* areCopiesComplete(builder, copying))) return catchingUp
      copies.set(typeId, (generation) => publishRedefined(builder, copying, generation))
      progress ??= { ...catchingUp, phase: 'published' }
    }
    const plan = yield* lockPlan(session, change)
    if (plan === undefined) return undefined
    yield* publishDefinition(session, tables, { change: plan, stored, copies })
    yield* session.run(`UPDATE oqs_definition_change SET state = 'published' WHERE id = ?`, [
      change.id,
    ])
    return progress
  })
}

/** The key under which changes of definitions queue: all of them lock the row of the catalogue. */
const CATALOGUE = 'catalogue'

/** Locks the change, so that it cannot be cancelled any more. */
function* lockPlan(session: CoreSession, change: RunningChange): Operation<ChangePlan | undefined> {
  yield* session.find(
    `SELECT id FROM oqs_definition_change WHERE id = ?${session.dialect.lock.change}`,
    [change.id],
    { id: text },
  )
  return (yield* readPlan(session, change))?.plan
}

/** True if a replacement of a type is open, also if it has no objects yet. */
function* isReplacing(session: CoreSession, typeId: number): Operation<boolean> {
  const open = yield* session.find(
    `SELECT id FROM oqs_object_table WHERE object_type_id = ? AND state = 'loading' LIMIT 1`,
    [typeId],
    { id: integer },
  )
  return open !== undefined
}

function* readState(session: CoreSession, id: number) {
  const type = yield* session.find(
    'SELECT id, generation, published, table_id FROM oqs_object_type WHERE id = ?',
    [id],
    { id: integer, generation: integer, published: integer, tableId: integer },
  )
  if (type === undefined) throw new Error(`no object type ${id}`)
  return type
}
