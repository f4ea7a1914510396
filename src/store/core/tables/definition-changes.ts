/** Background changes of definitions, in the catalogue. */
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type {
  DefinitionChange,
  DefinitionChangeState,
  UnfitObject,
} from '../../port/definitions.ts'
import { refuseUnfit, type StoredType, typesToRewrite } from '../../sql/plan-definition-change.ts'
import {
  type ChangePlan,
  decodeChange,
  encodeChange,
  type TypeConverter,
  typeConverter,
  unfitOf,
  withUnfitOf,
} from '../../sql/stored-change.ts'
import {
  type CoreSession,
  integer,
  json,
  type Operation,
  type ReadSession,
  text,
  word,
} from '../session/session.ts'
import type { WriteOperation } from '../session/store-operations.ts'
import type { TableBuilder } from './construction.ts'
import { copyAtOnce, restartRewrite } from './redefine-types.ts'
import {
  cancelRewrite,
  type Failure,
  lockRewrite,
  type Rewrite,
  readRewriteStates,
  saveProgress,
} from './rewrite-records.ts'

export interface RunningChange {
  readonly ontologyRid: string
  readonly id: string
}

/** Returns the running changes, the oldest first. */
export function* findRunningChanges(session: ReadSession): Operation<readonly RunningChange[]> {
  return yield* session.query(
    `SELECT ontology_rid, id FROM oqs_definition_change
     WHERE state = 'running' ORDER BY started_at_ms, ontology_rid`,
    [],
    { ontologyRid: text, id: text },
  )
}

/** The plan of a change, and the definition before it. */
export interface PlanOfChange {
  readonly plan: ChangePlan
  readonly before: OntologyDefinition
}

const PLAN = {
  plan: (value: unknown) => decodeChange(text(value)),
  before: json<OntologyDefinition>,
}

/** Returns undefined if the change has ended. */
export function* readPlan(
  session: ReadSession,
  { ontologyRid, id }: RunningChange,
): Operation<PlanOfChange | undefined> {
  return yield* session.find(
    `SELECT c.change, o.definition FROM oqs_definition_change AS c
     JOIN oqs_ontology AS o ON o.rid = c.ontology_rid
     WHERE c.ontology_rid = ? AND c.id = ? AND c.state = 'running'`,
    [ontologyRid, id],
    PLAN,
  )
}

export type StartedChange = ChangePlan & Pick<OntologyChange, 'id' | 'requestedAtMs'>

interface StartedRewrite {
  readonly typeId: number
  readonly typeRid: string
  readonly rewrite: Rewrite
}

/** Starts to copy the objects of all types that a change rewrites. The types must be locked. */
export function* startChange(
  builder: TableBuilder,
  { id, requestedAtMs, ...plan }: StartedChange,
  stored: readonly StoredType[],
): Operation<readonly StartedRewrite[]> {
  const { session } = builder
  const { rid, objectTypes } = parseDefinition(plan.definition)
  const types = typesToRewrite(stored, plan).map((step) => {
    const type = objectTypes.get(step.definition.apiName)
    if (type === undefined) throw new Error(`no object type ${step.definition.apiName}`)
    return { typeId: step.id, type }
  })
  yield* session.run('DELETE FROM oqs_definition_change WHERE ontology_rid = ?', [rid])
  yield* session.run(
    `INSERT INTO oqs_definition_change (ontology_rid, id, state, change, started_at_ms)
     VALUES (?, ?, 'running', ?, ?)`,
    [rid, id, encodeChange(plan), requestedAtMs],
  )
  const started: StartedRewrite[] = []
  for (const { typeId, type } of types) {
    const rewrite = yield* restartRewrite(builder, typeId, { changeId: id, type })
    started.push({ typeId, typeRid: type.rid, rewrite })
  }
  return started
}

/**
 * Copies all objects of a change that was started in this transaction, so that it can be published
 * in the next one. Throws if an object does not fit.
 */
export function* copyStarted(
  builder: TableBuilder,
  change: RunningChange,
  started: readonly StartedRewrite[],
): Operation<void> {
  const { session } = builder
  const read = yield* readPlan(session, change)
  if (read === undefined) throw new Error(`no change ${change.id}`)
  const unfit: UnfitObject[] = []
  for (const { typeId, typeRid, rewrite } of started) {
    const converter = typeConverter(read.before, read.plan, typeRid)
    yield* copyAtOnce(builder, typeId, rewrite, { converter, unfit })
    yield* saveProgress(session, typeId, { phase: 'catchingUp', copiedTo: rewrite.copiedTo })
  }
  refuseUnfit(unfit)
}

const UNFIT = { unfit: json<UnfitObject[]> } as const

/** Returns the objects of a type that do not fit, found so far. Its rewrite must be locked. */
export function* readUnfit(
  session: ReadSession,
  { id }: RunningChange,
  converter: TypeConverter,
): Operation<UnfitObject[]> {
  const sql = 'SELECT unfit_objects FROM oqs_definition_change WHERE id = ?'
  return unfitOf(converter, (yield* session.find(sql, [id], UNFIT))?.unfit ?? [])
}

/**
 * Saves the objects of a type that do not fit, in the transaction that has found them. Returns those
 * of all types. Locks the change: another node may find some of another type.
 */
export function* saveUnfit(
  session: CoreSession,
  { id }: RunningChange,
  converter: TypeConverter,
  unfit: readonly UnfitObject[],
): Operation<readonly UnfitObject[]> {
  const change = yield* session.find(
    `SELECT unfit_objects FROM oqs_definition_change WHERE id = ?${session.dialect.lock.change}`,
    [id],
    UNFIT,
  )
  const found = withUnfitOf(converter, unfit, change?.unfit ?? [])
  yield* session.run('UPDATE oqs_definition_change SET unfit_objects = ? WHERE id = ?', [
    JSON.stringify(found),
    id,
  ])
  return found
}

/**
 * Ends a change; the earlier definition stays, and `removeEndedCopies` removes what it has copied.
 * Does nothing if the change has ended, and perhaps another one has started.
 */
export function* failChange(
  session: CoreSession,
  { id }: RunningChange,
  { reasons, unfit }: Failure,
): Operation<void> {
  yield* session.run(
    `UPDATE oqs_definition_change SET state = 'failed', reasons = ?, unfit_objects = ?
     WHERE id = ? AND state = 'running'`,
    [JSON.stringify(reasons), JSON.stringify(unfit), id],
  )
}

/** Cancels a change if it is running, and returns whether it was. Waits for no step. */
export const cancelChange: WriteOperation<string, boolean> = {
  name: 'cancelChange',
  *run(session, ontologyRid) {
    const cancelled = yield* session.run(
      `UPDATE oqs_definition_change SET state = 'cancelled'
       WHERE ontology_rid = ? AND state = 'running'`,
      [ontologyRid],
    )
    return cancelled > 0
  },
}

/** Rewrites of changes that have ended. */
const ENDED = `NOT EXISTS (SELECT 1 FROM oqs_definition_change AS c
  WHERE c.id = r.change_id AND c.state = 'running')`

export function* hasEndedCopies(session: ReadSession): Operation<boolean> {
  const sql = `SELECT r.table_id FROM oqs_rewrite AS r WHERE ${ENDED} LIMIT 1`
  return (yield* session.find(sql, [], { tableId: integer })) !== undefined
}

/** Abandons the copies of changes that have failed or were cancelled; reclaim removes them. */
export function* removeEndedCopies(builder: TableBuilder): Operation<void> {
  const { session } = builder
  const ended = yield* session.query(
    `SELECT object_type_id, change_id FROM oqs_rewrite AS r WHERE ${ENDED} ORDER BY object_type_id`,
    [],
    { typeId: integer, changeId: text },
  )
  for (const { typeId, changeId } of ended) {
    const rewrite = yield* lockRewrite(session, typeId)
    if (rewrite === undefined || rewrite === 'busy') continue
    // Another change may have started before the rewrite was locked.
    if (rewrite.changeId === changeId) yield* cancelRewrite(builder, typeId, rewrite)
  }
}

/** Returns the last background change of an ontology, running or ended. */
export function* readDefinitionChange(
  session: ReadSession,
  ontologyRid: string,
): Operation<DefinitionChange | undefined> {
  const row = yield* session.find(
    `SELECT id, state, change, started_at_ms, reasons, unfit_objects, (
       SELECT coalesce(sum(o.live_count), 0) FROM oqs_object_table AS o
       JOIN oqs_rewrite AS r ON r.object_type_id = o.object_type_id AND r.change_id = c.id
       WHERE o.state = 'loading'
     ) FROM oqs_definition_change AS c WHERE ontology_rid = ?`,
    [ontologyRid],
    {
      id: text,
      state: word<DefinitionChangeState>,
      change: (value: unknown) => decodeChange(text(value)),
      startedAtMs: integer,
      reasons: json<string[]>,
      unfitObjects: json<UnfitObject[]>,
      loadingObjects: integer,
    },
  )
  if (row === undefined) return undefined
  const { change, ...state } = row
  const rewrites = yield* readRewriteStates(session, row.id)
  return { ...state, types: change.types, links: change.links, rewrites }
}
