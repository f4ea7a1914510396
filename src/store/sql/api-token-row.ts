/** API tokens as rows: the column list, the values of an insert, and the way back. */
import type { Scope } from '../../contract/scopes.ts'
import type { ApiToken, TokenIssue } from '../object-store.ts'

export const API_TOKEN_COLUMNS =
  'id, name, scopes, ontologies, created_at_ms, expires_at_ms, revoked_at_ms, client_id, grant_id, subject_id, policies'

/** How long an issued token is kept after its expiry, so that its user learns why it is refused. */
export const ISSUED_TOKENS_KEPT_MS = 3_600_000

/** Returns the values of `API_TOKEN_COLUMNS`. */
export function apiTokenValues(token: ApiToken): readonly (string | number | null)[] {
  return [
    token.id,
    token.name,
    JSON.stringify(token.scopes),
    token.ontologies === undefined ? null : JSON.stringify(token.ontologies),
    token.createdAtMs,
    token.expiresAtMs ?? null,
    token.revokedAtMs ?? null,
    token.issue?.clientId ?? null,
    token.issue?.grantId ?? null,
    token.issue?.subjectId ?? null,
    token.policies === undefined ? null : JSON.stringify(token.policies),
  ]
}

/** Reads a row of `API_TOKEN_COLUMNS`. */
export function toApiToken(row: readonly unknown[]): ApiToken {
  const [id, name, scopes, ontologies, createdAtMs, expiresAtMs, revokedAtMs, ...rest] = row
  const [clientId, grantId, subjectId, policies] = rest
  return {
    id: String(id),
    name: String(name),
    scopes: JSON.parse(String(scopes)) as Scope[],
    ontologies: ontologies === null ? undefined : (JSON.parse(String(ontologies)) as string[]),
    createdAtMs: Number(createdAtMs),
    expiresAtMs: expiresAtMs === null ? undefined : Number(expiresAtMs),
    revokedAtMs: revokedAtMs === null ? undefined : Number(revokedAtMs),
    issue: toIssue([clientId, grantId, subjectId]),
    policies: policies === null ? undefined : (JSON.parse(String(policies)) as string[][]),
  }
}

function toIssue([clientId, grantId, subjectId]: readonly unknown[]): TokenIssue | undefined {
  if (clientId === null) return undefined
  return {
    clientId: String(clientId),
    grantId: grantId === null ? undefined : String(grantId),
    subjectId: subjectId === null ? undefined : String(subjectId),
  }
}
