/** Saves an ontology: its definition, its object types and their tables, in one transaction. */
import { INTERNAL_CONTEXT } from '../../../admission/request-context.ts'
import type { AuditEntry } from '../../../contract/audit-record.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import type { OntologyDeletion, SavedChange, SaveOutcome } from '../../object-store.ts'
import { definitionRecord, deletionRecord, type RecordedChange } from '../../sql/audit-row.ts'
import {
  countedBytes,
  type DefinitionLimits,
  type DefinitionUsage,
  refuseExcessDefinition,
  refuseTakenTypes,
} from '../../sql/definition-limits.ts'
import { toOnceMessage } from '../../sql/once-key.ts'
import {
  countRewritten,
  definitionOutOfSync,
  planTypes,
  refuseDeletion,
  type StoredType,
} from '../../sql/plan-types.ts'
import type { Capabilities } from '../citus/capabilities.ts'
import { type PostgresContext, refuseUnfinished, writeInTurn } from '../citus/pending-commit.ts'
import type { Session, WriteSession } from '../driver/database.ts'
import { refuseWhileChanging, startChange } from '../rewrite/definition-change.ts'
import { recordNote } from '../writes/idempotency-keys.ts'
import { addAuditRecords } from './audit-records.ts'
import { dropObjectType, type SavedTypes, saveObjectTypes } from './save-object-types.ts'

/** The key under which changes of definitions queue: all of them lock the row of the catalogue. */
export const CATALOGUE = 'catalogue'

/** The store, and how many objects a change rewrites at once. */
export interface SavingStore extends PostgresContext {
  /** A change that rewrites more objects than this is a background change. */
  readonly rewrittenAtOnceMax: number
  readonly definitionLimits: DefinitionLimits
}

export async function saveOntology(
  store: SavingStore,
  { ontology, once, ...change }: SavedChange,
  callerId: string,
  auditEntry: AuditEntry | undefined,
): Promise<RecordedChange<SaveOutcome>> {
  const { capabilities } = store
  const { definition } = ontology
  const planned = { ...change, definition }
  try {
    return await writeInTurn(store, { key: CATALOGUE, callerId }, async (session) => {
      await lockCatalogue(session, change.basedOn)
      // Changing many tables can exceed the timeout of a statement.
      await session.extendTimeout()
      await refuseWhileChanging(session, ontology.rid)
      refuseTakenTypes(definition.objectTypes, await readTakenTypes(session, definition))
      const usage = await readUsage(session, ontology.rid, callerId)
      const bytes = countedBytes(JSON.stringify(definition))
      refuseExcessDefinition(bytes, usage, store.definitionLimits)
      const stored = await lockTypes(session, capabilities, ontology.rid)
      const isLarge = countRewritten(stored, planned) > store.rewrittenAtOnceMax
      if (isLarge) {
        // Throws if the change is refused.
        planTypes(stored, planned)
        const { id, requestedAtMs } = change
        const started = { id, requestedAtMs, ontology, plan: planned }
        await startChange(session, capabilities, started, stored)
      } else {
        const saved = { change: planned, stored, copies: new Map() }
        await saveTypes(session, capabilities, saved, callerId)
      }
      const outcome = isLarge ? 'started' : 'saved'
      if (change.isDryRun) throw new DryRun(outcome)
      const record = definitionRecord(auditEntry, change, stored)
      await addAuditRecords(session, [record])
      await recordNote(session, toOnceMessage(once), outcome === 'saved')
      return { outcome, record }
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
    return { outcome: error.outcome }
  }
}

/** Saves a definition and its types, which are locked. */
export async function saveTypes(
  session: WriteSession,
  capabilities: Capabilities,
  saved: Pick<SavedTypes, 'change' | 'stored' | 'copies'>,
  callerId: string = INTERNAL_CONTEXT.callerId,
): Promise<void> {
  const { definition } = saved.change
  const generation = await nextGeneration(session)
  const before = await readDefinition(session, definition.rid ?? '')
  await saveDefinition(session, definition, generation, callerId)
  await saveObjectTypes(session, capabilities, { ...saved, before, generation })
}

/** Deletes an ontology with all its objects. */
export function deleteOntology(
  store: PostgresContext,
  deletion: OntologyDeletion,
  callerId: string,
  auditEntry: AuditEntry | undefined,
): Promise<RecordedChange<void>> {
  const { ontologyRid, basedOn } = deletion
  return writeInTurn(store, { key: CATALOGUE, callerId }, async (session) => {
    await lockCatalogue(session, basedOn)
    await nextGeneration(session)
    await session.extendTimeout()
    const types = await lockTypes(session, store.capabilities, ontologyRid)
    refuseDeletion(types, deletion)
    for (const { id } of types) await dropObjectType(session, id)
    await session.run('DELETE FROM oqs_ontology WHERE rid = ?', [ontologyRid])
    const record = deletionRecord(auditEntry, types)
    await addAuditRecords(session, [record])
    await recordNote(session, toOnceMessage(deletion.once))
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

export async function readDefinition(
  session: Session,
  ontologyRid: string,
): Promise<OntologyDefinition | undefined> {
  const [row] = await session.query('SELECT definition FROM oqs_ontology WHERE rid = ?', [
    ontologyRid,
  ])
  return row && (JSON.parse(String(row[0])) as OntologyDefinition)
}

async function readUsage(
  session: WriteSession,
  ontologyRid: string,
  callerId: string,
): Promise<DefinitionUsage> {
  const [known] = await session.query(
    'SELECT bytes, created_by FROM oqs_ontology_summary WHERE ontology_rid = ?',
    [ontologyRid],
  )
  const createdBy = String(known?.[1] ?? callerId)
  const [sums] = await session.query(
    `SELECT coalesce(sum(bytes), 0), coalesce(sum(bytes) FILTER (WHERE created_by = ?), 0)
     FROM oqs_ontology_summary`,
    [createdBy],
  )
  return {
    total: Number(sums?.[0]),
    ofCreator: Number(sums?.[1]),
    ofOntology: Number(known?.[0] ?? 0),
    createdBy,
  }
}

/** Returns those RIDs of the object types that belong to other ontologies. */
async function readTakenTypes(
  session: WriteSession,
  { rid = '', objectTypes }: OntologyDefinition,
): Promise<ReadonlySet<string>> {
  const taken = await session.query(
    'SELECT rid FROM oqs_object_type WHERE rid = ANY(?::text[]) AND ontology_rid <> ?',
    [objectTypes.map((type) => type.rid ?? ''), rid],
  )
  return new Set(taken.map(([typeRid]) => String(typeRid)))
}

/** Two nodes that save at the same time wait here for each other; the second one is then refused. */
export async function lockCatalogue(session: WriteSession, basedOn?: number): Promise<void> {
  const [row] = await session.query('SELECT generation FROM oqs_catalogue FOR UPDATE')
  if (basedOn !== undefined && row?.[0] !== basedOn) throw definitionOutOfSync()
}

async function nextGeneration(session: WriteSession): Promise<number> {
  const [row] = await session.query(
    'UPDATE oqs_catalogue SET generation = generation + 1 RETURNING generation',
  )
  return Number(row?.[0])
}

/** Locks all types of an ontology, so that no objects of them are written meanwhile. */
export async function lockTypes(
  session: WriteSession,
  { needsSeparatePublication }: Capabilities,
  ontologyRid: string,
): Promise<readonly StoredType[]> {
  const rows = await session.query(
    `SELECT id, rid, definition FROM oqs_object_type WHERE ontology_rid = ? ORDER BY id FOR UPDATE`,
    [ontologyRid],
  )
  if (needsSeparatePublication) for (const [id] of rows) await refuseUnfinished(session, Number(id))
  // After the locks: no commit changes the counts any more.
  const counts = await session.query(
    `SELECT t.id, o.live_count, (
       SELECT coalesce(sum(live_count), 0) FROM oqs_object_table
       WHERE object_type_id = t.id AND state = 'loading'
     ) FROM oqs_object_type AS t JOIN oqs_object_table AS o
       ON o.id = t.table_id WHERE t.ontology_rid = ?`,
    [ontologyRid],
  )
  const countsOf = new Map(counts.map((row) => [Number(row[0]), row.map(Number)]))
  return rows.map(([id, rid, definition]) => ({
    id: Number(id),
    rid: String(rid),
    definition: String(definition),
    objects: countsOf.get(Number(id))?.[1] ?? 0,
    loading: countsOf.get(Number(id))?.[2] ?? 0,
  }))
}

async function saveDefinition(
  session: WriteSession,
  definition: OntologyDefinition,
  generation: number,
  callerId: string,
) {
  const { rid = '', apiName, displayName = null, description = null } = definition
  const text = JSON.stringify(definition)
  await session.run(
    `INSERT INTO oqs_ontology (rid, api_name, definition) VALUES (?, ?, ?)
     ON CONFLICT (rid) DO UPDATE SET api_name = excluded.api_name, definition = excluded.definition`,
    [rid, apiName, text],
  )
  await session.run(
    `INSERT INTO oqs_ontology_summary
       (ontology_rid, generation, bytes, created_by, display_name, description)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (ontology_rid) DO UPDATE SET generation = excluded.generation,
       bytes = excluded.bytes, display_name = excluded.display_name,
       description = excluded.description`,
    [rid, generation, countedBytes(text), callerId, displayName, description],
  )
  await session.run('DELETE FROM oqs_ontology_family WHERE ontology_rid = ?', [rid])
  await session.run(
    'INSERT INTO oqs_ontology_family (family, ontology_rid) SELECT unnest(?::text[]), ?',
    [definition.families ?? [], rid],
  )
}
