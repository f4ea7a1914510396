/** Transactions that change definitions, and what they do to tables and objects. */
import type { AuditEntry } from '../../../contract/audit-record.ts'
import type { RecordedChange } from '../../core/audit/audit-records.ts'
import {
  type DefinitionTables,
  deleteOntology as deleteOntologyIn,
  outcomeOfDryRun,
  saveOntology as saveOntologyIn,
} from '../../core/definitions/save-ontology.ts'
import { toKeyMessage } from '../../core/idempotency/idempotency-keys.ts'
import { awaited, settled } from '../../core/session/operation.ts'
import { startChange } from '../../core/tables/definition-changes.ts'
import { redefineTypes } from '../../core/tables/redefine-types.ts'
import type { OntologyDeletion, SavedChange, SaveOutcome } from '../../object-store.ts'
import type { DefinitionLimits } from '../../port/maintenance.ts'
import { addFields, numberFieldsOf } from '../catalogue/object-table.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { type PostgresContext, refuseUnfinished, writeInTurn } from '../citus/pending-commit.ts'
import type { WriteSession } from '../driver/database.ts'
import { runIn } from '../driver/postgres-session.ts'
import { buildIn } from './postgres-table-builder.ts'

/** The key under which changes of definitions queue: all of them lock the row of the catalogue. */
const CATALOGUE = 'catalogue'

/** The store, and how many objects a change rewrites at once. */
interface SavingStore extends PostgresContext {
  /** A change that rewrites more objects than this is a background change. */
  readonly rewrittenAtOnceMax: number
  readonly definitionLimits: DefinitionLimits
}

export async function saveOntology(
  store: SavingStore,
  { ontology, idempotencyKey, ...change }: SavedChange,
  callerId: string,
  auditEntry: AuditEntry | undefined,
): Promise<RecordedChange<SaveOutcome>> {
  const { capabilities, rewrittenAtOnceMax, definitionLimits: limits } = store
  const { definition } = ontology
  const note = toKeyMessage(idempotencyKey)
  const saved = {
    ...change,
    definition,
    idempotencyKey: note,
    callerId,
    auditEntry,
    rewrittenAtOnceMax,
    limits,
  }
  try {
    return await writeInTurn(store, { key: CATALOGUE, callerId }, (session) =>
      runIn(session, (core) =>
        saveOntologyIn(core, definitionTables(session, capabilities), saved),
      ),
    )
  } catch (error) {
    return outcomeOfDryRun(error)
  }
}

export function deleteOntology(
  store: PostgresContext,
  deletion: OntologyDeletion,
  callerId: string,
  auditEntry: AuditEntry | undefined,
): Promise<RecordedChange<void>> {
  const deleted = { ...deletion, idempotencyKey: toKeyMessage(deletion.idempotencyKey), auditEntry }
  return writeInTurn(store, { key: CATALOGUE, callerId }, (session) =>
    runIn(session, (core) =>
      deleteOntologyIn(core, definitionTables(session, store.capabilities), deleted),
    ),
  )
}

/** What saving a definition does to tables and objects. */
export function definitionTables(
  session: WriteSession,
  capabilities: Capabilities,
): DefinitionTables {
  return {
    *numberFields(types) {
      yield* awaited(numberFieldsOf(session, types))
    },
    addFields: (typeId, type) => awaited(addFields(session, typeId, type)),
    rewriteTypes: (types, isDryRun) =>
      awaited(buildIn(session, capabilities, (builder) => redefineTypes(builder, types, isDryRun))),
    refuseUnfinished: (typeId) =>
      capabilities.needsSeparatePublication
        ? awaited(refuseUnfinished(session, typeId))
        : settled(undefined),
    startChange: (change, stored) =>
      awaited(buildIn(session, capabilities, (builder) => startChange(builder, change, stored))),
  }
}
