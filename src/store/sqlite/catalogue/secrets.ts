/** Keys of page tokens, and API tokens, which are stored without their secrets. */
import type { DatabaseSync } from 'node:sqlite'
import type { ApiToken } from '../../object-store.ts'
import { API_TOKEN_COLUMNS, apiTokenValues, toApiToken } from '../../sql/api-token-row.ts'
import type { NoteMessage } from '../../sql/once-key.ts'
import { inTransaction } from '../file/connection.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { recordNote } from '../writes/idempotency-keys.ts'
import { deleteSome } from './delete-some.ts'

/** Returns the page token keys, newest first. Saves the given key if there is none yet. */
export function readPageTokenKeys(db: DatabaseSync, newKey: Uint8Array): Uint8Array[] {
  const select = db.prepare('SELECT secret FROM oqs_page_token_key ORDER BY id DESC')
  if (select.get() === undefined) {
    inTransaction(db, 'write', () => {
      // Checked again: another process may have saved its key first.
      if (select.get() !== undefined) return
      db.prepare('INSERT INTO oqs_page_token_key (secret) VALUES (?)').run(newKey)
    })
  }
  return select.all().map((row) => row['secret'] as Uint8Array)
}

export interface NewToken {
  readonly token: ApiToken
  readonly secretHash: string
  readonly once?: NoteMessage | undefined
}

export function createApiToken(db: WriterDatabase, { token, secretHash, once }: NewToken): void {
  inTransaction(db, 'write', () => {
    db.prepare(
      `INSERT INTO oqs_api_token (secret_hash, ${API_TOKEN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(secretHash, ...apiTokenValues(token))
    recordNote(db, once)
  })
}

export function findApiToken(statements: StatementCache, secretHash: string): ApiToken | undefined {
  const sql = `SELECT ${API_TOKEN_COLUMNS} FROM oqs_api_token WHERE secret_hash = ?`
  const row = statements.prepare(sql).get(secretHash)
  return row && toApiToken(row as unknown as unknown[])
}

export function findApiTokenById(statements: StatementCache, id: string): ApiToken | undefined {
  const sql = `SELECT ${API_TOKEN_COLUMNS} FROM oqs_api_token WHERE id = ?`
  const row = statements.prepare(sql).get(id)
  return row && toApiToken(row as unknown as unknown[])
}

export function listApiTokens(statements: StatementCache): readonly ApiToken[] {
  const sql = `SELECT ${API_TOKEN_COLUMNS} FROM oqs_api_token WHERE client_id IS NULL
    ORDER BY created_at_ms, id`
  return (statements.prepare(sql).all() as unknown as unknown[][]).map(toApiToken)
}

export function revokeApiTokens(
  db: DatabaseSync,
  { ids, nowMs }: { readonly ids: readonly string[]; readonly nowMs: number },
): number {
  return inTransaction(db, 'write', () => {
    const revoke = (column: 'id' | 'subject_id') =>
      db
        .prepare(
          `UPDATE oqs_api_token SET revoked_at_ms = ?
           WHERE revoked_at_ms IS NULL AND ${column} IN (SELECT value FROM json_each(?))`,
        )
        .run(nowMs, JSON.stringify(ids))
    revoke('subject_id')
    return Number(revoke('id').changes)
  })
}

export function deleteApiTokens(db: DatabaseSync, ids: readonly string[]): void {
  db.prepare('DELETE FROM oqs_api_token WHERE id IN (SELECT value FROM json_each(?))').run(
    JSON.stringify(ids),
  )
}

export function revokeIssuedTokens(
  db: DatabaseSync,
  { clientOrGrantId, nowMs }: { readonly clientOrGrantId: string; readonly nowMs: number },
): number {
  const { changes } = db
    .prepare(
      `UPDATE oqs_api_token SET revoked_at_ms = ?
       WHERE (client_id = ? OR grant_id = ?) AND revoked_at_ms IS NULL`,
    )
    .run(nowMs, clientOrGrantId, clientOrGrantId)
  return Number(changes)
}

/** Deletes some of the issued tokens that expired by a time, and returns how many. */
export function deleteIssuedTokens(db: DatabaseSync, expiredByMs: number): number {
  const condition = 'client_id IS NOT NULL AND expires_at_ms <= ?'
  return deleteSome(db, { table: 'oqs_api_token', key: 'id', condition }, expiredByMs)
}
