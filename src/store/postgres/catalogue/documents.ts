/** Documents in PostgreSQL, shared by all nodes. */

import type {
  DocumentGuard,
  DocumentKind,
  Documents,
  FoundDocuments,
  StoredDocument,
} from '../../documents.ts'
import { INTERNAL_CONTEXT } from '../../port/request-context.ts'
import {
  DOCUMENT_COLUMNS,
  documentValues,
  toDocument,
  toGuardMessage,
  UNEXPIRED,
} from '../../sql/document-row.ts'
import type { Database, WriteSession } from '../driver/database.ts'
import { recordNote } from '../writes/idempotency-keys.ts'
import { deleteInSteps } from './delete-in-steps.ts'
import { TOKEN_GENERATION_SQL } from './secrets.ts'

export class PostgresDocuments implements Documents {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  put(
    document: StoredDocument,
    { callerId } = INTERNAL_CONTEXT,
    guard: DocumentGuard = {},
  ): Promise<boolean> {
    const { expected, once } = toGuardMessage(guard)
    const insert = `INSERT INTO oqs_document (${DOCUMENT_COLUMNS}) VALUES (?, ?, ?, ?)
      ON CONFLICT (kind, id)`
    const replace = `${insert} DO UPDATE
      SET body = EXCLUDED.body, expires_at_ms = EXCLUDED.expires_at_ms`
    const values = documentValues(document)
    return this.#database.write(
      async (session) => {
        const written =
          expected === undefined
            ? await session.run(replace, values)
            : expected === null
              ? await session.run(`${insert} DO NOTHING`, values)
              : await replaceExpected(session, document, expected)
        if (written > 0) await recordNote(session, once)
        return written > 0
      },
      { callerId },
    )
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

  delete(kind: DocumentKind, id: string, guard: DocumentGuard = {}): Promise<boolean> {
    const { expected, once } = toGuardMessage(guard)
    const sql = 'DELETE FROM oqs_document WHERE kind = ? AND id = ?'
    return this.#database.write(async (session) => {
      const deleted =
        expected == null
          ? await session.run(sql, [kind, id])
          : await session.run(`${sql} AND body = ?`, [kind, id, expected])
      if (deleted > 0) await recordNote(session, once)
      return deleted > 0
    })
  }
}

/** A concurrent change of the document is waited for, and its body is then another one. */
function replaceExpected(
  session: WriteSession,
  document: StoredDocument,
  expected: string,
): Promise<number> {
  const [kind, id, body, expiresAtMs] = documentValues(document)
  return session.run(
    'UPDATE oqs_document SET body = ?, expires_at_ms = ? WHERE kind = ? AND id = ? AND body = ?',
    [body, expiresAtMs, kind, id, expected],
  )
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
