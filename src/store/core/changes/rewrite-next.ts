/**
 * Rewrites types in the background, one short transaction after the other: for changes of their
 * definitions, see change-step.ts, and those whose tables have an earlier layout. Commits and readers
 * go on meanwhile; snapshots of earlier versions read the earlier table until they expire.
 */
import type { RewriteProgress } from '../../port/maintenance.ts'
import { CURRENT_LAYOUT } from '../catalogue/object-tables.ts'
import { boolean, integer, text } from '../session/columns.ts'
import type { Operation } from '../session/operation.ts'
import type { ReadSession } from '../session/session.ts'
import { lockType, type TableBuilder } from '../tables/construction.ts'
import type { Copying } from '../tables/copying.ts'
import { readUnchangedConverter } from '../tables/current-type.ts'
import { findRunningChanges, hasEndedCopies } from '../tables/definition-changes.ts'
import {
  advance,
  areCopiesComplete,
  catchUp,
  publishCopies,
  RewriteFailure,
  type StepOutcome,
  startRewrite,
} from '../tables/rewrite-table.ts'
import { cancelRewrite, failRewrite, hasChangedKeys, lockRewrite } from '../tables/rewrites.ts'
import { nextChangeStep } from './change-step.ts'
import { firstProgress, type RewriteSpec, type RewritingStore, runStep } from './rewriting-store.ts'

/** Takes one step, and returns the progress; undefined if there is nothing that this node can do. */
export function* rewriteNext(store: RewritingStore): Operation<RewriteProgress | undefined> {
  return yield* firstProgress([() => nextChangeStep(store), () => nextLayoutStep(store)])
}

/** True if `rewriteNext` may have something to do. */
export function* hasRewrites(session: ReadSession): Operation<boolean> {
  if ((yield* findRunningChanges(session)).length > 0) return true
  if (yield* hasEndedCopies(session)) return true
  return (yield* findTypesToRewrite(session)).length > 0
}

interface TypeToRewrite {
  readonly typeRid: string
  readonly isStarted: boolean
}

/** Returns the types to rewrite into a new layout: first those in progress, then the smallest. */
function* findTypesToRewrite(session: ReadSession): Operation<readonly TypeToRewrite[]> {
  return yield* session.query(
    // Another definition, or other objects, may allow what failed before.
    `SELECT t.rid, r.object_type_id IS NOT NULL FROM oqs_object_type AS t
     JOIN oqs_object_table AS o ON o.id = t.table_id
     LEFT JOIN oqs_rewrite AS r ON r.object_type_id = t.id
     WHERE r.change_id IS NULL AND CASE WHEN r.object_type_id IS NULL
       THEN o.is_created AND o.layout < ?
       ELSE r.phase <> 'failed' OR r.generation <> t.generation OR r.source_id <> t.table_id END
     ORDER BY r.object_type_id IS NULL, o.live_count, t.id`,
    [CURRENT_LAYOUT],
    { typeRid: text, isStarted: boolean },
  )
}

function* nextLayoutStep(store: RewritingStore): Operation<RewriteProgress | undefined> {
  const types = yield* findTypesToRewrite(store.reading)
  return yield* firstProgress(
    types.map(
      ({ typeRid, isStarted }) =>
        () =>
          isStarted ? continueRewrite(store, typeRid) : start(store, typeRid),
    ),
  )
}

function* start(store: RewritingStore, typeRid: string): Operation<RewriteProgress | undefined> {
  return yield* store.write(typeRid, function* (builder) {
    const { session } = builder
    const type = yield* lockType(builder, typeRid, 'commit')
    if (type === undefined) return undefined
    if ((yield* lockRewrite(session, type.id)) !== undefined) return undefined
    const source = yield* session.find(
      'SELECT is_created, layout, live_count FROM oqs_object_table WHERE id = ?',
      [type.tableId],
      { isCreated: boolean, layout: integer, totalObjects: integer },
    )
    if (source?.isCreated !== true || source.layout >= CURRENT_LAYOUT) return undefined
    yield* startRewrite(builder, type.id)
    return { typeRid, phase: 'copying', objects: 0, totalObjects: source.totalObjects }
  })
}

function* continueRewrite(
  store: RewritingStore,
  typeRid: string,
): Operation<RewriteProgress | undefined> {
  const spec: RewriteSpec = {
    typeRid,
    changeId: undefined,
    conversion: function* ({ session }, { id, generation }) {
      const name = `${id} ${generation}`
      const converter = store.converters.get(name) ?? (yield* readUnchangedConverter(session, id))
      store.converters.set(name, converter)
      return { converter, unfit: [] }
    },
    // If its table still has an earlier layout, it starts again.
    restart: (builder, { id }, rewrite) => cancelRewrite(builder, id, rewrite),
  }
  try {
    const advanced = yield* runStep(store, spec, 'load', function* (builder, copying, rewrite) {
      const outcome = yield* advance(builder, copying, rewrite)
      refuseUnreadable(copying)
      return outcome
    })
    if (advanced?.isReady !== true) return advanced?.progress
    yield* store.recoverTransactions()
    return (yield* runStep(store, spec, 'commit', publish))?.progress
  } catch (error) {
    if (!(error instanceof RewriteFailure)) throw error
    const { message: reason } = error
    const failed = yield* runStep(store, spec, 'load', function* (builder, { typeId }, rewrite) {
      yield* failRewrite(builder, typeId, rewrite, reason)
      return { phase: 'failed', reason }
    })
    return failed?.progress
  }
}

/** The message names no values, because progress is logged. */
function refuseUnreadable({ unfit: [first] }: Copying): void {
  if (first === undefined) return
  const { property, reason } = first
  throw new RewriteFailure(property === undefined ? reason : `${property} ${reason}`)
}

/** Publishes the copies, after those of the last changes. No commit comes in between. */
function* publish(builder: TableBuilder, copying: Copying): Operation<StepOutcome> {
  const catchingUp = { phase: 'catchingUp' } as const
  if (builder.publishesSeparately) {
    // Copies of this transaction could become visible later than the version, on another machine.
    // A type that is written without a pause therefore keeps its table until there is one.
    if (yield* hasChangedKeys(builder.session, copying.typeId)) return catchingUp
    if (!(yield* builder.areRowsVisible(copying.tableId))) return catchingUp
  } else if (!(yield* catchUp(builder, copying))) return catchingUp
  refuseUnreadable(copying)
  if (!(yield* areCopiesComplete(builder, copying))) return catchingUp
  yield* publishCopies(builder, copying, 0)
  return { phase: 'published' }
}
