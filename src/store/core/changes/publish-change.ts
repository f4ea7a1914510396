/** Publishes a change of a definition: the definition and the objects of all its types at once. */
import type { LRUCache } from 'lru-cache'
import type { RewriteProgress } from '../../port/maintenance.ts'
import type { StoredType } from '../../sql/plan-definition-change.ts'
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
import type { Copying } from '../tables/convert-rows.ts'
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
    for (const type of stored) {
      const last = { change, type, converter: converters.get(type.rid) }
      const done = yield* copyLastVisibly(builder, last)
      if (done === 'unchanged') continue
      if (done === 'waits') return undefined
      if ('phase' in done) return done
      copies.set(type.id, (generation) => publishRedefined(builder, done, generation))
      progress ??= progressOf(type, 'published')
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

interface LastCopies {
  readonly change: RunningChange
  readonly type: StoredType
  readonly converter: TypeConverter | undefined
}

/** The copies, what else must be done first, or why there is nothing to do. */
type LastStep = Copying | RewriteProgress | 'unchanged' | 'waits'

/**
 * Copies the last changes of a type, and waits until they can be read, if that takes another
 * transaction. Commits wait, so nothing is left to copy in this one then.
 */
function* copyLastVisibly(builder: TableBuilder, last: LastCopies): Operation<LastStep> {
  const { separately } = builder
  if (separately === undefined) return yield* copyLast(builder, last)
  const done = yield* separately.write((apart) => copyLast(apart, last))
  if (typeof done === 'string' || 'phase' in done) return done
  yield* separately.waitForRows(done.tableId)
  return yield* copyLast(builder, last)
}

function* copyLast(
  builder: TableBuilder,
  { change, type: stored, converter }: LastCopies,
): Operation<LastStep> {
  const { session } = builder
  const { id: typeId } = stored
  const rewrite = yield* lockRewrite(session, typeId)
  if (rewrite === undefined || rewrite === 'busy') return 'unchanged'
  if (rewrite.changeId !== change.id) return 'unchanged'
  if (converter === undefined || (yield* isReplacing(session, typeId))) return 'waits'
  const catchingUp = progressOf(stored, 'catchingUp')
  const type = yield* readType(session, typeId)
  // The next step starts the copies again.
  if (rewrite.phase !== 'catchingUp' || !isCurrent(rewrite, type)) return catchingUp
  if (!(yield* listChanges(builder, type, rewrite))) return catchingUp
  const copying = yield* copyingOf(builder, typeId, rewrite, { converter, unfit: [] })
  if (!(yield* catchUp(builder, copying))) return catchingUp
  if (copying.unfit.length > 0) throw ChangeFailure.ofUnfit(copying.unfit)
  if (yield* areCopiesComplete(builder, copying)) return copying
  // The next step builds the missing index.
  yield* saveProgress(session, typeId, { ...rewrite, phase: 'indexing' })
  return progressOf(stored, 'indexing')
}

function progressOf(
  { rid: typeRid, objects }: StoredType,
  phase: RewriteProgress['phase'],
): RewriteProgress {
  return { typeRid, phase, objects, totalObjects: objects }
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
