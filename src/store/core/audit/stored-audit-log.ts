/** The audit log in the database, see `AuditLog`. */

import type { AuditRecord } from '../../../contract/audit-record.ts'
import type { AuditLog, ListAuditRequest, StoredAuditRecord } from '../../port/credentials.ts'
import { INTERNAL_CONTEXT } from '../../port/request-context.ts'
import type { Commit } from '../../port/writes.ts'
import {
  type CoreSession,
  integer,
  json,
  type Operation,
  type Parameter,
} from '../session/session.ts'
import type { SlowRead, StoreOperations, WriteOperation } from '../session/store-operations.ts'
import { type AuditMessage, commitRecord } from './audit-records.ts'

const ROW = {
  at_ms: 'integer',
  caller_id: 'text',
  caller_name: 'text',
  operation: 'text',
  ontology: 'text',
  record: 'text',
} as const
const COLUMNS = Object.keys(ROW).join(', ')

/** Returns the rows of records as one text: it costs less than a statement, or a message, for each. */
function toRows(records: readonly AuditRecord[]): string {
  return JSON.stringify(
    records.map((record) => {
      const { atMs, caller, operation, ontology = null } = record
      // PostgreSQL refuses U+0000 in a text, which the name of a person might contain.
      const [id, name] = [caller?.id, caller?.name].map((text) => text?.replaceAll('\0', ''))
      return [atMs, id ?? null, name ?? null, operation, ontology, JSON.stringify(record)]
    }),
  )
}

const appendRecords: WriteOperation<string, void> = {
  name: 'appendAuditRecords',
  *run(session, rows) {
    yield* session.run(
      `INSERT INTO oqs_audit_record (${COLUMNS}) SELECT ${COLUMNS} FROM ${session.dialect.rows(ROW)}
         AS added`,
      [rows],
    )
  },
}

/** Adds records within a transaction. Does nothing without one. */
export function* addAuditRecords(
  session: CoreSession,
  records: readonly (AuditRecord | undefined)[],
): Operation<void> {
  const given = records.filter((record) => record !== undefined)
  if (given.length > 0) yield* appendRecords.run(session, toRows(given))
}

/** Adds the record of a commit within its transaction, and returns both. */
export function* auditCommit(
  session: CoreSession,
  audit: AuditMessage | undefined,
  commit: Commit,
  keys?: readonly string[],
): Operation<Commit> {
  if (audit === undefined) return commit
  const record = commitRecord(audit, commit, keys)
  yield* addAuditRecords(session, [record])
  return { ...commit, record }
}

const listRecords: SlowRead<ListAuditRequest, readonly StoredAuditRecord[]> = {
  name: 'listAuditRecords',
  run(session, request) {
    const conditions = auditConditions(request)
    const where = conditions.map(({ sql }) => sql).join(' AND ')
    return session.query(
      `SELECT id, record FROM oqs_audit_record WHERE ${where || 'TRUE'}
       ORDER BY at_ms DESC, id DESC LIMIT ?`,
      [...conditions.flatMap(({ values }) => values), request.maxRecords],
      { id: integer, record: json<AuditRecord> },
    )
  },
}

/** Returns the conditions of the members that are given; the latest record comes first. */
function auditConditions(request: ListAuditRequest) {
  const { sinceMs, untilMs, caller, operation, ontology, after } = request
  const conditions: readonly { sql: string; values: readonly (Parameter | undefined)[] }[] = [
    { sql: 'at_ms >= ?', values: [sinceMs] },
    { sql: 'at_ms < ?', values: [untilMs] },
    { sql: '(caller_id = ? OR caller_name = ?)', values: [caller, caller] },
    { sql: 'operation = ?', values: [operation] },
    { sql: 'ontology = ?', values: [ontology] },
    { sql: '(at_ms, id) < (?, ?)', values: [after?.atMs, after?.id] },
  ]
  return conditions.flatMap(({ sql, values }) => {
    const given = values.filter((value) => value !== undefined)
    return given.length === 0 ? [] : [{ sql, values: given }]
  })
}

export const AUDIT_WRITES = [appendRecords] as const
export const AUDIT_READS = [listRecords] as const

export class StoredAuditLog implements AuditLog {
  readonly #operations: StoreOperations

  constructor(operations: StoreOperations) {
    this.#operations = operations
  }

  append(records: readonly AuditRecord[]): Promise<void> {
    return this.#operations.write(appendRecords, toRows(records))
  }

  list(
    request: ListAuditRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<readonly StoredAuditRecord[]> {
    return this.#operations.readSlowly(listRecords, request, context)
  }
}
