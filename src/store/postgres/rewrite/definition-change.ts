/** Background changes of definitions, in the catalogue. See change-step.ts. */
import type { ObjectType, Ontology } from '../../../ontology/ontology.ts'
import type {
  DefinitionChange,
  DefinitionChangeState,
  UnfitObject,
} from '../../definition-change.ts'
import { reasonsOf, type StoredType, typesToRewrite } from '../../sql/plan-types.ts'
import {
  type ChangePlan,
  changeInProgress,
  decodeChange,
  encodeChange,
  type TypeConverter,
  unfitOf,
  withUnfitOf,
} from '../../sql/stored-change.ts'
import { numberTableFields } from '../catalogue/field-columns.ts'
import {
  addObjectTable,
  createObjectTable,
  refuseTooManyColumns,
} from '../catalogue/object-table.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import type { Database, Row, Session, WriteSession } from '../driver/database.ts'
import { refuseSeparatePublication } from '../writes/rewrite-type.ts'
import { deleteRewrite, lockRewrite, readRewriteStates, saveRewrite } from './rewrite-state.ts'

export interface RunningChange {
  readonly ontologyRid: string
  readonly id: string
}

/** Returns the running changes, the oldest first. */
export async function findRunningChanges(database: Database): Promise<RunningChange[]> {
  const rows = await database.query(
    `SELECT ontology_rid, id FROM oqs_definition_change
     WHERE state = 'running' ORDER BY started_at_ms, ontology_rid`,
  )
  return rows.map(([ontologyRid, id]) => ({
    ontologyRid: String(ontologyRid),
    id: String(id),
  }))
}

/** Returns the plan of a change, and the definition before it; undefined if it has ended. */
export async function readPlan(
  session: Pick<Session, 'query'>,
  { ontologyRid, id }: RunningChange,
): Promise<{ readonly plan: ChangePlan; readonly before: ChangePlan['definition'] } | undefined> {
  const [row] = await session.query(
    `SELECT c.change, o.definition FROM oqs_definition_change AS c
     JOIN oqs_ontology AS o ON o.rid = c.ontology_rid
     WHERE c.ontology_rid = ? AND c.id = ? AND c.state = 'running'`,
    [ontologyRid, id],
  )
  if (row === undefined) return undefined
  const before = JSON.parse(String(row[1])) as ChangePlan['definition']
  return { plan: decodeChange(String(row[0])), before }
}

/** Throws if the definition of an ontology is being changed. */
export async function refuseWhileChanging(session: Session, ontologyRid: string): Promise<void> {
  const [row] = await session.query(
    `SELECT o.api_name, c.id FROM oqs_definition_change AS c
     JOIN oqs_ontology AS o ON o.rid = c.ontology_rid
     WHERE c.ontology_rid = ? AND c.state = 'running'`,
    [ontologyRid],
  )
  if (row !== undefined) throw changeInProgress(String(row[0]), String(row[1]))
}

export interface StartedChange {
  readonly id: string
  readonly requestedAtMs: number
  readonly ontology: Ontology
  readonly plan: ChangePlan
}

/** Starts to copy the objects of all types that a change rewrites. The types must be locked. */
export async function startChange(
  session: WriteSession,
  capabilities: Capabilities,
  { id, requestedAtMs, ontology, plan }: StartedChange,
  stored: readonly StoredType[],
): Promise<void> {
  const types = typesToRewrite(stored, plan).map((step) => {
    const type = ontology.objectTypes.get(step.definition.apiName)
    if (type === undefined) throw new Error(`no object type ${step.definition.apiName}`)
    return { id: step.id, type }
  })
  refuseSeparatePublication(
    capabilities,
    types.map(({ type }) => type),
  )
  await session.run('DELETE FROM oqs_definition_change WHERE ontology_rid = ?', [ontology.rid])
  await session.run(
    `INSERT INTO oqs_definition_change (ontology_rid, id, state, change, started_at_ms)
     VALUES (?, ?, 'running', ?, ?)`,
    [ontology.rid, id, encodeChange(plan), requestedAtMs],
  )
  for (const { id: typeId, type } of types) {
    // A rewrite into another layout is no longer needed: the new table has the current one.
    const other = await lockRewrite(session, typeId)
    if (other !== undefined && other !== 'busy') await deleteRewrite(session, typeId, other)
    await startCopies(session, capabilities, { typeId, changeId: id, type })
  }
}

/** Adds an empty table for the copies of a type, with a version that is reserved now. */
export async function startCopies(
  session: WriteSession,
  capabilities: Capabilities,
  { typeId, changeId, type }: { typeId: number; changeId: string; type: ObjectType },
): Promise<void> {
  const [row] = await session.query(
    `UPDATE oqs_object_type SET last_version = last_version + 1 WHERE id = ?
     RETURNING last_version, published, generation, table_id`,
    [typeId],
  )
  const [version = 0, notedVersion = 0, generation = 0, sourceId = 0] = (row ?? []).map(Number)
  await createIfMissing(session, capabilities, typeId, sourceId)
  const copies = { state: 'rewriting', firstVersion: version, loadedAs: version } as const
  const tableId = await addObjectTable(session, { typeId, ...copies })
  const fields = await numberTableFields(session, tableId, type)
  refuseTooManyColumns(type, fields)
  await createObjectTable(session, capabilities, { typeId, id: tableId, isLoading: true, fields })
  await saveRewrite(session, typeId, { sourceId, tableId, generation, notedVersion, changeId })
}

/** A type without objects may not have its table yet, from which the copies are made. */
async function createIfMissing(
  session: WriteSession,
  capabilities: Capabilities,
  typeId: number,
  id: number,
): Promise<void> {
  const [row] = await session.query('SELECT is_created FROM oqs_object_table WHERE id = ?', [id])
  if (row?.[0] !== true)
    await createObjectTable(session, capabilities, { typeId, id, isLoading: false })
}

/** Returns the objects of a type that do not fit, found so far. Its rewrite must be locked. */
export async function readUnfit(
  session: Session,
  { id }: RunningChange,
  converter: TypeConverter,
): Promise<UnfitObject[]> {
  const rows = await session.query('SELECT unfit_objects FROM oqs_definition_change WHERE id = ?', [
    id,
  ])
  return unfitOf(converter, decodeUnfit(rows))
}

/**
 * Saves the objects of a type that do not fit, in the transaction that has found them. Returns those
 * of all types. Locks the change: another node may find some of another type.
 */
export async function saveUnfit(
  session: WriteSession,
  { id }: RunningChange,
  converter: TypeConverter,
  unfit: readonly UnfitObject[],
): Promise<readonly UnfitObject[]> {
  const rows = await session.query(
    'SELECT unfit_objects FROM oqs_definition_change WHERE id = ? FOR UPDATE',
    [id],
  )
  const found = withUnfitOf(converter, unfit, decodeUnfit(rows))
  await session.run('UPDATE oqs_definition_change SET unfit_objects = ? WHERE id = ?', [
    JSON.stringify(found),
    id,
  ])
  return found
}

function decodeUnfit([row]: readonly Row[]): UnfitObject[] {
  return row === undefined ? [] : (JSON.parse(String(row[0])) as UnfitObject[])
}

/** Why a change has failed. */
export interface Failure {
  readonly reasons: readonly string[]
  readonly unfit: readonly UnfitObject[]
}

/** Thrown if a change cannot be carried out. */
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

/** Ends a change; the earlier definition stays. `removeEndedCopies` removes what it has copied. */
export async function failChange(
  database: Database,
  { id }: RunningChange,
  { reasons, unfit }: Failure,
): Promise<void> {
  await database.write((session) =>
    session.run(
      `UPDATE oqs_definition_change SET state = 'failed', reasons = ?, unfit_objects = ?
       WHERE id = ? AND state = 'running'`,
      [JSON.stringify(reasons), JSON.stringify(unfit), id],
    ),
  )
}

/** Cancels a change if it is running, and returns whether it was. Waits for no step. */
export async function cancelChange(database: Database, ontologyRid: string): Promise<boolean> {
  const count = await database.write((session) =>
    session.run(
      `UPDATE oqs_definition_change SET state = 'cancelled'
       WHERE ontology_rid = ? AND state = 'running'`,
      [ontologyRid],
    ),
  )
  return count > 0
}

/** Rewrites of changes that have ended. */
const ENDED = `r.change_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM oqs_definition_change AS c
  WHERE c.id = r.change_id AND c.state = 'running')`

/** Abandons the copies of changes that have failed or were cancelled; reclaim removes them. */
export async function removeEndedCopies(database: Database): Promise<void> {
  const ended = await database.query(`SELECT 1 FROM oqs_rewrite AS r WHERE ${ENDED} LIMIT 1`)
  if (ended.length === 0) return
  await database.write(
    async (session) => {
      const rows = await session.query(
        `SELECT object_type_id, change_id FROM oqs_rewrite AS r
         WHERE ${ENDED} ORDER BY object_type_id`,
      )
      for (const [typeId, changeId] of rows) {
        const rewrite = await lockRewrite(session, Number(typeId))
        if (rewrite === undefined || rewrite === 'busy') continue
        // Another change may have started before the rewrite was locked.
        if (rewrite.changeId !== changeId) continue
        await deleteRewrite(session, Number(typeId), rewrite)
      }
    },
    { key: 'ended changes' },
  )
}

/** Returns the last background change of an ontology, running or ended. */
export async function readDefinitionChange(
  database: Database,
  ontologyRid: string,
): Promise<DefinitionChange | undefined> {
  const [row] = await database.query(
    `SELECT id, state, change, started_at_ms, reasons, unfit_objects, (
       SELECT coalesce(sum(o.live_count), 0) FROM oqs_object_table AS o
       JOIN oqs_rewrite AS r ON r.object_type_id = o.object_type_id AND r.change_id = c.id
       WHERE o.state = 'loading'
     ) FROM oqs_definition_change AS c WHERE ontology_rid = ?`,
    [ontologyRid],
  )
  if (row === undefined) return undefined
  const [id, state, change, startedAtMs, reasons, unfit, loadingObjects] = row
  const { types, links } = decodeChange(String(change))
  return {
    id: String(id),
    state: state as DefinitionChangeState,
    types,
    links,
    startedAtMs: Number(startedAtMs),
    rewrites: await readRewriteStates(database, String(id)),
    loadingObjects: Number(loadingObjects),
    reasons: JSON.parse(String(reasons)) as string[],
    unfitObjects: JSON.parse(String(unfit)) as UnfitObject[],
  }
}
