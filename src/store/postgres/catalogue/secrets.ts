/** Keys of page tokens, and API tokens, which are stored without their secrets. */
import { randomBytes } from 'node:crypto'
import { KEY_BYTES } from '../../../paging/token-keys.ts'
import type { ApiToken } from '../../object-store.ts'
import { API_TOKEN_COLUMNS, apiTokenValues, toApiToken } from '../../sql/api-token-row.ts'
import type { Database } from '../driver/database.ts'

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
): Promise<void> {
  await database.write((session) =>
    session.run(
      `INSERT INTO oqs_api_token (secret_hash, ${API_TOKEN_COLUMNS})
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [secretHash, ...apiTokenValues(token)],
    ),
  )
}

export async function findApiToken(
  database: Database,
  secretHash: string,
): Promise<ApiToken | undefined> {
  const [row] = await database.query(
    `SELECT ${API_TOKEN_COLUMNS} FROM oqs_api_token WHERE secret_hash = ?`,
    [secretHash],
    { isPrepared: true },
  )
  return row && toApiToken(row)
}

export async function listApiTokens(database: Database): Promise<readonly ApiToken[]> {
  const rows = await database.query(
    `SELECT ${API_TOKEN_COLUMNS} FROM oqs_api_token ORDER BY created_at_ms, id`,
  )
  return rows.map(toApiToken)
}

export function revokeApiTokens(
  database: Database,
  idOrName: string,
  nowMs: number,
): Promise<number> {
  return database.write((session) =>
    session.run(
      `UPDATE oqs_api_token SET revoked_at_ms = ?
       WHERE (id = ? OR name = ?) AND revoked_at_ms IS NULL`,
      [nowMs, idOrName, idOrName],
    ),
  )
}
