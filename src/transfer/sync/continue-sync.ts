/**
 * Prepares to follow tables whose copy is complete. Renamed columns, and new ones without values in
 * older rows, are followed as they are. After any other change, and if it is new, a table is copied. A
 * table that does not fit its type is not followed until it does; the others are.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { freeName, propertyNameOf } from '../columns/column-names.ts'
import { adaptDefinition, type TableChange } from './adapt-definition.ts'
import { typeNames } from './choose-tables.ts'
import { findObstacle, inferTables } from './infer-tables.ts'
import { noteDropped, type Publication, recordTables } from './publication.ts'
import { publishTables, watchedTables } from './publish-tables.ts'
import { type SourceTable, tableName } from './source-tables.ts'
import { changeTypes, findType } from './sync-definition.ts'
import type { ContinuedSource, Misfit, PrepareRequest } from './sync-request.ts'
import { mapTable, type TableMapping } from './table-mapping.ts'
import {
  addedColumns,
  findCopyReason,
  findLostChange,
  recordOf,
  type TableRecord,
  type TableRecords,
} from './table-record.ts'
import type { TypeOwners } from './type-owners.ts'

export interface ContinuedTables {
  readonly mappings: readonly TableMapping[]
  /** Those of the tables whose objects have to be replaced before they are followed. */
  readonly toCopy: readonly TableMapping[]
  /** Why tables are not followed now, by their names. */
  readonly stopped: ReadonlyMap<string, string>
  /** The tables that this depends on, and the definition. */
  readonly tables: readonly SourceTable[]
  readonly definition: OntologyDefinition
}

interface Copying {
  readonly mustCopy: boolean
  /** Says why it is copied; undefined if an earlier run has said so. */
  readonly copyNote: string | undefined
}

type PlannedMapping = TableMapping & Copying

/** The tables of a sync, and the definition that they need. */
interface Plan {
  readonly changes: readonly (TableChange & Copying)[]
  readonly adapt: (definition: OntologyDefinition) => OntologyDefinition
}

export async function continueTables(
  endpoints: Endpoints,
  source: ContinuedSource,
  request: PrepareRequest,
): Promise<ContinuedTables> {
  const { publication, all, current, owner } = source
  const { ontology, owners, refused, onNote } = request
  const stopped = new Map<SourceTable, string>()
  const tables = (await publishTables(source, request)).filter((table) => {
    const obstacle = findObstacle(table)
    const reason = obstacle === undefined ? refused.find(table, current) : `it ${obstacle}`
    if (reason !== undefined) stopped.set(table, reason)
    return reason === undefined
  })
  const plan = planTables(tables, publication, request)
  const adapted = plan.adapt(current)
  const isNew = new Set(plan.changes.flatMap((one) => (one.record ? [] : [one.inferred.table])))
  const mapped = plan.changes.flatMap(({ inferred, record, mustCopy, copyNote }) => {
    const type = findType(adapted, inferred.definition.apiName)
    try {
      if (type === undefined) throw missingType(current, inferred.definition.apiName)
      const next = nextRecord(inferred.table, type.apiName, record)
      return [{ ...mapTable(inferred, type, onNote, next), mustCopy, copyNote }]
    } catch (error) {
      stopped.set(inferred.table, (error as Error).message)
      return []
    }
  })
  const fitting = await withoutStrangers(mapped, isNew, { owners, current, owner }, stopped)
  await owners.check(current, namesOf(fitting.filter(({ table }) => !isNew.has(table))), owner)
  for (const { table, copyNote } of fitting) {
    if (copyNote !== undefined) onNote(`${tableName(table)} ${copyNote}`)
  }
  noteDropped(publication, all, onNote)
  const records = publication.records ?? {}
  const marked = markCopies(records, fitting, stopped)
  // A table whose copy is interrupted, or which has stopped, is copied by the next run.
  const marking = recordIfChanged(source, records, marked)
  if (fitting.length === 0) await marking.catch(() => {})
  reportStopped(stopped, fitting.length, onNote)
  await marking
  const adaptCurrent = (one: OntologyDefinition | undefined) => plan.adapt(one ?? current)
  const definition = await changeTypes(endpoints, ontology, adaptCurrent, request)
  const created = fitting.filter(({ table }) => isNew.has(table))
  if (created.length > 0) await owners.claim(definition, namesOf(created), owner)
  // After the definition: a run that is interrupted before must still see the new names.
  await recordIfChanged(source, marked, nextRecords(marked, fitting))
  return {
    mappings: fitting,
    toCopy: fitting.filter(({ mustCopy }) => mustCopy),
    stopped: new Map([...stopped].map(([table, reason]) => [tableName(table), reason])),
    tables: watchedTables(all, publication.tables, request),
    definition,
  }
}

function planTables(
  tables: readonly SourceTable[],
  { records, isOwned, tables: published }: Publication,
  { type, ontology, misfit, onNote }: PrepareRequest,
): Plan {
  const recorded = new Set(Object.values(records ?? {}).map((record) => record.type))
  const nameOfNew = typeNames(tables)
  const nameOf = (table: SourceTable) => {
    const name = nameOfNew(table)
    const long = propertyNameOf(`${table.schema}_${table.name}`)
    const free = recorded.has(name) ? freeName(long, (one) => recorded.has(one)) : name
    return type ?? records?.[table.oid]?.type ?? free
  }
  const inferred = inferTables(tables, nameOf)
  const changes = inferred.tables.map((one) => {
    const { table } = one
    // A role that may not record anything cannot tell what has changed since the last run.
    const known = isOwned ? undefined : recordOf(table, nameOf(table))
    const record = published.has(table.oid) ? (records?.[table.oid] ?? known) : undefined
    const reason =
      record && copyReason(table, record, misfit?.oid === table.oid ? misfit : undefined)
    if (record !== undefined) noteColumns(table, record, onNote)
    return {
      inferred: one,
      record,
      mustCopy: record === undefined || record.mustCopy === true || reason !== undefined,
      copyNote:
        record === undefined ? 'is new, and copied' : reason && `is copied again: ${reason}`,
    }
  })
  const adapt = (definition: OntologyDefinition) =>
    adaptDefinition(definition, ontology, changes, inferred.linkTypes)
  return { changes, adapt }
}

function noteColumns(table: SourceTable, record: TableRecord, onNote: (text: string) => void) {
  const now = new Map(table.columns.map(({ number, name }) => [String(number), name]))
  for (const { name } of addedColumns(table, record)) {
    onNote(`${tableName(table)}: the new column ${name} is taken`)
  }
  for (const [number, { names }] of Object.entries(record.columns)) {
    const [before, name] = [names.at(-1), now.get(number)]
    if (name === undefined) {
      onNote(
        `${tableName(table)}: the column ${before} was dropped; its property keeps the values of rows that do not change`,
      )
    } else if (name !== before) {
      onNote(
        `${tableName(table)}: the column ${before} is called ${name} now, and so is its property`,
      )
    }
  }
}

/** Returns why a table must be copied again; undefined if its changes can be followed. */
function copyReason(
  table: SourceTable,
  record: TableRecord,
  misfit: Misfit | undefined,
): string | undefined {
  const lost = findLostChange(table, record)
  if (lost !== undefined) return `a partition of it was ${lost}`
  const isSame = isDeepStrictEqual(nextRecord(table, record.type, record), record)
  // What the stream had was changed once more in the meantime, or the change is an unknown one.
  const isUnclear = misfit !== undefined && (misfit.isRepeated || isSame)
  return findCopyReason(table, record) ?? (isUnclear ? 'its columns were changed' : undefined)
}

function nextRecord(
  table: SourceTable,
  type: string,
  record: TableRecord | undefined,
): TableRecord {
  return recordOf(table, record?.type ?? type, record)
}

/** Leaves out new tables whose types have objects of others. */
async function withoutStrangers(
  mappings: readonly PlannedMapping[],
  isNew: ReadonlySet<SourceTable>,
  { owners, current, owner }: { owners: TypeOwners; current: OntologyDefinition; owner: string },
  stopped: Map<SourceTable, string>,
): Promise<readonly PlannedMapping[]> {
  const fitting: PlannedMapping[] = []
  for (const mapping of mappings) {
    const { table, objectType } = mapping
    try {
      if (isNew.has(table)) await owners.checkReplaced(current, [objectType], owner)
      fitting.push(mapping)
    } catch (error) {
      stopped.set(table, (error as Error).message)
    }
  }
  return fitting
}

/** Throws if no table can be followed. */
function reportStopped(
  stopped: ReadonlyMap<SourceTable, string>,
  followed: number,
  onNote: (text: string) => void,
): void {
  for (const [table, reason] of stopped) {
    const text = `${tableName(table)} cannot be followed any more: ${reason.replace(/\.$/, '')}`
    if (followed === 0) throw new Error(`${text}. Change that, then run the command again.`)
    onNote(
      `${text}. It is copied again once that has changed, at the latest by the next run; the other tables are followed`,
    )
  }
}

/** Marks the tables whose objects are not those of the table. */
function markCopies(
  records: TableRecords,
  mappings: readonly PlannedMapping[],
  stopped: ReadonlyMap<SourceTable, string>,
): TableRecords {
  const copied = mappings.flatMap(({ table, mustCopy }) => (mustCopy ? [table] : []))
  const oids = new Set([...stopped.keys(), ...copied].map(({ oid }) => String(oid)))
  const mark = (record: TableRecord): TableRecord => ({ ...record, mustCopy: true })
  return Object.fromEntries(
    Object.entries(records).map(([oid, record]) => [oid, oids.has(oid) ? mark(record) : record]),
  )
}

/** Records the tables as they are now. Those of dropped tables stay, so that each run mentions them. */
function nextRecords(records: TableRecords, mappings: readonly PlannedMapping[]): TableRecords {
  const next = mappings.map(({ table, objectType, mustCopy }) => {
    const record = nextRecord(table, objectType, records[table.oid])
    return [table.oid, mustCopy ? { ...record, mustCopy } : record] as const
  })
  return { ...records, ...Object.fromEntries(next) }
}

async function recordIfChanged(
  { client, slot }: ContinuedSource,
  before: TableRecords,
  after: TableRecords,
): Promise<void> {
  if (!isDeepStrictEqual(before, after)) await recordTables(client, slot, after)
}

function missingType({ apiName }: OntologyDefinition, type: string): Error {
  return new Error(
    `${apiName} has no object type ${type} any more. Run the command with --restart to copy its table again.`,
  )
}

function namesOf(mappings: readonly TableMapping[]): readonly string[] {
  return mappings.map(({ objectType }) => objectType)
}
