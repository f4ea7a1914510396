/** The records that writes add to the audit log. */

import type { AuditEntry, AuditRecord } from '../../../contract/audit-record.ts'
import { AUDIT_KEYS_MAX, AUDIT_NAMES_MAX } from '../../../contract/limits.ts'
import type { OntologyChange } from '../../../ontology/definition/change-definition.ts'
import type { ObjectTypeDefinition } from '../../../ontology/definition/definition-schema.ts'
import type { PrimaryKeyType } from '../../../ontology/definition/property-type.ts'
import { isDroppedType } from '../../../ontology/definition/type-change.ts'
import type { ObjectType } from '../../../ontology/ontology.ts'
import { primaryKeyText } from '../../../ontology/values/primary-key.ts'
import type { RequestContext } from '../../port/request-context.ts'
import type { Commit, WriteTarget } from '../../port/writes.ts'
import type { StoredType } from '../../sql/plan-definition-change.ts'

/** What a write needs to add its record. Plain data, which can be sent to a thread. */
export interface AuditMessage {
  readonly entry: AuditEntry
  readonly keyType: PrimaryKeyType
}

/** Runs a write of objects, and reports the record that it has added to the audit log. */
export async function audited<Write extends Pick<WriteTarget, 'objectType'>>(
  context: RequestContext,
  write: Write,
  run: (write: Write & AuditedWrite) => Promise<Commit>,
): Promise<Commit> {
  const audit = toAuditMessage(context, write)
  const { record, ...commit } = await run({ ...write, audit })
  if (record !== undefined) context.audit?.onRecorded(record)
  return commit
}

/** Runs writes of several types, and reports the records that they have added. */
export async function auditedTypes<Request, Result extends { readonly commits: readonly Commit[] }>(
  context: RequestContext,
  request: Request,
  run: (request: Request & AuditedTypes) => Promise<Result>,
): Promise<Result> {
  const auditOf = (objectType: ObjectType) => toAuditMessage(context, { objectType })
  const result = await run({ ...request, auditOf })
  for (const { record } of result.commits) {
    if (record !== undefined) context.audit?.onRecorded(record)
  }
  return result
}

/** Writes of several types, with the audit record of each. */
export interface AuditedTypes {
  readonly auditOf: (objectType: ObjectType) => AuditMessage | undefined
}

/** A write as the store runs it, with its audit record. */
export interface AuditedWrite {
  readonly audit?: AuditMessage | undefined
}

function toAuditMessage(
  { audit }: RequestContext,
  { objectType }: Pick<WriteTarget, 'objectType'>,
): AuditMessage | undefined {
  if (audit === undefined) return undefined
  // An action names its type only indirectly.
  const entry = { ...audit.entry, objectTypes: [objectType.apiName] }
  return { entry, keyType: objectType.primaryKey.type }
}

/** What a change of a definition returns, with the record that it has added to the audit log. */
export interface RecordedChange<Outcome> {
  readonly outcome: Outcome
  /** Undefined if the change is not audited, or is only tried. */
  readonly record?: AuditRecord | undefined
}

/** Runs a change of a definition, and reports the record that it has added. */
export async function auditedDefinition<Outcome>(
  { audit }: RequestContext,
  run: (entry: AuditEntry | undefined) => Promise<RecordedChange<Outcome>>,
): Promise<Outcome> {
  const { outcome, record } = await run(audit?.entry)
  if (record !== undefined) audit?.onRecorded(record)
  return outcome
}

/** Returns the record of a change of a definition: what it drops, and how many objects with it. */
export function definitionRecord(
  entry: AuditEntry | undefined,
  { types, links }: Pick<OntologyChange, 'types' | 'links'>,
  stored: readonly StoredType[],
): AuditRecord | undefined {
  if (entry === undefined) return undefined
  const counts = new Map(stored.map(({ rid, objects }) => [rid, objects]))
  const droppedTypes = types.filter(isDroppedType)
  const deleted = droppedTypes.reduce((sum, { typeRid }) => sum + (counts.get(typeRid) ?? 0), 0)
  const dropped = [
    ...droppedTypes.map(({ objectType }) => objectType),
    ...types.flatMap(({ objectType, changes }) =>
      changes
        .filter(({ kind, property }) => kind === 'dropped' && property !== undefined)
        .map(({ property }) => `${objectType}.${property}`),
    ),
    ...links
      .filter(({ kind }) => kind === 'dropped')
      .map(({ objectType, linkType }) => `link ${objectType}.${linkType}`),
  ]
  return { ...entry, outcome: 'success', ...describeDropped(dropped, deleted) }
}

/** Returns the record of the deletion of an ontology. */
export function deletionRecord(
  entry: AuditEntry | undefined,
  stored: readonly StoredType[],
): AuditRecord | undefined {
  if (entry === undefined) return undefined
  const names = stored.map(({ definition }) => {
    const { apiName } = JSON.parse(definition) as ObjectTypeDefinition
    return apiName
  })
  const deleted = stored.reduce((sum, { objects }) => sum + objects, 0)
  return { ...entry, outcome: 'success', ...describeDropped(names, deleted) }
}

function describeDropped(names: readonly string[], deleted: number): Partial<AuditRecord> {
  if (names.length === 0) return {}
  const moreDropped = Math.max(0, names.length - AUDIT_NAMES_MAX)
  return { deleted, dropped: names.slice(0, AUDIT_NAMES_MAX), moreDropped }
}

/** Returns the record of a commit. The keys are in their stored form, and may be cut off. */
export function commitRecord(
  { entry, keyType }: AuditMessage,
  { version, put, deleted, kept }: Commit,
  storedKeys: readonly string[] | undefined,
): AuditRecord {
  const keys = storedKeys?.slice(0, AUDIT_KEYS_MAX).map((pk) => primaryKeyText(keyType, pk))
  return {
    ...entry,
    outcome: 'success',
    version,
    put,
    deleted,
    ...(kept > 0 ? { kept } : {}),
    ...(keys === undefined ? {} : { keys, moreKeys: Math.max(0, put + deleted - keys.length) }),
  }
}
