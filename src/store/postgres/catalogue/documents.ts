/** Documents in PostgreSQL, shared by all nodes. */
import { INTERNAL_CONTEXT } from '../../../admission/request-context.ts'
import type { DocumentKind, Documents, StoredDocument } from '../../documents.ts'
import { DOCUMENT_COLUMNS, documentValues, toDocument, UNEXPIRED } from '../../sql/document-row.ts'
import type { Database } from '../driver/database.ts'

/** The number of rows to delete per transaction. */
const ROWS_AT_ONCE = 5000

export class PostgresDocuments implements Documents {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async put(document: StoredDocument, { callerId } = INTERNAL_CONTEXT): Promise<void> {
    const sql = `INSERT INTO oqs_document (${DOCUMENT_COLUMNS}) VALUES (?, ?, ?, ?)
      ON CONFLICT (kind, id) DO UPDATE
      SET body = EXCLUDED.body, expires_at_ms = EXCLUDED.expires_at_ms`
    await this.#database.write((session) => session.run(sql, documentValues(document)), {
      callerId,
    })
  }

  async find(kind: DocumentKind, id: string, nowMs: number): Promise<StoredDocument | undefined> {
    const [row] = await this.#database.query(
      `SELECT ${DOCUMENT_COLUMNS} FROM oqs_document WHERE kind = ? AND id = ? AND ${UNEXPIRED}`,
      [kind, id, nowMs],
      { isPrepared: true },
    )
    return row && toDocument(row)
  }

  async take(kind: DocumentKind, id: string, nowMs: number): Promise<StoredDocument | undefined> {
    const sql = `DELETE FROM oqs_document WHERE kind = ? AND id = ? AND ${UNEXPIRED}
      RETURNING ${DOCUMENT_COLUMNS}`
    const [row] = await this.#database.write((session) => session.query(sql, [kind, id, nowMs]))
    return row && toDocument(row)
  }

  async extend(
    kind: DocumentKind,
    id: string,
    expiresAtMs: number,
    nowMs: number,
  ): Promise<boolean> {
    const sql = `UPDATE oqs_document SET expires_at_ms = ?
      WHERE kind = ? AND id = ? AND ${UNEXPIRED}`
    const values = [expiresAtMs, kind, id, nowMs]
    return (await this.#database.write((session) => session.run(sql, values))) > 0
  }

  async list(kind: DocumentKind, nowMs: number): Promise<readonly StoredDocument[]> {
    const rows = await this.#database.query(
      `SELECT ${DOCUMENT_COLUMNS} FROM oqs_document WHERE kind = ? AND ${UNEXPIRED} ORDER BY id`,
      [kind, nowMs],
    )
    return rows.map(toDocument)
  }

  async delete(kind: DocumentKind, id: string): Promise<boolean> {
    const sql = 'DELETE FROM oqs_document WHERE kind = ? AND id = ?'
    return (await this.#database.write((session) => session.run(sql, [kind, id]))) > 0
  }
}

/** Deletes all documents that have expired, step by step, and returns how many. */
export async function deleteExpiredDocuments(database: Database, nowMs: number): Promise<number> {
  const sql = `DELETE FROM oqs_document WHERE (kind, id) IN (
    SELECT kind, id FROM oqs_document WHERE expires_at_ms <= ? LIMIT ${ROWS_AT_ONCE}
  )`
  let total = 0
  for (;;) {
    const deleted = await database.write((session) => session.run(sql, [nowMs]))
    total += deleted
    if (deleted === 0) return total
  }
}
