/** The audit log: the jobs that add, list and delete its records. */
import type { DatabaseSync } from 'node:sqlite'
import type { AuditRecord } from '../../../contract/audit-record.ts'
import type { ListAuditRequest, StoredAuditRecord } from '../../audit-log.ts'
import {
  AUDIT_COLUMNS,
  type AuditMessage,
  auditCondition,
  commitRecord,
  toStoredRecord,
} from '../../sql/audit-row.ts'
import type { Commit } from '../../write-request.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { deleteSome } from './delete-some.ts'

/** One text for all records costs less than a statement, or a message to the thread, for each. */
const ADD = `INSERT INTO oqs_audit_record (${AUDIT_COLUMNS})
  SELECT value ->> 'atMs', value ->> '$.caller.id', value ->> '$.caller.name',
    value ->> 'operation', value ->> 'ontology', value
  FROM json_each(?)`

/** Adds records, given as the JSON text of an array. */
export function appendAuditRecords(db: WriterDatabase, records: string): void {
  db.cached(ADD).run(records)
}

/** Adds a record within a transaction; does nothing without one. */
export function addAuditRecord(db: WriterDatabase, record: AuditRecord | undefined): void {
  if (record !== undefined) appendAuditRecords(db, JSON.stringify([record]))
}

/** Adds the record of a commit within its transaction, and returns both. */
export function auditCommit(
  db: WriterDatabase,
  audit: AuditMessage | undefined,
  commit: Commit,
  keys?: readonly string[],
): Commit {
  if (audit === undefined) return commit
  const record = commitRecord(audit, commit, keys)
  addAuditRecord(db, record)
  return { ...commit, record }
}

export function listAuditRecords(
  { statements }: { readonly statements: StatementCache },
  request: ListAuditRequest,
): readonly StoredAuditRecord[] {
  const { sql, values } = auditCondition(request)
  const rows = statements
    .prepare(
      `SELECT id, record FROM oqs_audit_record WHERE ${sql} ORDER BY at_ms DESC, id DESC LIMIT ?`,
    )
    .all(...values, request.maxRecords)
  return (rows as unknown as unknown[][]).map(toStoredRecord)
}

/** Deletes some of the records from before a time, and returns how many; 0 if none is left. */
export function deleteAuditRecords(db: DatabaseSync, beforeMs: number): number {
  return deleteSome(db, { table: 'oqs_audit_record', key: 'id', condition: 'at_ms < ?' }, beforeMs)
}
