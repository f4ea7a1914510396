/** Documents as rows: the column list, the values of an insert, and the way back. */
import type { DocumentGuard, DocumentKind, StoredDocument } from '../documents.ts'
import { type NoteMessage, toOnceMessage } from './once-key.ts'

export const DOCUMENT_COLUMNS = 'kind, id, body, expires_at_ms'

/** The condition on documents that have not expired. Its placeholder is the time. */
export const UNEXPIRED = '(expires_at_ms IS NULL OR expires_at_ms > ?)'

/** Returns the values of `DOCUMENT_COLUMNS`. */
export function documentValues(document: StoredDocument): (string | number | null)[] {
  const { kind, id, body, expiresAtMs } = document
  return [kind, id, JSON.stringify(body), expiresAtMs ?? null]
}

/** A guard as plain data: the expected document is the text of its body. */
export interface GuardMessage {
  /** Null if there must be no document; undefined if nothing is expected. */
  readonly expected: string | null | undefined
  readonly once: NoteMessage | undefined
}

export function toGuardMessage({ expected, once }: DocumentGuard): GuardMessage {
  return {
    // A body is written with the same function, and reading it keeps the order of its members.
    expected: expected == null ? expected : JSON.stringify(expected.body),
    once: toOnceMessage(once),
  }
}

/** Reads a row of `DOCUMENT_COLUMNS`. */
export function toDocument([kind, id, body, expiresAtMs]: readonly unknown[]): StoredDocument {
  return {
    kind: kind as DocumentKind,
    id: String(id),
    body: JSON.parse(String(body)) as unknown,
    expiresAtMs: expiresAtMs === null ? undefined : Number(expiresAtMs),
  }
}
