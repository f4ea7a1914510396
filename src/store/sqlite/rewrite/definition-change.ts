/** Background changes of definitions, in the catalogue. See change-step.ts. */
import type { DatabaseSync } from 'node:sqlite'
import { parseDefinition } from '../../../ontology/definition/parse-definition.ts'
import type {
  DefinitionChange,
  DefinitionChangeState,
  UnfitObject,
} from '../../definition-change.ts'
import type { RewriteProgress } from '../../rewrite.ts'
import { type StoredType, typesToRewrite } from '../../sql/plan-types.ts'
import {
  type ChangePlan,
  changeInProgress,
  decodeChange,
  encodeChange,
} from '../../sql/stored-change.ts'
import { refuseTooManyIndexes } from '../catalogue/object-table.ts'
import { readObjectType } from '../catalogue/read-object-type.ts'
import { inTransaction } from '../file/connection.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { endRewrite, progressOf, startCopies } from './rewrite-phases.ts'
import { findRewrites, readRewrites } from './rewrite-states.ts'

export interface RunningChange {
  readonly ontologyRid: string
  readonly id: string
  /** Objects that do not fit, found so far. */
  readonly unfit: readonly UnfitObject[]
}

/** Returns the running changes, the oldest first. */
export function findRunningChanges(db: DatabaseSync): RunningChange[] {
  const rows = db
    .prepare(
      `SELECT ontology_rid, id, unfit_objects FROM oqs_definition_change
       WHERE state = 'running' ORDER BY started_at_ms, ontology_rid`,
    )
    .all()
  return rows.map((row) => ({
    ontologyRid: String(row['ontology_rid']),
    id: String(row['id']),
    unfit: JSON.parse(String(row['unfit_objects'])) as UnfitObject[],
  }))
}

export function readPlan(
  db: DatabaseSync,
  { ontologyRid }: Pick<RunningChange, 'ontologyRid'>,
): ChangePlan {
  const row = db
    .prepare('SELECT change FROM oqs_definition_change WHERE ontology_rid = ?')
    .get(ontologyRid)
  return decodeChange(String(row?.['change']))
}

/** Throws if the definition of an ontology is being changed. */
export function refuseWhileChanging(db: DatabaseSync, ontologyRid: string): void {
  const row = db
    .prepare(
      `SELECT o.api_name, c.id FROM oqs_definition_change AS c JOIN oqs_ontology AS o ON o.rid = c.ontology_rid
       WHERE c.ontology_rid = ? AND c.state = 'running'`,
    )
    .get(ontologyRid)
  if (row !== undefined) throw changeInProgress(String(row['api_name']), String(row['id']))
}

export type StartedChange = ChangePlan & { readonly id: string; readonly requestedAtMs: number }

/** Starts to copy the objects of all types that a change rewrites. */
export function startChange(
  db: WriterDatabase,
  change: StartedChange,
  stored: readonly StoredType[],
): void {
  const { definition } = change
  db.prepare(
    `INSERT OR REPLACE INTO oqs_definition_change (ontology_rid, id, state, change, started_at_ms)
     VALUES (?, ?, 'running', ?, ?)`,
  ).run(definition.rid ?? '', change.id, encodeChange(change), change.requestedAtMs)
  const types = parseDefinition(definition).objectTypes
  for (const { id, definition: changed } of typesToRewrite(stored, change)) {
    const type = types.get(changed.apiName)
    if (type === undefined) throw new Error(`no object type ${changed.apiName}`)
    const added = type.properties.size - readObjectType(db, id).properties.size
    refuseTooManyIndexes(db, id, added)
    endOtherRewrite(db, id)
    startCopies(db, id, { id: change.id, type })
  }
}

/** A rewrite into another layout is no longer needed: the new table has the current one. */
function endOtherRewrite(db: DatabaseSync, typeId: number): void {
  const row = db.prepare('SELECT table_id FROM oqs_rewrite WHERE object_type_id = ?').get(typeId)
  if (row !== undefined) endRewrite(db, { typeId, toTable: Number(row['table_id']) })
}

export function saveUnfit(
  db: DatabaseSync,
  ontologyRid: string,
  unfit: readonly UnfitObject[],
): void {
  db.prepare('UPDATE oqs_definition_change SET unfit_objects = ? WHERE ontology_rid = ?').run(
    JSON.stringify(unfit),
    ontologyRid,
  )
}

export function saveState(
  db: DatabaseSync,
  ontologyRid: string,
  state: DefinitionChangeState,
): void {
  db.prepare('UPDATE oqs_definition_change SET state = ? WHERE ontology_rid = ?').run(
    state,
    ontologyRid,
  )
}

/** Why a change cannot be carried out. */
export interface FailedChange extends Pick<RunningChange, 'ontologyRid' | 'id'> {
  readonly reasons: readonly string[]
  readonly unfit: readonly UnfitObject[]
}

/**
 * Ends a change; the earlier definition stays. Does nothing if another process has ended it since, and
 * perhaps started the next one.
 */
export function failChange(
  db: DatabaseSync,
  { ontologyRid, id, reasons, unfit }: FailedChange,
): RewriteProgress | undefined {
  if (!findRunningChanges(db).some((change) => change.id === id)) return undefined
  const [first] = abandonCopies(db, ontologyRid)
  saveUnfit(db, ontologyRid, unfit)
  db.prepare('UPDATE oqs_definition_change SET reasons = ? WHERE ontology_rid = ?').run(
    JSON.stringify(reasons),
    ontologyRid,
  )
  saveState(db, ontologyRid, 'failed')
  // Without the reasons: they contain keys, and progress is logged.
  const reason = 'the objects or other definitions do not allow the change'
  return first && { ...progressOf(first, 'failed'), reason }
}

function abandonCopies(db: DatabaseSync, ontologyRid: string) {
  const rewrites = findRewrites(db, { ontologyRid })
  for (const rewrite of rewrites) endRewrite(db, rewrite)
  return rewrites
}

/** Cancels a change if it is running, and returns whether it was. */
export function cancelChange(
  db: DatabaseSync,
  { ontologyRid }: { readonly ontologyRid: string },
): boolean {
  return inTransaction(db, 'write', () => {
    const isRunning = findRunningChanges(db).some((change) => change.ontologyRid === ontologyRid)
    if (!isRunning) return false
    abandonCopies(db, ontologyRid)
    saveState(db, ontologyRid, 'cancelled')
    return true
  })
}

/** Abandons the copies of a change whose ontology is deleted. */
export function endChangeOf(db: DatabaseSync, ontologyRid: string): void {
  abandonCopies(db, ontologyRid)
  db.prepare('DELETE FROM oqs_definition_change WHERE ontology_rid = ?').run(ontologyRid)
}

/** Returns the last background change of an ontology, running or ended. */
export function readDefinitionChange(
  statements: StatementCache,
  ontologyRid: string,
): DefinitionChange | undefined {
  const row = statements
    .prepare(
      `SELECT id, state, change, started_at_ms, reasons, unfit_objects, (
         SELECT coalesce(sum(o.live_count), 0) FROM oqs_object_table AS o
         JOIN oqs_rewrite AS r ON r.object_type_id = o.object_type_id AND r.change_id IS NOT NULL
         JOIN oqs_object_type AS t ON t.id = r.object_type_id AND t.ontology_rid = c.ontology_rid
         WHERE o.state = 'loading'
       ) FROM oqs_definition_change AS c WHERE ontology_rid = ?`,
    )
    .get(ontologyRid) as unknown as ChangeRow | undefined
  if (row === undefined) return undefined
  const [id, state, change, startedAtMs, reasons, unfit, loadingObjects] = row
  const { types, links } = decodeChange(change)
  return {
    id,
    state,
    types,
    links,
    startedAtMs,
    rewrites: readRewrites(statements, ontologyRid),
    loadingObjects,
    reasons: JSON.parse(reasons) as string[],
    unfitObjects: JSON.parse(unfit) as UnfitObject[],
  }
}

type ChangeRow = readonly [
  id: string,
  state: DefinitionChangeState,
  change: string,
  startedAtMs: number,
  reasons: string,
  unfit: string,
  loadingObjects: number,
]
