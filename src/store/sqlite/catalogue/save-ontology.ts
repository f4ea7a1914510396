/** Saves an ontology: its definition, its object types and their tables, in one transaction. */
import type { DatabaseSync } from 'node:sqlite'
import { INTERNAL_CONTEXT } from '../../../admission/request-context.ts'
import type { AuditEntry } from '../../../contract/audit-record.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import type { SaveOutcome } from '../../definition-change.ts'
import type { OntologyDeletion } from '../../object-store.ts'
import { definitionRecord, deletionRecord, type RecordedChange } from '../../sql/audit-row.ts'
import {
  countedBytes,
  type DefinitionLimits,
  type DefinitionUsage,
  refuseExcessDefinition,
  refuseTakenTypes,
} from '../../sql/definition-limits.ts'
import type { NoteMessage } from '../../sql/once-key.ts'
import {
  countRewritten,
  definitionOutOfSync,
  type PlannedChange,
  planTypes,
  refuseDeletion,
  refuseTaken,
  type StoredType,
} from '../../sql/plan-types.ts'
import { inTransaction } from '../file/connection.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { endChangeOf, refuseWhileChanging, startChange } from '../rewrite/definition-change.ts'
import type { Rewrite } from '../rewrite/rewrite-states.ts'
import { recordNote } from '../writes/idempotency-keys.ts'
import { addAuditRecord } from './audit-records.ts'
import { dropObjectType, saveObjectTypes } from './save-object-types.ts'

/**
 * An ontology change as a message to the writer thread. The definition is JSON, because the many
 * small objects of a large one take several times as long to copy to another thread.
 */
export interface SavedDefinition extends Omit<ReadChange, 'definition'> {
  readonly definition: string
}

interface ReadChange
  extends PlannedChange,
    Pick<OntologyChange, 'id' | 'links' | 'basedOn' | 'requestedAtMs'> {
  /** A change that rewrites more objects than this is a background change. */
  readonly rewrittenAtOnceMax: number
  readonly limits: DefinitionLimits
  readonly callerId: string
  readonly auditEntry: AuditEntry | undefined
  readonly once: NoteMessage | undefined
}

export function saveOntology(
  db: WriterDatabase,
  saved: SavedDefinition,
): RecordedChange<SaveOutcome> {
  const definition = JSON.parse(saved.definition) as OntologyDefinition
  const change: ReadChange = { ...saved, definition }
  try {
    return inTransaction(db, 'write', () => {
      const ontologyRid = change.definition.rid ?? ''
      refuseWhileChanging(db, ontologyRid)
      refuseOutOfSync(db, change.basedOn)
      refuseTakenTypes(definition.objectTypes, readTakenTypes(db, definition))
      const usage = readUsage(db, ontologyRid, change.callerId)
      refuseExcessDefinition(countedBytes(saved.definition), usage, change.limits)
      const stored = readTypes(db, ontologyRid)
      const outcome =
        countRewritten(stored, change) > change.rewrittenAtOnceMax ? 'started' : 'saved'
      if (outcome === 'saved') saveAtOnce(db, change, stored)
      else {
        // Throws if the change is refused.
        planTypes(stored, change)
        startChange(db, change, stored)
      }
      if (change.isDryRun) throw new DryRun(outcome)
      const record = definitionRecord(change.auditEntry, change, stored)
      addAuditRecord(db, record)
      recordNote(db, change.once, outcome === 'saved')
      return { outcome, record }
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
    return { outcome: error.outcome }
  }
}

function saveAtOnce(db: WriterDatabase, change: ReadChange, stored: readonly StoredType[]): void {
  const { definition, callerId } = change
  const generation = nextGeneration(db)
  const before = readDefinition(db, definition.rid ?? '')
  saveDefinition(db, definition, generation, callerId)
  saveObjectTypes(db, { change, stored, before, generation, copies: new Map() })
}

/** Saves the definition of a change whose objects are converted, and publishes them. */
export function publishDefinition(
  db: WriterDatabase,
  change: PlannedChange,
  copies: ReadonlyMap<number, Rewrite>,
): void {
  const { definition } = change
  const ontologyRid = definition.rid ?? ''
  refuseTakenNames(db, definition)
  const generation = nextGeneration(db)
  const stored = readTypes(db, ontologyRid)
  const before = readDefinition(db, ontologyRid)
  saveDefinition(db, definition, generation, INTERNAL_CONTEXT.callerId)
  saveObjectTypes(db, { change, stored, before, generation, copies })
}

/** Another ontology may have taken a name since the change was planned. */
function refuseTakenNames(db: DatabaseSync, { rid = '', apiName, families }: OntologyDefinition) {
  const names = db
    .prepare('SELECT api_name FROM oqs_ontology WHERE api_name = ? AND rid <> ?')
    .all(apiName, rid)
  const taken = db
    .prepare(
      `SELECT family FROM oqs_ontology_family
       WHERE family IN (SELECT value FROM json_each(?)) AND ontology_rid <> ?`,
    )
    .all(JSON.stringify(families ?? []), rid)
  refuseTaken(
    names.length > 0 ? apiName : undefined,
    taken.map(({ family }) => String(family)),
  )
}

/** Deletes an ontology with all its objects. */
export function deleteOntology(
  db: WriterDatabase,
  deletion: Omit<OntologyDeletion, 'once'> & Pick<SavedDefinition, 'auditEntry' | 'once'>,
): RecordedChange<void> {
  const { ontologyRid, basedOn } = deletion
  return inTransaction(db, 'write', () => {
    refuseOutOfSync(db, basedOn)
    nextGeneration(db)
    const types = readTypes(db, ontologyRid)
    refuseDeletion(types, deletion)
    endChangeOf(db, ontologyRid)
    for (const { id } of types) dropObjectType(db, id)
    db.prepare('DELETE FROM oqs_ontology WHERE rid = ?').run(ontologyRid)
    const record = deletionRecord(deletion.auditEntry, types)
    addAuditRecord(db, record)
    recordNote(db, deletion.once)
    return { outcome: undefined, record }
  })
}

/** Ends the transaction of a change that is only tried. */
class DryRun extends Error {
  readonly outcome: SaveOutcome

  constructor(outcome: SaveOutcome) {
    super('dry run')
    this.outcome = outcome
  }
}

export function readDefinition(
  db: DatabaseSync,
  ontologyRid: string,
): OntologyDefinition | undefined {
  const row = db.prepare('SELECT definition FROM oqs_ontology WHERE rid = ?').get(ontologyRid)
  return row && (JSON.parse(String(row['definition'])) as OntologyDefinition)
}

function refuseOutOfSync(db: DatabaseSync, basedOn: number): void {
  const current = db.prepare('SELECT generation FROM oqs_catalogue').get()?.['generation']
  if (current !== basedOn) throw definitionOutOfSync()
}

function nextGeneration(db: DatabaseSync): number {
  const row = db.prepare(
    'UPDATE oqs_catalogue SET generation = generation + 1 RETURNING generation',
  )
  return Number(row.get()?.['generation'])
}

function saveDefinition(
  db: DatabaseSync,
  definition: OntologyDefinition,
  generation: number,
  callerId: string,
): void {
  const { rid = '', apiName, displayName = null, description = null } = definition
  const text = JSON.stringify(definition)
  db.prepare(
    `INSERT INTO oqs_ontology (rid, api_name, definition) VALUES (?, ?, ?)
     ON CONFLICT (rid) DO UPDATE SET api_name = excluded.api_name,
       definition = excluded.definition`,
  ).run(rid, apiName, text)
  db.prepare(
    `INSERT INTO oqs_ontology_summary
       (ontology_rid, generation, bytes, created_by, display_name, description)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (ontology_rid) DO UPDATE SET generation = excluded.generation,
       bytes = excluded.bytes, display_name = excluded.display_name,
       description = excluded.description`,
  ).run(rid, generation, countedBytes(text), callerId, displayName, description)
  db.prepare('DELETE FROM oqs_ontology_family WHERE ontology_rid = ?').run(rid)
  const addFamily = db.prepare(
    'INSERT INTO oqs_ontology_family (family, ontology_rid) VALUES (?, ?)',
  )
  for (const family of definition.families ?? []) addFamily.run(family, rid)
}

function readUsage(db: DatabaseSync, ontologyRid: string, callerId: string): DefinitionUsage {
  const row = db.prepare(
    'SELECT bytes, created_by FROM oqs_ontology_summary WHERE ontology_rid = ?',
  )
  const known = row.get(ontologyRid)
  const createdBy = String(known?.['created_by'] ?? callerId)
  const sums = db
    .prepare(
      `SELECT coalesce(sum(bytes), 0) AS total,
         coalesce(sum(bytes) FILTER (WHERE created_by = ?), 0) AS of_creator FROM oqs_ontology_summary`,
    )
    .get(createdBy)
  return {
    total: Number(sums?.['total']),
    ofCreator: Number(sums?.['of_creator']),
    ofOntology: Number(known?.['bytes'] ?? 0),
    createdBy,
  }
}

/** Returns those RIDs of the object types that belong to other ontologies. */
function readTakenTypes(db: DatabaseSync, { rid = '', objectTypes }: OntologyDefinition) {
  const rids = JSON.stringify(objectTypes.map((type) => type.rid))
  const taken = db
    .prepare(
      `SELECT rid FROM oqs_object_type
       WHERE rid IN (SELECT value FROM json_each(?)) AND ontology_rid <> ?`,
    )
    .all(rids, rid)
  return new Set(taken.map((row) => String(row['rid'])))
}

function readTypes(db: DatabaseSync, ontologyRid: string): StoredType[] {
  return db
    .prepare(
      `SELECT t.id, t.rid, t.definition, o.live_count AS objects, (
         SELECT coalesce(sum(live_count), 0) FROM oqs_object_table
         WHERE object_type_id = t.id AND state = 'loading'
       ) AS loading FROM oqs_object_type AS t JOIN oqs_object_table AS o ON o.id = t.table_id WHERE t.ontology_rid = ?`,
    )
    .all(ontologyRid) as unknown as StoredType[]
}
