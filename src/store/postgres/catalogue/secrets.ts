import { randomBytes } from 'node:crypto'
import type { Scope } from '../../../contract/scopes.ts'
import { KEY_BYTES } from '../../../paging/token-keys.ts'
import type { ApiToken } from '../../object-store.ts'
import type { Database, Row } from '../driver/database.ts'

/** Keys of page tokens and hashed bearer tokens. */

const KEYS_SQL = 'SELECT secret FROM oqs_page_token_key ORDER BY id DESC'

/** The page token keys, newest first; one is made, for all nodes, when there is none yet. */
export async function readPageTokenKeys(database: Database): Promise<readonly Uint8Array[]> {
  let rows = await database.one(KEYS_SQL)
  if (rows.length === 0) {
    rows = await database.write(async (session) => {
      await session.query('LOCK TABLE oqs_page_token_key IN EXCLUSIVE MODE')
      // Looked at again: another node may have come first.
      const found = await session.query(KEYS_SQL)
      if (found.length > 0) return found
      return session.query(
        'INSERT INTO oqs_page_token_key (secret) VALUES (?::bytea) RETURNING secret',
        [randomBytes(KEY_BYTES)],
      )
    })
  }
  return rows.map(([secret]) => secret as Uint8Array)
}

const API_TOKEN_COLUMNS =
  'id, name, scopes, ontologies, created_at_ms, expires_at_ms, revoked_at_ms'

export async function createApiToken(
  database: Database,
  token: ApiToken,
  secretHash: string,
): Promise<void> {
  await database.write((session) =>
    session.run(
      `INSERT INTO oqs_api_token (secret_hash, ${API_TOKEN_COLUMNS})
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        secretHash,
        token.id,
        token.name,
        JSON.stringify(token.scopes),
        token.ontologies === undefined ? null : JSON.stringify(token.ontologies),
        token.createdAtMs,
        token.expiresAtMs ?? null,
        token.revokedAtMs ?? null,
      ],
    ),
  )
}

export async function findApiToken(
  database: Database,
  secretHash: string,
): Promise<ApiToken | undefined> {
  const [row] = await database.one(
    `SELECT ${API_TOKEN_COLUMNS} FROM oqs_api_token WHERE secret_hash = ?`,
    [secretHash],
    { name: true },
  )
  return row === undefined ? undefined : toApiToken(row)
}

export async function listApiTokens(database: Database): Promise<readonly ApiToken[]> {
  const rows = await database.one(
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

function toApiToken(row: Row): ApiToken {
  const [id, name, scopes, ontologies, createdAtMs, expiresAtMs, revokedAtMs] = row
  return {
    id: String(id),
    name: String(name),
    scopes: JSON.parse(String(scopes)) as Scope[],
    ontologies: ontologies === null ? undefined : (JSON.parse(String(ontologies)) as string[]),
    createdAtMs: Number(createdAtMs),
    expiresAtMs: expiresAtMs === null ? undefined : Number(expiresAtMs),
    revokedAtMs: revokedAtMs === null ? undefined : Number(revokedAtMs),
  }
}
