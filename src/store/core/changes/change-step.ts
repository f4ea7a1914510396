/**
 * Carries out changes of definitions in the background, one short transaction after the other. The
 * objects of all types that a change converts are copied into new tables, while commits and readers
 * go on. When only a few changed objects are left to copy again, one transaction saves the definition
 * and publishes the tables of all types; commits wait only for that one. Snapshots of earlier versions
 * read the earlier tables until they expire.
 *
 * Locks are taken in this order: catalogue, types, rewrites, change.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { RewriteProgress } from '../../port/maintenance.ts'
import { UNFIT_OBJECTS_MAX } from '../../sql/plan-definition-change.ts'
import {
  REDEFINED,
  refusalReasons,
  type TypeConverter,
  typeConverter,
} from '../../sql/stored-change.ts'
import type { LockedType } from '../commits/locked-type.ts'
import {
  boolean,
  integer,
  type Operation,
  type ReadSession,
  text,
  word,
} from '../session/session.ts'
import { lockType, type TableBuilder } from '../tables/construction.ts'
import type { Copying } from '../tables/convert-rows.ts'
import {
  failChange,
  findRunningChanges,
  hasEndedCopies,
  type RunningChange,
  readPlan,
  readUnfit,
  removeEndedCopies,
  saveUnfit,
} from '../tables/definition-changes.ts'
import {
  ChangeFailure,
  cancelRewrite,
  countCopies,
  type Failure,
  lockRewrite,
  type Rewrite,
} from '../tables/rewrite-records.ts'
import {
  advance,
  copyingOf,
  isCurrent,
  listChanges,
  type StepOutcome,
  startRewrite,
} from '../tables/rewrite-table.ts'
import { publishChange, type RewritingStore } from './publish-change.ts'

/** True if `rewriteNext` may have something to do. */
export function* hasRewrites(session: ReadSession): Operation<boolean> {
  return (yield* findRunningChanges(session)).length > 0 || (yield* hasEndedCopies(session))
}

/**
 * Takes one step of the first change that makes progress, and returns the progress; undefined if
 * there is nothing that this node can do. A change whose step throws does not hold up the others; its
 * error is thrown if none of them makes progress.
 */
export function* rewriteNext(store: RewritingStore): Operation<RewriteProgress | undefined> {
  if (yield* hasEndedCopies(store.reading)) yield* store.write('ended changes', removeEndedCopies)
  const errors: unknown[] = []
  for (const change of yield* findRunningChanges(store.reading)) {
    try {
      const progress = yield* changeStep(store, change)
      if (progress !== undefined) return progress
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return undefined
}

/** Takes one step of a change. Returns undefined if there is nothing that this node can do. */
export function* changeStep(
  store: RewritingStore,
  change: RunningChange,
): Operation<RewriteProgress | undefined> {
  const { ontologyRid } = change
  const types = yield* readTypes(store, change)
  const fail = (failure: Failure) =>
    store.write(change.id, ({ session }) => failChange(session, change, failure))
  const [first] = types
  if (first === undefined) {
    // Without effect if the change has ended meanwhile.
    yield* fail(COPIES_LOST)
    return undefined
  }
  try {
    const progress = yield* takeStep(store, change, types)
    return progress && { ...progress, ontologyRid }
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) throw error
    yield* fail(failure)
    const { typeRid, objects, totalObjects } = first
    // Without the reasons: they contain keys, and progress is logged.
    const reason = 'the objects or other definitions do not allow the change'
    return { typeRid, ontologyRid, phase: 'failed', objects, totalObjects, reason }
  }
}

/** Nothing removes the rewrites of a running change, but without them it would never end. */
const COPIES_LOST: Failure = {
  reasons: ['the converted objects were lost; apply the definition again'],
  unfit: [],
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ChangeFailure) return error
  const isRefused =
    error instanceof ObjectQueryError &&
    ['OntologyChangeRefused', 'InvalidOntologyDefinition'].includes(error.errorName)
  return isRefused ? { reasons: refusalReasons(error), unfit: [] } : undefined
}

/** A type whose objects are converted. */
interface ChangingType extends Pick<RewriteProgress, 'typeRid' | 'objects' | 'totalObjects'> {
  readonly phase: Rewrite['phase']
  /** Whether objects have changed that are not copied again yet. */
  readonly hasChanges: boolean
  /** Whether a replacement is open, also if it has no objects yet. */
  readonly isLoading: boolean
}

/**
 * Returns the types of a change, first the one with the fewest steps: they take turns. The table from
 * which one is copied may have been replaced and dropped since.
 */
function* readTypes(
  { reading }: RewritingStore,
  { id }: RunningChange,
): Operation<readonly ChangingType[]> {
  return yield* reading.query(
    `SELECT t.rid, r.phase, copies.live_count, coalesce(source.live_count, 0),
       t.published > r.noted_version OR t.table_id <> r.source_id OR t.generation <> r.generation
         OR EXISTS (SELECT 1 FROM oqs_rewrite_key AS k WHERE k.object_type_id = t.id),
       EXISTS (SELECT 1 FROM oqs_object_table AS l
         WHERE l.object_type_id = t.id AND l.state = 'loading')
     FROM oqs_rewrite AS r JOIN oqs_object_type AS t ON t.id = r.object_type_id
     JOIN oqs_object_table AS copies ON copies.id = r.table_id
     LEFT JOIN oqs_object_table AS source ON source.id = r.source_id
     WHERE r.change_id = ? ORDER BY r.steps, t.id`,
    [id],
    {
      typeRid: text,
      phase: word<Rewrite['phase']>,
      objects: integer,
      totalObjects: integer,
      hasChanges: boolean,
      isLoading: boolean,
    },
  )
}

function* takeStep(
  store: RewritingStore,
  change: RunningChange,
  types: readonly ChangingType[],
): Operation<RewriteProgress | undefined> {
  const isCopied = types.every(({ phase }) => phase === 'catchingUp')
  // Types that are copied already must keep up with commits too: rows that show a change may be
  // reclaimed.
  const next = types.find(({ phase, hasChanges }) => phase !== 'catchingUp' || hasChanges)
  if (next !== undefined) {
    const step = yield* advanceType(store, change, next.typeRid)
    if (step === undefined || !step.isReady || !isCopied) return step?.progress
  }
  if (types.some(({ isLoading }) => isLoading)) return undefined
  const converters = new Map<string, TypeConverter>()
  for (const { typeRid } of types) {
    const converter = yield* converterOf(store, change, typeRid)
    if (converter === undefined) return undefined
    converters.set(typeRid, converter)
  }
  return yield* publishChange(store, change, converters)
}

interface StepResult {
  readonly progress: RewriteProgress
  /** Whether the copies can be published. */
  readonly isReady: boolean
}

/** Copies objects of a type in a transaction. Returns undefined if another node works on the type. */
function* advanceType(
  store: RewritingStore,
  change: RunningChange,
  typeRid: string,
): Operation<StepResult | undefined> {
  const converter = yield* converterOf(store, change, typeRid)
  if (converter === undefined) return undefined
  // With a key of its own: commits of the type need not wait until a step ends.
  return yield* store.write(`rewrite ${typeRid}`, function* (builder) {
    const { session } = builder
    const type = yield* lockType(builder, typeRid, 'load')
    if (type === undefined) return undefined
    const rewrite = yield* lockRewrite(session, type.id)
    if (rewrite === undefined || rewrite === 'busy') return undefined
    if (rewrite.changeId !== change.id) return undefined
    const isValid = isCurrent(rewrite, type) && (yield* listChanges(builder, type, rewrite))
    const { isReady = false, phase } = isValid
      ? yield* copyMore(builder, change, { converter, typeId: type.id }, rewrite)
      : yield* startAgain(builder, change, converter, { type, rewrite })
    const counts = yield* countCopies(session, rewrite)
    return { progress: { typeRid, phase, ...counts }, isReady }
  })
}

/** The objects were replaced, or rows that show how they changed may have been reclaimed. */
function* startAgain(
  builder: TableBuilder,
  change: RunningChange,
  converter: TypeConverter,
  { type, rewrite }: { readonly type: LockedType; readonly rewrite: Rewrite },
): Operation<StepOutcome> {
  if (rewrite.generation !== type.generation) throw new ChangeFailure([REDEFINED])
  yield* cancelRewrite(builder, type.id, rewrite)
  yield* startRewrite(builder, type.id, { changeId: change.id, type: converter.type })
  yield* saveUnfit(builder.session, change, converter, [])
  return { phase: 'cancelled' }
}

function* copyMore(
  builder: TableBuilder,
  change: RunningChange,
  { converter, typeId }: Pick<Copying, 'converter' | 'typeId'>,
  rewrite: Rewrite,
): Operation<StepOutcome> {
  const unfit = yield* readUnfit(builder.session, change, converter)
  const copying = yield* copyingOf(builder, typeId, rewrite, { converter, unfit })
  const outcome = yield* advance(builder, copying, rewrite)
  if (unfit.length === 0) return outcome
  const found = yield* saveUnfit(builder.session, change, converter, unfit)
  const isTried = rewrite.phase !== 'copying' || outcome.phase !== 'copying'
  // The first ten objects that do not fit are reported, not only the first one.
  if (isTried || unfit.length >= UNFIT_OBJECTS_MAX) {
    throw ChangeFailure.ofUnfit(found.slice(0, UNFIT_OBJECTS_MAX))
  }
  return outcome
}

/** Returns how a change converts the objects of a type; undefined if it has ended. */
function* converterOf(
  { reading, converters }: RewritingStore,
  change: RunningChange,
  typeRid: string,
): Operation<TypeConverter | undefined> {
  const name = `${change.id} ${typeRid}`
  const known = converters.get(name)
  if (known !== undefined) return known
  const read = yield* readPlan(reading, change)
  if (read === undefined) return undefined
  const converter = typeConverter(read.before, read.plan, typeRid)
  converters.set(name, converter)
  return converter
}
