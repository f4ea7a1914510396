import type { DatabaseSync } from 'node:sqlite'
import type { Scope } from '../../../contract/scopes.ts'
import type { ApiToken } from '../../object-store.ts'
import { inTransaction } from '../file/connection.ts'

/** Keys of page tokens and hashed bearer tokens. */

/** The page token keys, newest first; the given one is kept when there is none yet. */
export function readPageTokenKeys(db: DatabaseSync, whenNone: Uint8Array): Uint8Array[] {
  const select = db.prepare('SELECT secret FROM page_token_key ORDER BY id DESC')
  if (select.get() === undefined) {
    inTransaction(db, 'write', () => {
      // Looked at again: another process may have come first.
      if (select.get() !== undefined) return
      db.prepare('INSERT INTO page_token_key (secret) VALUES (?)').run(whenNone)
    })
  }
  return select.all().map((row) => row['secret'] as Uint8Array)
}

export function createApiToken(
  db: DatabaseSync,
  { token, secretHash }: { token: ApiToken; secretHash: string },
): void {
  db.prepare(
    `INSERT INTO api_token
       (id, secret_hash, name, scopes, ontologies, created_at_ms, expires_at_ms, revoked_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    token.id,
    secretHash,
    token.name,
    JSON.stringify(token.scopes),
    token.ontologies === undefined ? null : JSON.stringify(token.ontologies),
    token.createdAtMs,
    token.expiresAtMs ?? null,
    token.revokedAtMs ?? null,
  )
}

export function revokeApiTokens(
  db: DatabaseSync,
  { idOrName, nowMs }: { idOrName: string; nowMs: number },
): number {
  const { changes } = db
    .prepare(
      `UPDATE api_token SET revoked_at_ms = ?
       WHERE (id = ? OR name = ?) AND revoked_at_ms IS NULL`,
    )
    .run(nowMs, idOrName, idOrName)
  return Number(changes)
}

export const API_TOKEN_COLUMNS =
  'id, name, scopes, ontologies, created_at_ms, expires_at_ms, revoked_at_ms'

export type ApiTokenRow = [
  id: string,
  name: string,
  scopes: string,
  ontologies: string | null,
  createdAtMs: number,
  expiresAtMs: number | null,
  revokedAtMs: number | null,
]

export function toApiToken(row: ApiTokenRow): ApiToken {
  const [id, name, scopes, ontologies, createdAtMs, expiresAtMs, revokedAtMs] = row
  return {
    id,
    name,
    scopes: JSON.parse(scopes) as Scope[],
    ontologies: ontologies === null ? undefined : (JSON.parse(ontologies) as string[]),
    createdAtMs,
    expiresAtMs: expiresAtMs ?? undefined,
    revokedAtMs: revokedAtMs ?? undefined,
  }
}
