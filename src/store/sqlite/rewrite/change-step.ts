/**
 * Carries out a background change of a definition. All types whose objects it converts are copied
 * like those of an older layout, see rewrite-step.ts. When only a few changed objects are left to copy
 * again, one transaction saves the definition and publishes the tables of all types.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { lockTypes, readDefinition } from '../../core/definitions/ontology-rows.ts'
import { publishDefinition } from '../../core/definitions/save-ontology.ts'
import { settled } from '../../core/session/operation.ts'
import type { UnfitObject } from '../../definition-change.ts'
import type { RewriteProgress } from '../../rewrite.ts'
import { reasonsOf, UNFIT_OBJECTS_MAX } from '../../sql/plan-types.ts'
import {
  REDEFINED,
  refusalReasons,
  typeConverter,
  unfitOf,
  withUnfitOf,
} from '../../sql/stored-change.ts'
import { definitionTables } from '../catalogue/definition-jobs.ts'
import { runIn } from '../file/sqlite-session.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { publishRedefined } from '../writes/rewrite-type.ts'
import { type Conversion, RewriteFailure } from './copy-objects.ts'
import {
  type FailedChange,
  findRunningChanges,
  type RunningChange,
  readPlan,
  saveState,
  saveUnfit,
} from './definition-change.ts'
import {
  catchUp,
  copyStep,
  endRewrite,
  hasManyChanges,
  indexStep,
  progressOf,
  startCopies,
} from './rewrite-phases.ts'
import { findRewrites, type Rewrite } from './rewrite-states.ts'

/** Ends a change: its transaction is rolled back, and another one records why. */
export class ChangeFailure extends Error implements FailedChange {
  readonly ontologyRid: string
  readonly id: string
  readonly reasons: readonly string[]
  readonly unfit: readonly UnfitObject[]

  constructor(
    { ontologyRid, id }: RunningChange,
    reasons: readonly string[],
    unfit: readonly UnfitObject[] = [],
  ) {
    super('the definition cannot be changed')
    this.ontologyRid = ontologyRid
    this.id = id
    this.reasons = reasons
    this.unfit = unfit
  }
}

/** Runs one step of a change. Returns undefined if it has ended, or waits for a replacement. */
export function changeStep(db: WriterDatabase, id: string): RewriteProgress | undefined {
  const change = findRunningChanges(db).find((running) => running.id === id)
  if (change === undefined) return undefined
  const rewrites = findRewrites(db, change)
  const replaced = rewrites.find(({ isCurrent }) => !isCurrent)
  if (replaced !== undefined) return restart(db, change, replaced)
  const loading = rewrites.find(({ phase }) => phase !== 'catchingUp')
  if (loading !== undefined) {
    return loading.phase === 'copying' ? copy(db, change, loading) : indexStep(db, loading)
  }
  const behind = rewrites.find((rewrite) => hasManyChanges(db, rewrite))
  if (behind !== undefined) {
    followCommits(db, change, behind)
    return progressOf(behind, 'catchingUp')
  }
  return publish(db, change, rewrites)
}

/**
 * Starts a type again after its objects were replaced: all of them are copied from their new table.
 */
function restart(db: WriterDatabase, change: RunningChange, rewrite: Rewrite): RewriteProgress {
  if (rewrite.isRedefined) throw new ChangeFailure(change, [REDEFINED])
  const { converter } = conversionOf(db, change, rewrite)
  endRewrite(db, rewrite)
  startCopies(db, rewrite.typeId, { id: change.id, type: converter.type })
  saveUnfit(db, change.ontologyRid, withUnfitOf(converter, [], change.unfit))
  return progressOf(rewrite, 'cancelled')
}

function copy(db: WriterDatabase, change: RunningChange, rewrite: Rewrite): RewriteProgress {
  const conversion = conversionOf(db, change, rewrite)
  const { unfit } = conversion
  const progress = copyStep(db, rewrite, conversion)
  if (unfit.length === 0) return progress
  const found = withUnfitOf(conversion.converter, unfit, change.unfit)
  // The first ten objects that do not fit are reported, not only the first one.
  if (progress.phase !== 'copying' || unfit.length >= UNFIT_OBJECTS_MAX) {
    const reported = found.slice(0, UNFIT_OBJECTS_MAX)
    throw new ChangeFailure(change, reasonsOf(reported), reported)
  }
  saveUnfit(db, change.ontologyRid, found)
  return progress
}

/** Copies the objects again that were committed meanwhile. Returns true if none are left. */
function followCommits(db: WriterDatabase, change: RunningChange, rewrite: Rewrite): boolean {
  const conversion = conversionOf(db, change, rewrite)
  const isDone = catchUp(db, rewrite, conversion)
  const { unfit } = conversion
  if (unfit.length > 0) throw new ChangeFailure(change, reasonsOf(unfit), unfit)
  return isDone
}

function publish(
  db: WriterDatabase,
  change: RunningChange,
  rewrites: readonly Rewrite[],
): RewriteProgress | undefined {
  const copies = new Map(
    rewrites.map((rewrite) => [
      rewrite.typeId,
      (generation: number) => settled(publishRedefined(db, rewrite, generation)),
    ]),
  )
  if (rewrites.some((rewrite) => isReplacing(db, rewrite))) return undefined
  try {
    for (const rewrite of rewrites) followCommits(db, change, rewrite)
    const tables = definitionTables(db)
    runIn(db, function* (session) {
      const stored = yield* lockTypes(session, tables, change.ontologyRid)
      yield* publishDefinition(session, tables, { change: readPlan(db, change), stored, copies })
    })
  } catch (error) {
    if (error instanceof RewriteFailure) throw new ChangeFailure(change, [error.message])
    if (error instanceof ObjectQueryError) throw new ChangeFailure(change, refusalReasons(error))
    throw error
  }
  saveState(db, change.ontologyRid, 'published')
  const [first] = rewrites
  return first && progressOf(first, 'published')
}

/** True if a replacement of a type is open, also if it has no objects yet. */
function isReplacing(db: WriterDatabase, { typeId }: Rewrite): boolean {
  const sql = `SELECT 1 FROM oqs_object_table WHERE object_type_id = ? AND state = 'loading' LIMIT 1`
  return db.prepare(sql).get(typeId) !== undefined
}

function conversionOf(db: WriterDatabase, change: RunningChange, { typeRid }: Rewrite): Conversion {
  const name = `${change.id} ${typeRid}`
  const converter =
    db.converters.get(name) ??
    typeConverter(definitionOf(db, change), readPlan(db, change), typeRid)
  db.converters.set(name, converter)
  return { converter, unfit: unfitOf(converter, change.unfit) }
}

function definitionOf(db: WriterDatabase, { ontologyRid }: RunningChange): OntologyDefinition {
  const definition = runIn(db, (session) => readDefinition(session, ontologyRid))
  if (definition === undefined) throw new Error(`no definition of ${ontologyRid}`)
  return definition
}
