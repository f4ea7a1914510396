/** API tokens, which are stored without their secrets. */
import type { Scope } from '../../../contract/scopes.ts'
import type { ApiToken, FoundToken } from '../../port/credentials.ts'
import { canExist } from '../documents/stored-documents.ts'
import { type NoteMessage, recordNote } from '../idempotency/idempotency-keys.ts'
import {
  bytes,
  type CoreSession,
  columnList,
  integer,
  json,
  type Operation,
  optional,
  perDialect,
  type ReadSession,
  type RowOf,
  text,
} from '../session/session.ts'
import type { WriteOperation } from '../session/store-operations.ts'

const TOKEN_COLUMNS = {
  id: text,
  name: text,
  scopes: json<readonly Scope[]>,
  ontologies: optional(json<readonly string[]>),
  createdAtMs: integer,
  expiresAtMs: optional(integer),
  revokedAtMs: optional(integer),
  policies: optional(json<readonly (readonly string[])[]>),
  clientId: optional(text),
  grantId: optional(text),
  subjectId: optional(text),
} as const

/** Reads a row, with or without the generation. */
function toApiToken(
  row: RowOf<typeof TOKEN_COLUMNS> & { readonly generation?: number | undefined },
): ApiToken {
  const { clientId, grantId, subjectId, generation: _, ...token } = row
  return { ...token, issue: clientId === undefined ? undefined : { clientId, grantId, subjectId } }
}

const SELECT = `SELECT ${columnList(TOKEN_COLUMNS)} FROM oqs_api_token`
const FOUND_COLUMNS = { generation: optional(integer), ...TOKEN_COLUMNS } as const
const findBySecret = perDialect(
  ({ tokenGeneration }) =>
    `SELECT ${tokenGeneration}, ${columnList(TOKEN_COLUMNS)} FROM oqs_api_token
     WHERE secret_hash = ?`,
)

/** Returns both as of one moment. */
export function* findApiToken(
  session: ReadSession,
  secretHash: string,
): Operation<FoundToken | undefined> {
  const row = yield* session.find(findBySecret(session), [secretHash], FOUND_COLUMNS, {
    isPrepared: true,
  })
  return row && { token: toApiToken(row), generation: row.generation }
}

export function* findApiTokenById(
  session: ReadSession,
  id: string,
): Operation<ApiToken | undefined> {
  if (!canExist(id)) return undefined
  const row = yield* session.find(`${SELECT} WHERE id = ?`, [id], TOKEN_COLUMNS)
  return row && toApiToken(row)
}

export function* listApiTokens(session: ReadSession): Operation<readonly ApiToken[]> {
  const sql = `${SELECT} WHERE client_id IS NULL ORDER BY created_at_ms, id`
  return (yield* session.query(sql, [], TOKEN_COLUMNS)).map(toApiToken)
}

export interface NewToken {
  readonly token: ApiToken
  readonly secretHash: string
  readonly idempotencyKey?: NoteMessage | undefined
}

export const createApiToken: WriteOperation<NewToken, void> = {
  name: 'createApiToken',
  *run(session, { token, secretHash, idempotencyKey }) {
    const { issue, ontologies, policies } = token
    yield* session.run(
      `INSERT INTO oqs_api_token (${columnList(TOKEN_COLUMNS)}, secret_hash)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        token.id,
        token.name,
        JSON.stringify(token.scopes),
        ontologies === undefined ? null : JSON.stringify(ontologies),
        token.createdAtMs,
        token.expiresAtMs ?? null,
        token.revokedAtMs ?? null,
        policies === undefined ? null : JSON.stringify(policies),
        issue?.clientId ?? null,
        issue?.grantId ?? null,
        issue?.subjectId ?? null,
        secretHash,
      ],
    )
    yield* recordNote(session, idempotencyKey)
  },
}

/** Revokes tokens and those that were issued on their behalf; counts only the former. */
export const revokeApiTokens: WriteOperation<
  { readonly ids: readonly string[]; readonly nowMs: number },
  number
> = {
  name: 'revokeApiTokens',
  *run(session, { ids, nowMs }) {
    const isOneOf = session.dialect.isOneOf('text')
    yield* revoke(session, `subject_id ${isOneOf}`, nowMs, [ids])
    return yield* revoke(session, `id ${isOneOf}`, nowMs, [ids])
  },
}

export const revokeIssuedTokens: WriteOperation<
  { readonly clientOrGrantId: string; readonly nowMs: number },
  number
> = {
  name: 'revokeIssuedTokens',
  *run(session, { clientOrGrantId: id, nowMs }) {
    return yield* revoke(session, '(client_id = ? OR grant_id = ?)', nowMs, [id, id])
  },
}

function revoke(
  session: CoreSession,
  condition: string,
  nowMs: number,
  values: readonly (string | readonly string[])[],
): Operation<number> {
  return session.run(
    `UPDATE oqs_api_token SET revoked_at_ms = ? WHERE revoked_at_ms IS NULL AND ${condition}`,
    [nowMs, ...values],
  )
}

export const deleteApiTokens: WriteOperation<readonly string[], void> = {
  name: 'deleteApiTokens',
  *run(session, ids) {
    const isOneOf = session.dialect.isOneOf('text')
    yield* session.run(`DELETE FROM oqs_api_token WHERE id ${isOneOf}`, [ids])
  },
}

export const TOKEN_WRITES = [
  createApiToken,
  revokeApiTokens,
  revokeIssuedTokens,
  deleteApiTokens,
] as const

/** Returns the keys, newest first. */
export function* readPageTokenKeys(session: ReadSession): Operation<readonly Uint8Array[]> {
  const sql = 'SELECT secret FROM oqs_page_token_key ORDER BY id DESC'
  return (yield* session.query(sql, [], { secret: bytes })).map(({ secret }) => secret)
}

/** Saves the first key, unless another node has saved one, and returns the keys. */
export const savePageTokenKey: WriteOperation<Uint8Array, readonly Uint8Array[]> = {
  name: 'savePageTokenKey',
  *run(session, key) {
    const sql = 'INSERT INTO oqs_page_token_key (id, secret) VALUES (1, ?) ON CONFLICT DO NOTHING'
    yield* session.run(sql, [key])
    return yield* readPageTokenKeys(session)
  },
}
