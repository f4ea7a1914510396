/** Publishes a change of a definition: the definition and the objects of all its types at once. */
import type { LRUCache } from 'lru-cache'
import type { RewriteProgress } from '../../port/maintenance.ts'
import type { ChangePlan, TypeConverter } from '../../sql/stored-change.ts'
import { readType } from '../commits/locked-type.ts'
import { lockCatalogue, lockTypes } from '../definitions/ontology-rows.ts'
import { publishDefinition } from '../definitions/save-ontology.ts'
import {
  type CoreSession,
  integer,
  type Operation,
  type ReadSession,
  text,
} from '../session/session.ts'
import type { TableBuilder } from '../tables/construction.ts'
import { type RunningChange, readPlan } from '../tables/definition-changes.ts'
import { ChangeFailure, lockRewrite, saveProgress } from '../tables/rewrite-records.ts'
import {
  areCopiesComplete,
  catchUp,
  copyingOf,
  isCurrent,
  listChanges,
  publishRedefined,
} from '../tables/rewrite-table.ts'

/** A store as changes in the background see it. */
export interface RewritingStore {
  /** Reads without a transaction of its own. */
  readonly reading: ReadSession
  /** How objects are read or converted, by change and type. */
  readonly converters: LRUCache<string, TypeConverter>
  /** Runs an operation in a transaction. Those with the same key take turns. */
  write<Result>(key: string, run: (builder: TableBuilder) => Operation<Result>): Operation<Result>
}

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
  return yield* store.write(CATALOGUE, function* (builder) {
    const { session } = builder
    yield* lockCatalogue(session)
    const stored = yield* lockTypes(builder, change.ontologyRid)
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
      const type = yield* readType(session, typeId)
      // The next step starts the copies again.
      if (rewrite.phase !== 'catchingUp' || !isCurrent(rewrite, type)) return catchingUp
      if (!(yield* listChanges(builder, type, rewrite))) return catchingUp
      const conversion = { converter, unfit: [] }
      const copying = yield* copyingOf(builder, typeId, rewrite, conversion)
      if (!(yield* catchUp(builder, copying))) return catchingUp
      if (copying.unfit.length > 0) throw ChangeFailure.ofUnfit(copying.unfit)
      if (!(yield* areCopiesComplete(builder, copying))) {
        // The next step builds the missing index.
        yield* saveProgress(session, typeId, { ...rewrite, phase: 'indexing' })
        return { ...catchingUp, phase: 'indexing' }
      }
      copies.set(typeId, (generation) => publishRedefined(builder, copying, generation))
      progress ??= { ...catchingUp, phase: 'published' }
    }
    const plan = yield* lockPlan(session, change)
    if (plan === undefined) return undefined
    yield* publishDefinition(builder, { change: plan, stored, copies })
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
