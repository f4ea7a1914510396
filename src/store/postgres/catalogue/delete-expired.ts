/** Deletes what expires: idempotency keys, documents, issued tokens, records of the audit log. */
import type { Retention } from '../../object-store.ts'
import { ISSUED_TOKENS_KEPT_MS } from '../../sql/api-token-row.ts'
import type { Database } from '../driver/database.ts'
import { deleteExpiredKeys } from '../writes/idempotency-keys.ts'
import { deleteAuditRecords } from './audit-records.ts'
import { deleteExpiredDocuments } from './documents.ts'
import { deleteIssuedTokens } from './secrets.ts'

/** Returns the number of deleted rows. */
export async function deleteExpired(
  database: Database,
  { now, auditRecordsMs }: Pick<Retention, 'now' | 'auditRecordsMs'>,
): Promise<number> {
  const nowMs = now()
  const keys = await deleteExpiredKeys(database, nowMs)
  const documents = await deleteExpiredDocuments(database, nowMs)
  const tokens = await deleteIssuedTokens(database, nowMs - ISSUED_TOKENS_KEPT_MS)
  const records =
    auditRecordsMs === undefined ? 0 : await deleteAuditRecords(database, nowMs - auditRecordsMs)
  return keys + documents + tokens + records
}
