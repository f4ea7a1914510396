/** Deletes what expires: idempotency keys, documents, issued tokens, records of the audit log. */
import type { Retention } from '../../object-store.ts'
import type { StoreOperations, WriteOperation } from '../session/store-operations.ts'

/** Rows that are deleted in one transaction, so that writers never wait long. */
const ROWS_AT_ONCE = 5000
/** How long an issued token is kept after its expiry, so that its user learns why it is refused. */
const ISSUED_TOKENS_KEPT_MS = 3_600_000

/** By table: its primary key, and which rows have expired; the placeholder is a time. */
const EXPIRING = {
  oqs_idempotency_key: { key: 'caller, key', condition: 'expires_at_ms <= ?' },
  oqs_document: { key: 'kind, id', condition: 'expires_at_ms <= ?' },
  oqs_api_token: { key: 'id', condition: 'client_id IS NOT NULL AND expires_at_ms <= ?' },
  oqs_audit_record: { key: 'id', condition: 'at_ms < ?' },
} as const

type ExpiringTable = keyof typeof EXPIRING

/** Deletes some of the rows that have expired, and returns how many; 0 if none is left. */
export const deleteSomeExpired: WriteOperation<
  { readonly table: ExpiringTable; readonly timeMs: number },
  number
> = {
  name: 'deleteSomeExpired',
  run(session, { table, timeMs }) {
    const { key, condition } = EXPIRING[table]
    const some = `SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE}`
    return session.run(`DELETE FROM ${table} WHERE (${key}) IN (${some})`, [timeMs])
  },
}

/** Returns the number of deleted rows. */
export async function deleteExpired(
  operations: StoreOperations,
  { now, auditRecordsMs }: Pick<Retention, 'now' | 'auditRecordsMs'>,
): Promise<number> {
  const nowMs = now()
  const times: [ExpiringTable, number][] = [
    ['oqs_idempotency_key', nowMs],
    ['oqs_document', nowMs],
    ['oqs_api_token', nowMs - ISSUED_TOKENS_KEPT_MS],
  ]
  if (auditRecordsMs !== undefined) times.push(['oqs_audit_record', nowMs - auditRecordsMs])
  let total = 0
  for (const [table, timeMs] of times) {
    for (;;) {
      const deleted = await operations.write(deleteSomeExpired, { table, timeMs })
      if (deleted === 0) break
      total += deleted
    }
  }
  return total
}
