/** The jobs of the writer thread that change definitions. */
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import type { RecordedChange } from '../../core/audit/audit-records.ts'
import { numberFields } from '../../core/catalogue/fields.ts'
import {
  type DefinitionTables,
  type DeletedOntology,
  deleteOntology as deleteOntologyIn,
  outcomeOfDryRun,
  type SavedDefinition,
  saveOntology as saveOntologyIn,
} from '../../core/definitions/save-ontology.ts'
import { settled } from '../../core/session/operation.ts'
import { startChange } from '../../core/tables/definition-changes.ts'
import { redefineTypes } from '../../core/tables/redefine-types.ts'
import type { SaveOutcome } from '../../port/definitions.ts'
import { addFields } from '../catalogue/object-table.ts'
import { FIELD_TYPES } from '../catalogue/table-fields.ts'
import { inTransaction } from '../file/connection.ts'
import { runIn } from '../file/sqlite-session.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { SqliteTableBuilder } from './sqlite-table-builder.ts'

/**
 * A change as a message to the writer thread. The definition is JSON, because the many small objects
 * of a large one take several times as long to copy to another thread.
 */
export interface DefinitionMessage extends Omit<SavedDefinition, 'definition'> {
  readonly definition: string
}

export function saveOntology(
  db: WriterDatabase,
  message: DefinitionMessage,
): RecordedChange<SaveOutcome> {
  const definition = JSON.parse(message.definition) as OntologyDefinition
  const change = { ...message, definition }
  try {
    return inTransaction(db, 'write', () =>
      runIn(db, (session) => saveOntologyIn(session, definitionTables(db), change)),
    )
  } catch (error) {
    return outcomeOfDryRun(error)
  }
}

export function deleteOntology(
  db: WriterDatabase,
  deletion: DeletedOntology,
): RecordedChange<void> {
  return inTransaction(db, 'write', () =>
    runIn(db, (session) => deleteOntologyIn(session, definitionTables(db), deletion)),
  )
}

/** What saving a definition does to tables and objects. Every step has its result at once. */
export function definitionTables(db: WriterDatabase): DefinitionTables {
  return {
    *numberFields(types) {
      yield* numberFields(db.session, FIELD_TYPES, types)
    },
    addFields: (typeId, type) => settled(addFields(db, typeId, type)),
    rewriteTypes: (types, isDryRun) => redefineTypes(new SqliteTableBuilder(db), types, isDryRun),
    // A commit is published in its transaction.
    refuseUnfinished: () => settled(undefined),
    startChange: (change, stored) => startChange(new SqliteTableBuilder(db), change, stored),
  }
}
