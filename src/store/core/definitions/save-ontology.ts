/** Saves and deletes ontologies: definitions, object types and their tables, in one transaction. */

import type { AuditEntry } from '../../../contract/audit-record.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type { OntologyDeletion } from '../../object-store.ts'
import type { SaveOutcome } from '../../port/definitions.ts'
import type { DefinitionLimits } from '../../port/maintenance.ts'
import { INTERNAL_CONTEXT } from '../../port/request-context.ts'
import { countedBytes, refuseExcessDefinition } from '../../sql/definition-limits.ts'
import {
  countRewritten,
  type PlannedChange,
  planTypes,
  refuseDeletion,
  type StoredType,
} from '../../sql/plan-types.ts'
import { definitionRecord, deletionRecord, type RecordedChange } from '../audit/audit-records.ts'
import { addAuditRecords } from '../audit/stored-audit-log.ts'
import { type NoteMessage, recordNote } from '../idempotency/idempotency-keys.ts'
import type { Operation } from '../session/operation.ts'
import type { CoreSession } from '../session/session.ts'
import type { StartedChange } from '../tables/definition-changes.ts'
import {
  lockCatalogue,
  lockTypes,
  nextGeneration,
  readDefinition,
  readUsage,
  refuseTakenNames,
  refuseTypesOfOthers,
  refuseWhileChanging,
  saveDefinition,
} from './ontology-rows.ts'
import {
  dropObjectTypes,
  type SavedTypes,
  saveObjectTypes,
  type TypeTables,
} from './save-object-types.ts'

/** A change of a definition, as plain data. */
export interface SavedDefinition
  extends PlannedChange,
    Pick<OntologyChange, 'id' | 'links' | 'basedOn' | 'requestedAtMs'> {
  /** A change that rewrites more objects than this is a background change. */
  readonly rewrittenAtOnceMax: number
  readonly limits: DefinitionLimits
  readonly callerId: string
  readonly auditEntry: AuditEntry | undefined
  readonly idempotencyKey: NoteMessage | undefined
}

/** The parts of a store that saving a definition uses. */
export interface DefinitionTables extends TypeTables {
  /** Throws if a commit of a type, which is locked, is not published yet. */
  refuseUnfinished(typeId: number): Operation<void>
  /** Starts to convert the objects of all types that a change rewrites, in the background. */
  startChange(change: StartedChange, stored: readonly StoredType[]): Operation<void>
}

export function* saveOntology(
  session: CoreSession,
  tables: DefinitionTables,
  change: SavedDefinition,
): Operation<RecordedChange<SaveOutcome>> {
  const { definition, callerId } = change
  const { rid = '' } = definition
  yield* lockCatalogue(session, change.basedOn)
  // Changing many tables can exceed the timeout of a statement.
  yield* session.extendTimeout()
  yield* refuseWhileChanging(session, rid)
  yield* refuseTypesOfOthers(session, definition)
  const bytes = countedBytes(JSON.stringify(definition))
  refuseExcessDefinition(bytes, yield* readUsage(session, rid, callerId), change.limits)
  const stored = yield* lockTypes(session, tables, rid)
  const outcome = countRewritten(stored, change) > change.rewrittenAtOnceMax ? 'started' : 'saved'
  if (outcome === 'saved') {
    yield* saveTypes(session, tables, { change, stored, copies: new Map() }, callerId)
  } else {
    // Throws if the change is refused.
    planTypes(stored, change)
    yield* tables.startChange(change, stored)
  }
  if (change.isDryRun) throw new DryRun(outcome)
  const record = definitionRecord(change.auditEntry, change, stored)
  yield* addAuditRecords(session, [record])
  yield* recordNote(session, change.idempotencyKey, outcome === 'saved')
  return { outcome, record }
}

/** Thrown at the end of a change that is only tried, so that its transaction is rolled back. */
class DryRun extends Error {
  readonly outcome: SaveOutcome

  constructor(outcome: SaveOutcome) {
    super('dry run')
    this.outcome = outcome
  }
}

/** Returns the result of a change that was only tried, given what its transaction has thrown. */
export function outcomeOfDryRun(error: unknown): RecordedChange<SaveOutcome> {
  if (!(error instanceof DryRun)) throw error
  return { outcome: error.outcome }
}

/**
 * Saves the definition of a change whose objects are converted, and publishes them. The catalogue and
 * the types must be locked.
 */
export function* publishDefinition(
  session: CoreSession,
  tables: TypeTables,
  saved: LockedTypes,
): Operation<void> {
  yield* refuseTakenNames(session, saved.change.definition)
  yield* saveTypes(session, tables, saved, INTERNAL_CONTEXT.callerId)
}

type LockedTypes = Pick<SavedTypes, 'change' | 'stored' | 'copies'>

/** Saves a definition and its types, which are locked. */
function* saveTypes(
  session: CoreSession,
  tables: TypeTables,
  saved: LockedTypes,
  callerId: string,
): Operation<void> {
  const { definition } = saved.change
  const generation = yield* nextGeneration(session)
  const before = yield* readDefinition(session, definition.rid ?? '')
  yield* saveDefinition(session, definition, generation, callerId)
  yield* saveObjectTypes(session, tables, { ...saved, before, generation })
}

export interface DeletedOntology extends Omit<OntologyDeletion, 'idempotencyKey'> {
  readonly auditEntry: AuditEntry | undefined
  readonly idempotencyKey: NoteMessage | undefined
}

/** Deletes an ontology with all its objects. */
export function* deleteOntology(
  session: CoreSession,
  tables: DefinitionTables,
  deletion: DeletedOntology,
): Operation<RecordedChange<void>> {
  const { ontologyRid, basedOn } = deletion
  yield* lockCatalogue(session, basedOn)
  yield* nextGeneration(session)
  yield* session.extendTimeout()
  const types = yield* lockTypes(session, tables, ontologyRid)
  refuseDeletion(types, deletion)
  yield* dropObjectTypes(
    session,
    types.map(({ id }) => id),
  )
  yield* session.run('DELETE FROM oqs_ontology WHERE rid = ?', [ontologyRid])
  const record = deletionRecord(deletion.auditEntry, types)
  yield* addAuditRecords(session, [record])
  yield* recordNote(session, deletion.idempotencyKey)
  return { outcome: undefined, record }
}
