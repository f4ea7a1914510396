/** Keys of page tokens, and API tokens, which are stored without their secrets. */
import { randomBytes } from 'node:crypto'
import { KEY_BYTES } from '../../../paging/token-keys.ts'
import type { ApiToken, CachedToken, OnceNote } from '../../object-store.ts'
import { API_TOKEN_COLUMNS, apiTokenValues, toApiToken } from '../../sql/api-token-row.ts'
import { toOnceMessage } from '../../sql/once-key.ts'
import type { Database } from '../driver/database.ts'
import { recordNote } from '../writes/idempotency-keys.ts'
import { deleteInSteps } from './delete-in-steps.ts'

const KEYS_SQL = 'SELECT secret FROM oqs_page_token_key ORDER BY id DESC'

/** Returns the page token keys, newest first. Creates one for all nodes if there is none yet. */
export async function readPageTokenKeys(database: Database): Promise<readonly Uint8Array[]> {
  let rows = await database.query(KEYS_SQL)
  if (rows.length === 0) {
    rows = await database.write(async (session) => {
      await session.query('LOCK TABLE oqs_page_token_key IN EXCLUSIVE MODE')
      // Checked again: another node may have saved its key first.
      const existing = await session.query(KEYS_SQL)
      if (existing.length > 0) return existing
      return session.query(
        'INSERT INTO oqs_page_token_key (secret) VALUES (?::bytea) RETURNING secret',
        [randomBytes(KEY_BYTES)],
      )
    })
  }
  return rows.map(([secret]) => secret as Uint8Array)
}

export async function createApiToken(
  database: Database,
  token: ApiToken,
  secretHash: string,
  once: OnceNote | undefined,
): Promise<void> {
  await database.write(async (session) => {
    await session.run(
      `INSERT INTO oqs_api_token (secret_hash, ${API_TOKEN_COLUMNS})
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [secretHash, ...apiTokenValues(token)],
    )
    await recordNote(session, toOnceMessage(once))
  })
}

/** Returns a token and the generation of tokens and policies, both as of one moment. */
export async function findApiToken(
  database: Database,
  secretHash: string,
): Promise<CachedToken | undefined> {
  const [row] = await database.query(
    `SELECT ${TOKEN_GENERATION_SQL}, ${API_TOKEN_COLUMNS} FROM oqs_api_token WHERE secret_hash = ?`,
    [secretHash],
    { isPrepared: true },
  )
  if (row === undefined) return undefined
  const [generation, ...token] = row
  return { token: toApiToken(token), generation: Number(generation) }
}

/** Increases whenever a token is revoked or deleted, or a policy changes. */
export const TOKEN_GENERATION_SQL = '(SELECT generation FROM oqs_token_generation)'

export async function findApiTokenById(
  database: Database,
  id: string,
): Promise<ApiToken | undefined> {
  const sql = `SELECT ${API_TOKEN_COLUMNS} FROM oqs_api_token WHERE id = ?`
  const [row] = await database.query(sql, [id])
  return row && toApiToken(row)
}

export async function listApiTokens(database: Database): Promise<readonly ApiToken[]> {
  const rows = await database.query(
    `SELECT ${API_TOKEN_COLUMNS} FROM oqs_api_token WHERE client_id IS NULL
     ORDER BY created_at_ms, id`,
  )
  return rows.map(toApiToken)
}

export function revokeApiTokens(
  database: Database,
  ids: readonly string[],
  nowMs: number,
): Promise<number> {
  return database.write(async (session) => {
    const revoke = (column: 'id' | 'subject_id') =>
      session.run(
        `UPDATE oqs_api_token SET revoked_at_ms = ?
         WHERE revoked_at_ms IS NULL AND ${column} = ANY(?)`,
        [nowMs, ids],
      )
    await revoke('subject_id')
    return revoke('id')
  })
}

export async function deleteApiTokens(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await database.write((session) =>
    session.run('DELETE FROM oqs_api_token WHERE id = ANY(?)', [ids]),
  )
}

export function revokeIssuedTokens(
  database: Database,
  clientOrGrantId: string,
  nowMs: number,
): Promise<number> {
  return database.write((session) =>
    session.run(
      `UPDATE oqs_api_token SET revoked_at_ms = ?
       WHERE (client_id = ? OR grant_id = ?) AND revoked_at_ms IS NULL`,
      [nowMs, clientOrGrantId, clientOrGrantId],
    ),
  )
}

/** Deletes all issued tokens that expired by a time, and returns how many. */
export function deleteIssuedTokens(database: Database, expiredByMs: number): Promise<number> {
  return deleteInSteps(database, {
    table: 'oqs_api_token',
    key: 'id',
    condition: 'client_id IS NOT NULL AND expires_at_ms <= ?',
    values: [expiredByMs],
  })
}
