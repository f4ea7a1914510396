/** Documents: the statements that read them, and the jobs that write them. */
import type { DatabaseSync } from 'node:sqlite'
import type { DocumentKind, StoredDocument } from '../../documents.ts'
import {
  DOCUMENT_COLUMNS,
  documentValues,
  type GuardMessage,
  toDocument,
  UNEXPIRED,
} from '../../sql/document-row.ts'
import { inTransaction } from '../file/connection.ts'
import type { StatementCache } from '../file/statement-cache.ts'
import type { WriterDatabase } from '../file/writer-database.ts'
import { recordNote } from '../writes/idempotency-keys.ts'
import { deleteSome } from './delete-some.ts'

export interface DocumentKey {
  readonly kind: DocumentKind
  readonly id: string
}

export function findDocument(
  statements: StatementCache,
  { kind, id }: DocumentKey,
  nowMs: number,
): StoredDocument | undefined {
  const sql = `SELECT ${DOCUMENT_COLUMNS} FROM oqs_document WHERE kind = ? AND id = ? AND ${UNEXPIRED}`
  const row = statements.prepare(sql).get(kind, id, nowMs)
  return row && toDocument(row as unknown as unknown[])
}

export function listDocuments(
  statements: StatementCache,
  kind: DocumentKind,
  nowMs: number,
): readonly StoredDocument[] {
  const sql = `SELECT ${DOCUMENT_COLUMNS} FROM oqs_document WHERE kind = ? AND ${UNEXPIRED} ORDER BY id`
  return (statements.prepare(sql).all(kind, nowMs) as unknown as unknown[][]).map(toDocument)
}

export function putDocument(
  db: WriterDatabase,
  { document, guard }: { readonly document: StoredDocument; readonly guard?: GuardMessage },
): boolean {
  return runGuarded(db, document, guard, () => {
    db.prepare(`INSERT OR REPLACE INTO oqs_document (${DOCUMENT_COLUMNS}) VALUES (?, ?, ?, ?)`).run(
      ...documentValues(document),
    )
    return true
  })
}

/** Runs a write of a document if it is the expected one, and records its key. */
function runGuarded(
  db: WriterDatabase,
  { kind, id }: DocumentKey,
  guard: GuardMessage | undefined,
  write: () => boolean,
): boolean {
  if (guard === undefined) return write()
  return inTransaction(db, 'write', () => {
    const row = db.prepare('SELECT body FROM oqs_document WHERE kind = ? AND id = ?').get(kind, id)
    const { expected, once } = guard
    if (expected !== undefined && (row?.['body'] ?? null) !== expected) return false
    const isWritten = write()
    if (isWritten) recordNote(db, once)
    return isWritten
  })
}

export function takeDocument(
  db: DatabaseSync,
  { kind, id, nowMs }: DocumentKey & { readonly nowMs: number },
): StoredDocument | undefined {
  const statement = db.prepare(
    `DELETE FROM oqs_document WHERE kind = ? AND id = ? AND ${UNEXPIRED} RETURNING ${DOCUMENT_COLUMNS}`,
  )
  statement.setReturnArrays(true)
  const row = statement.get(kind, id, nowMs)
  return row && toDocument(row as unknown as unknown[])
}

export function extendDocument(
  db: DatabaseSync,
  {
    kind,
    id,
    expiresAtMs,
    nowMs,
  }: DocumentKey & { readonly expiresAtMs: number; readonly nowMs: number },
): boolean {
  const { changes } = db
    .prepare(`UPDATE oqs_document SET expires_at_ms = ? WHERE kind = ? AND id = ? AND ${UNEXPIRED}`)
    .run(expiresAtMs, kind, id, nowMs)
  return Number(changes) > 0
}

export function deleteDocument(
  db: WriterDatabase,
  { kind, id, guard }: DocumentKey & { readonly guard?: GuardMessage },
): boolean {
  return runGuarded(db, { kind, id }, guard, () => {
    const { changes } = db
      .prepare('DELETE FROM oqs_document WHERE kind = ? AND id = ?')
      .run(kind, id)
    return Number(changes) > 0
  })
}

/** Deletes some of the documents that have expired, and returns how many; 0 if none is left. */
export function deleteExpiredDocuments(db: DatabaseSync, nowMs: number): number {
  const condition = 'expires_at_ms <= ?'
  return deleteSome(db, { table: 'oqs_document', key: 'kind, id', condition }, nowMs)
}
