/** The audit log in PostgreSQL, shared by all nodes. */

import type { AuditRecord } from '../../../contract/audit-record.ts'
import type { AuditLog, ListAuditRequest, StoredAuditRecord } from '../../audit-log.ts'
import { INTERNAL_CONTEXT } from '../../port/request-context.ts'
import {
  AUDIT_COLUMNS,
  type AuditMessage,
  auditCondition,
  commitRecord,
  toStoredRecord,
} from '../../sql/audit-row.ts'
import type { Commit } from '../../write-request.ts'
import type { Database, WriteSession } from '../driver/database.ts'
import { deleteInSteps } from './delete-in-steps.ts'

export class PostgresAudit implements AuditLog {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async append(records: readonly AuditRecord[]): Promise<void> {
    await this.#database.write((session) => addAuditRecords(session, records))
  }

  async list(
    request: ListAuditRequest,
    context = INTERNAL_CONTEXT,
  ): Promise<readonly StoredAuditRecord[]> {
    const { sql, values } = auditCondition(request)
    const rows = await this.#database.readSlowly(context, (pool) =>
      pool.query(
        `SELECT id, record FROM oqs_audit_record WHERE ${sql} ORDER BY at_ms DESC, id DESC LIMIT ?`,
        [...values, request.maxRecords],
      ),
    )
    return rows.map(toStoredRecord)
  }
}

/** Adds records within a transaction. */
export async function addAuditRecords(
  session: WriteSession,
  records: readonly (AuditRecord | undefined)[],
): Promise<void> {
  const rows = records.flatMap((record) => (record === undefined ? [] : [valuesOf(record)]))
  if (rows.length === 0) return
  const column = (index: number) => rows.map((row) => row[index])
  await session.run(
    `INSERT INTO oqs_audit_record (${AUDIT_COLUMNS})
     SELECT * FROM unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])`,
    [0, 1, 2, 3, 4, 5].map(column),
  )
}

/** PostgreSQL refuses U+0000 in a text, which the name of a person might contain. */
function valuesOf(record: AuditRecord): (string | number | null)[] {
  const { atMs, caller, operation, ontology = null } = record
  const [id, name] = [caller?.id, caller?.name].map((text) => text?.replaceAll('\0', '') ?? null)
  return [atMs, id ?? null, name ?? null, operation, ontology, JSON.stringify(record)]
}

/** Adds the record of a commit within its transaction, and returns both. */
export async function auditCommit(
  session: WriteSession,
  audit: AuditMessage | undefined,
  commit: Commit,
  keys?: readonly string[],
): Promise<Commit> {
  if (audit === undefined) return commit
  const record = commitRecord(audit, commit, keys)
  await addAuditRecords(session, [record])
  return { ...commit, record }
}

/** Deletes all records from before a time, and returns how many. */
export function deleteAuditRecords(database: Database, beforeMs: number): Promise<number> {
  const condition = 'at_ms < ?'
  return deleteInSteps(database, {
    table: 'oqs_audit_record',
    key: 'id',
    condition,
    values: [beforeMs],
  })
}
