/** Documents in the database, see `Documents`. */

import type {
  DocumentGuard,
  DocumentKind,
  Documents,
  FoundDocuments,
  StoredDocument,
} from '../../port/credentials.ts'
import { INTERNAL_CONTEXT, type RequestContext } from '../../port/request-context.ts'
import { type NoteMessage, recordNote, toKeyMessage } from '../idempotency/idempotency-keys.ts'
import {
  type CoreSession,
  columnList,
  integer,
  json,
  type Operation,
  optional,
  perDialect,
  type ReadSession,
  text,
  word,
} from '../session/session.ts'
import type { StoreOperations, WriteOperation } from '../session/store-operations.ts'

const DOCUMENT_COLUMNS = {
  kind: word<DocumentKind>,
  id: text,
  body: json<unknown>,
  expiresAtMs: optional(integer),
} as const

const LIST = columnList(DOCUMENT_COLUMNS)
/** The condition on documents that have not expired. Its placeholder is the time. */
const UNEXPIRED = '(expires_at_ms IS NULL OR expires_at_ms > ?)'

/** The condition on documents of a kind whose ids are in the range of a prefix. */
const WITH_PREFIX = 'kind = ? AND id >= ? AND id < ?'

/** Returns the bounds of all ids with a prefix: no id has the last code point. */
function prefixRange(prefix: string): readonly [from: string, to: string] {
  return [prefix, `${prefix}\u{10ffff}`]
}

/** Deletes the documents of a kind whose ids have a prefix. */
export function* deleteDocuments(
  session: CoreSession,
  kind: DocumentKind,
  prefix: string,
): Operation<void> {
  yield* session.run(`DELETE FROM oqs_document WHERE ${WITH_PREFIX}`, [
    kind,
    ...prefixRange(prefix),
  ])
}

interface DocumentKey {
  readonly kind: DocumentKind
  readonly id: string
}

/** A guard as plain data: the expected document is the text of its body. */
interface GuardMessage {
  /** Null if there must be no document; undefined if nothing is expected. */
  readonly expected: string | null | undefined
  readonly idempotencyKey: NoteMessage | undefined
}

function toGuardMessage({ expected, idempotencyKey }: DocumentGuard): GuardMessage {
  return {
    // A body is written with the same function, and reading it keeps the order of its members.
    expected: expected == null ? expected : JSON.stringify(expected.body),
    idempotencyKey: toKeyMessage(idempotencyKey),
  }
}

/** Ids of any text are looked for, but PostgreSQL refuses U+0000: nothing has it in its id. */
export function canExist(id: string): boolean {
  return !id.includes('\0')
}

function* findDocument(
  session: ReadSession,
  { kind, id }: DocumentKey,
  nowMs: number,
): Operation<StoredDocument | undefined> {
  if (!canExist(id)) return undefined
  const sql = `SELECT ${LIST} FROM oqs_document WHERE kind = ? AND id = ? AND ${UNEXPIRED}`
  return yield* session.find(sql, [kind, id, nowMs], DOCUMENT_COLUMNS, { isPrepared: true })
}

const FOUND_COLUMNS = { generation: optional(integer), ...DOCUMENT_COLUMNS } as const
const findAllSql = perDialect(
  ({ tokenGeneration, isOneOf }) =>
    `SELECT ${tokenGeneration}, ${LIST} FROM oqs_document
     WHERE kind = ? AND id ${isOneOf('text')} AND ${UNEXPIRED}`,
)

/** Returns the documents with some ids, and the generation of tokens and policies. */
export function* findAllDocuments(
  session: ReadSession,
  kind: DocumentKind,
  ids: readonly string[],
  nowMs: number,
): Operation<FoundDocuments> {
  const rows = yield* session.query(
    findAllSql(session),
    [kind, ids.filter(canExist), nowMs],
    FOUND_COLUMNS,
    { isPrepared: true },
  )
  const documents = rows.map(({ generation: _, ...document }) => document)
  return { documents, generation: rows[0]?.generation }
}

const putDocument: WriteOperation<{ document: StoredDocument; guard: GuardMessage }, boolean> = {
  name: 'putDocument',
  *run(session, { document, guard: { expected, idempotencyKey } }) {
    const { kind, id, expiresAtMs = null } = document
    const body = JSON.stringify(document.body)
    const insert = `INSERT INTO oqs_document (${LIST}) VALUES (?, ?, ?, ?) ON CONFLICT (kind, id)`
    const replace = 'DO UPDATE SET body = excluded.body, expires_at_ms = excluded.expires_at_ms'
    const values = [kind, id, body, expiresAtMs]
    // A concurrent change of the document is waited for, and its body is then another one.
    const update = `UPDATE oqs_document SET body = ?, expires_at_ms = ?
      WHERE kind = ? AND id = ? AND body = ?`
    const written =
      expected == null
        ? yield* session.run(`${insert} ${expected === null ? 'DO NOTHING' : replace}`, values)
        : yield* session.run(update, [body, expiresAtMs, kind, id, expected])
    if (written > 0) yield* recordNote(session, idempotencyKey)
    return written > 0
  },
}

const takeDocument: WriteOperation<DocumentKey & { nowMs: number }, StoredDocument | undefined> = {
  name: 'takeDocument',
  *run(session, { kind, id, nowMs }) {
    const sql = `DELETE FROM oqs_document WHERE kind = ? AND id = ? AND ${UNEXPIRED} RETURNING ${LIST}`
    return yield* session.find(sql, [kind, id, nowMs], DOCUMENT_COLUMNS)
  },
}

const extendDocument: WriteOperation<
  DocumentKey & { readonly expiresAtMs: number; readonly nowMs: number },
  boolean
> = {
  name: 'extendDocument',
  *run(session, { kind, id, expiresAtMs, nowMs }) {
    const sql = `UPDATE oqs_document SET expires_at_ms = ? WHERE kind = ? AND id = ? AND ${UNEXPIRED}`
    return (yield* session.run(sql, [expiresAtMs, kind, id, nowMs])) > 0
  },
}

const deleteDocument: WriteOperation<DocumentKey & { readonly guard: GuardMessage }, boolean> = {
  name: 'deleteDocument',
  *run(session, { kind, id, guard: { expected, idempotencyKey } }) {
    if (expected === null) return false
    const sql = 'DELETE FROM oqs_document WHERE kind = ? AND id = ?'
    const deleted =
      expected === undefined
        ? yield* session.run(sql, [kind, id])
        : yield* session.run(`${sql} AND body = ?`, [kind, id, expected])
    if (deleted > 0) yield* recordNote(session, idempotencyKey)
    return deleted > 0
  },
}

export const DOCUMENT_WRITES = [putDocument, takeDocument, extendDocument, deleteDocument] as const

export class StoredDocuments implements Documents {
  readonly #operations: StoreOperations

  constructor(operations: StoreOperations) {
    this.#operations = operations
  }

  put(
    document: StoredDocument,
    context: RequestContext = INTERNAL_CONTEXT,
    guard: DocumentGuard = {},
  ): Promise<boolean> {
    const input = { document, guard: toGuardMessage(guard) }
    return this.#operations.write(putDocument, input, context)
  }

  find(kind: DocumentKind, id: string, nowMs: number): Promise<StoredDocument | undefined> {
    return this.#operations.read((session) => findDocument(session, { kind, id }, nowMs))
  }

  findAll(kind: DocumentKind, ids: readonly string[], nowMs: number): Promise<FoundDocuments> {
    return this.#operations.read((session) => findAllDocuments(session, kind, ids, nowMs))
  }

  take(kind: DocumentKind, id: string, nowMs: number): Promise<StoredDocument | undefined> {
    return this.#operations.write(takeDocument, { kind, id, nowMs }, INTERNAL_CONTEXT)
  }

  extend(kind: DocumentKind, id: string, expiresAtMs: number, nowMs: number): Promise<boolean> {
    const input = { kind, id, expiresAtMs, nowMs }
    return this.#operations.write(extendDocument, input, INTERNAL_CONTEXT)
  }

  list(kind: DocumentKind, nowMs: number, prefix = ''): Promise<readonly StoredDocument[]> {
    const sql = `SELECT ${LIST} FROM oqs_document WHERE ${WITH_PREFIX} AND ${UNEXPIRED} ORDER BY id`
    const values = [kind, ...prefixRange(prefix), nowMs]
    return this.#operations.read((session) => session.query(sql, values, DOCUMENT_COLUMNS))
  }

  delete(kind: DocumentKind, id: string, guard: DocumentGuard = {}): Promise<boolean> {
    const input = { kind, id, guard: toGuardMessage(guard) }
    return this.#operations.write(deleteDocument, input, INTERNAL_CONTEXT)
  }
}
