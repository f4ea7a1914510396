/** Documents in PostgreSQL, shared by all nodes. */
import { INTERNAL_CONTEXT } from '../../../admission/request-context.ts'
import type { DocumentKind, Documents, FoundDocuments, StoredDocument } from '../../documents.ts'
import { DOCUMENT_COLUMNS, documentValues, toDocument, UNEXPIRED } from '../../sql/document-row.ts'
import type { Database } from '../driver/database.ts'
import { deleteInSteps } from './delete-in-steps.ts'
import { TOKEN_GENERATION_SQL } from './secrets.ts'

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
    // PostgreSQL refuses U+0000 in a text, so no document has it in its id.
    if (id.includes('\0')) return undefined
    const [row] = await this.#database.query(
      `SELECT ${DOCUMENT_COLUMNS} FROM oqs_document WHERE kind = ? AND id = ? AND ${UNEXPIRED}`,
      [kind, id, nowMs],
      { isPrepared: true },
    )
    return row && toDocument(row)
  }

  async findAll(
    kind: DocumentKind,
    ids: readonly string[],
    nowMs: number,
  ): Promise<FoundDocuments> {
    const rows = await this.#database.query(
      `SELECT ${TOKEN_GENERATION_SQL}, ${DOCUMENT_COLUMNS} FROM oqs_document
       WHERE kind = ? AND id = ANY(?) AND ${UNEXPIRED}`,
      [kind, ids.filter((id) => !id.includes('\0')), nowMs],
      { isPrepared: true },
    )
    const [first] = rows
    return {
      documents: rows.map(([, ...document]) => toDocument(document)),
      generation: first && Number(first[0]),
    }
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

/** Deletes all documents that have expired, and returns how many. */
export function deleteExpiredDocuments(database: Database, nowMs: number): Promise<number> {
  return deleteInSteps(database, {
    table: 'oqs_document',
    key: 'kind, id',
    condition: 'expires_at_ms <= ?',
    values: [nowMs],
  })
}
