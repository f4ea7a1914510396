/**
 * Adds the current objects of a type to a replacement, so that publishing it deletes none of them.
 * Meant for types with few objects: they are read and indexed again, in one transaction.
 */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { OntologyDefinition } from '../../../ontology/definition/definition-schema.ts'
import { objectSteps } from '../../../ontology/values/read-object.ts'
import { refuseLargeMerge } from '../../batch-rules.ts'
import type { UnfitObject } from '../../port/definitions.ts'
import type { Commit, PublishMode } from '../../port/writes.ts'
import { type TypeConverter, typeOf } from '../../sql/stored-change.ts'
import { createTable } from '../catalogue/build-table.ts'
import { NEVER_CLOSED, objectTable } from '../catalogue/object-tables.ts'
import type { LockedType } from '../commits/locked-type.ts'
import { integer, json, type Operation, type ReadSession, text } from '../session/session.ts'
import { countRows, type LoadingTable, type TableBuilder } from './construction.ts'
import { copyAll } from './copy-objects.ts'

export interface Merged extends Pick<Commit, 'put' | 'deleted' | 'kept'> {
  /** Whether the table of the replacement exists. */
  readonly isCreated: boolean
}

/** Returns what a publication changes. The type and the replacement must be locked. */
export function* mergeCurrent(
  builder: TableBuilder,
  type: LockedType,
  loaded: LoadingTable,
  mode: PublishMode,
): Operation<Merged> {
  const { isCreated, liveCount: put } = loaded
  const { count: current, maxRecordBytes } = yield* readCounts(builder, type.tableId)
  if (mode === 'replace') return { put, deleted: current, kept: 0, isCreated }
  if (current === 0) return { put, deleted: 0, kept: 0, isCreated }
  refuseLargeMerge(current)
  if (!isCreated) yield* createTable(builder, loaded)
  const kept = mode === 'append' ? yield* removeExisting(builder, type, loaded) : 0
  const unfit: UnfitObject[] = []
  const converter = yield* readUnchangedConverter(builder.session, type.id)
  const copying = {
    typeId: type.id,
    sourceId: type.tableId,
    maxRecordBytes,
    tableId: loaded.id,
    version: loaded.loadedAs,
    notedVersion: type.published,
    converter,
    unfit,
  }
  yield* copyAll(builder, copying, `NOT EXISTS (${sameKeyIn(loaded.id, type.tableId)})`)
  refuseUnreadable(unfit)
  return { put: put - kept, deleted: 0, kept, isCreated: true }
}

function* readCounts({ session }: TableBuilder, id: number) {
  const table = yield* session.find(
    'SELECT live_count, max_record_bytes FROM oqs_object_table WHERE id = ?',
    [id],
    { count: integer, maxRecordBytes: integer },
  )
  if (table === undefined) throw new Error(`no table ${id}`)
  return table
}

/** Selects the current row of one table with the key of a row of another one. */
function sameKeyIn(id: number, other: number): string {
  return `SELECT 1 FROM ${objectTable(id)} AS same
    WHERE same.pk = ${objectTable(other)}.pk AND same.valid_to = ${NEVER_CLOSED}`
}

/** Removes the loaded objects that the type has already, and returns how many there were. */
function* removeExisting(
  builder: TableBuilder,
  type: LockedType,
  { id }: LoadingTable,
): Operation<number> {
  const { session } = builder
  const current = yield* builder.currentRows(type.id)
  const source = objectTable(type.tableId)
  const rows = yield* session.query(
    `SELECT pk FROM ${source} WHERE ${current.sql} AND EXISTS (${sameKeyIn(id, type.tableId)})`,
    [...current.values],
    { pk: text },
  )
  const keys = rows.map(({ pk }) => pk)
  const removed = yield* builder.removeRows({ id }, keys)
  yield* countRows(session, { id }, { added: -removed, maxRecordBytes: 0 })
  return removed
}

/** A release may refuse objects that an earlier one accepted. */
function refuseUnreadable([first]: readonly UnfitObject[]): void {
  if (first === undefined) return
  const { primaryKey, property, reason } = first
  throw new ObjectQueryError('ReplacementMergeRefused', {
    primaryKey,
    reason: property === undefined ? reason : `${property} ${reason}`,
  })
}

/** Reads the definition in the transaction: the one of a request may be older. */
function* readUnchangedConverter(session: ReadSession, typeId: number): Operation<TypeConverter> {
  const row = yield* session.find(
    `SELECT t.rid, o.definition FROM oqs_object_type AS t
     JOIN oqs_ontology AS o ON o.rid = t.ontology_rid WHERE t.id = ?`,
    [typeId],
    { rid: text, definition: json<OntologyDefinition> },
  )
  if (row === undefined) throw new Error(`no object type ${typeId}`)
  const type = typeOf(row.definition, row.rid)
  const readSteps = objectSteps(type)
  return { type, convert: (body) => readSteps(JSON.parse(body)), changesKeys: false }
}
