/** Saves and deletes ontologies: definitions, object types and their tables, in one transaction. */

import type { AuditEntry } from '../../../contract/audit-record.ts'
import { savedViewPrefix } from '../../../contract/saved-view.ts'
import { sourceReportPrefix } from '../../../contract/source-report.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
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
} from '../../sql/plan-definition-change.ts'
import { definitionRecord, deletionRecord, type RecordedChange } from '../audit/audit-records.ts'
import { addAuditRecords } from '../audit/stored-audit-log.ts'
import { positionPrefix } from '../commits/source-position.ts'
import { deleteDocuments } from '../documents/stored-documents.ts'
import { type NoteMessage, recordNote } from '../idempotency/idempotency-keys.ts'
import type { Operation } from '../session/session.ts'
import { type BuildOperation, RolledBack, type TableBuilder } from '../tables/construction.ts'
import { copyStarted, startChange } from '../tables/definition-changes.ts'
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
import { dropObjectTypes, type SavedTypes, saveObjectTypes } from './save-object-types.ts'

/** A change of a definition, as plain data. The definition is JSON, which is copied quickest. */
export interface SavedDefinition
  extends Omit<PlannedChange, 'definition'>,
    Pick<OntologyChange, 'id' | 'links' | 'basedOn' | 'requestedAtMs'> {
  readonly definition: string
  readonly rewrittenAtOnceMax: number
  readonly limits: DefinitionLimits
  readonly callerId: string
  readonly auditEntry: AuditEntry | undefined
  readonly idempotencyKey: NoteMessage | undefined
}

export const saveOntology: BuildOperation<SavedDefinition, RecordedChange<SaveOutcome>> = {
  name: 'saveOntology',
  *run(builder, saved) {
    const definition = JSON.parse(saved.definition) as OntologyDefinition
    const change = { ...saved, definition }
    const { session } = builder
    const { callerId } = change
    const { rid = '' } = definition
    yield* lockCatalogue(session, change.basedOn)
    // Changing many tables can exceed the timeout of a statement.
    yield* session.extendTimeout()
    yield* refuseWhileChanging(session, rid)
    yield* refuseTypesOfOthers(session, definition)
    const bytes = countedBytes(saved.definition)
    refuseExcessDefinition(bytes, yield* readUsage(session, rid, callerId), change.limits)
    const stored = yield* lockTypes(builder, rid)
    const rewritten = countRewritten(stored, change)
    const outcome = rewritten > change.rewrittenAtOnceMax ? 'started' : 'saved'
    const isPublishedLater = rewritten > 0 && !change.isDryRun && builder.separately !== undefined
    if (outcome === 'saved' && !isPublishedLater) {
      yield* saveTypes(builder, { change, stored, copies: new Map() }, callerId)
    } else {
      // Throws if the change is refused.
      planTypes(stored, change)
      const started = yield* startChange(builder, change, stored)
      const { id } = change
      if (outcome === 'saved') yield* copyStarted(builder, { ontologyRid: rid, id }, started)
    }
    if (change.isDryRun) throw new RolledBack({ outcome })
    const record = definitionRecord(change.auditEntry, change, stored)
    yield* addAuditRecords(session, [record])
    yield* recordNote(session, change.idempotencyKey, outcome === 'saved')
    return { outcome, record }
  },
}

/**
 * Saves the definition of a change whose objects are converted, and publishes them. The catalogue and
 * the types must be locked.
 */
export function* publishDefinition(builder: TableBuilder, saved: LockedTypes): Operation<void> {
  yield* refuseTakenNames(builder.session, saved.change.definition)
  yield* saveTypes(builder, saved, INTERNAL_CONTEXT.callerId)
}

type LockedTypes = Pick<SavedTypes, 'change' | 'stored' | 'copies'>

/** Saves a definition and its types, which are locked. */
function* saveTypes(builder: TableBuilder, saved: LockedTypes, callerId: string): Operation<void> {
  const { session } = builder
  const { definition } = saved.change
  const generation = yield* nextGeneration(session)
  const before = yield* readDefinition(session, definition.rid ?? '')
  yield* saveDefinition(session, definition, generation, callerId)
  yield* saveObjectTypes(builder, { ...saved, before, generation })
}

export interface DeletedOntology extends Omit<OntologyDeletion, 'idempotencyKey'> {
  readonly auditEntry: AuditEntry | undefined
  readonly idempotencyKey: NoteMessage | undefined
}

/** Deletes an ontology with all its objects. */
export const deleteOntology: BuildOperation<DeletedOntology, RecordedChange<void>> = {
  name: 'deleteOntology',
  *run(builder, deletion) {
    const { session } = builder
    const { ontologyRid, basedOn } = deletion
    yield* lockCatalogue(session, basedOn)
    yield* nextGeneration(session)
    yield* session.extendTimeout()
    const types = yield* lockTypes(builder, ontologyRid)
    refuseDeletion(types, deletion)
    yield* dropObjectTypes(
      session,
      types.map(({ id }) => id),
    )
    yield* session.run('DELETE FROM oqs_ontology WHERE rid = ?', [ontologyRid])
    yield* deleteDocuments(session, 'savedView', savedViewPrefix(ontologyRid))
    yield* deleteDocuments(session, 'sourceReport', sourceReportPrefix(ontologyRid))
    yield* deleteDocuments(session, 'sourcePosition', positionPrefix(ontologyRid))
    const record = deletionRecord(deletion.auditEntry, types)
    yield* addAuditRecords(session, [record])
    yield* recordNote(session, deletion.idempotencyKey)
    return { outcome: undefined, record }
  },
}

export const DEFINITION_BUILDS = [saveOntology, deleteOntology] as const
