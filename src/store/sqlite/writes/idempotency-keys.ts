/** Idempotency keys: which requests were committed, and with which result. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { keyReused, type NoteMessage, noteCommit, type OnceMessage } from '../../sql/once-key.ts'
import type { Commit } from '../../write-request.ts'
import { deleteSome } from '../catalogue/delete-some.ts'
import type { WriterDatabase } from '../file/writer-database.ts'

/**
 * Returns the result of the request that was committed with a key, or undefined if there is none.
 * Throws `IdempotencyKeyReused` if it was another request.
 */
export function findRepeated(
  prepare: (sql: string) => StatementSync,
  once: OnceMessage | undefined,
): Commit | undefined {
  if (once === undefined) return undefined
  const row = prepare(FIND).get(once.callerId, once.key, once.nowMs)
  if (row === undefined) return undefined
  if (row['fingerprint'] !== once.fingerprint) throw keyReused(once)
  const { note } = row as { note: string | null }
  return {
    version: Number(row['version']),
    put: Number(row['put']),
    deleted: Number(row['deleted']),
    kept: Number(row['kept']),
    ...(note === null ? {} : { note }),
    isRepeated: true,
  }
}

const FIND = `SELECT fingerprint, version, put, deleted, kept, note FROM oqs_idempotency_key
  WHERE caller = ? AND key = ? AND expires_at_ms > ?`

/** Records the result of a request with a key, and returns it. An expired entry is replaced. */
export function recordCommit(
  db: WriterDatabase,
  once: OnceMessage | undefined,
  commit: Commit,
): Commit {
  if (once === undefined) return commit
  const { version, put, deleted, kept, note = null } = commit
  db.cached(
    `INSERT OR REPLACE INTO oqs_idempotency_key
       (caller, key, fingerprint, version, put, deleted, kept, note, expires_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    once.callerId,
    once.key,
    once.fingerprint,
    version,
    put,
    deleted,
    kept,
    note,
    once.expiresAtMs,
  )
  return commit
}

/**
 * Records the key of a request that writes no objects, in the transaction of the caller. Throws
 * `IdempotencyKeyReused` if it is recorded already.
 */
export function recordNote(
  db: WriterDatabase,
  once: NoteMessage | undefined,
  hasNote = true,
): void {
  if (once === undefined) return
  if (findRecorded(db, once) !== undefined) throw keyReused(once)
  recordCommit(db, once, noteCommit(once, hasNote))
}

/** Returns what was recorded for a key, as a job of the writer thread. */
export function findRecorded(db: WriterDatabase, once: OnceMessage): Commit | undefined {
  return findRepeated((sql) => db.cached(sql), once)
}

/** Deletes some of the keys that are expired, and returns how many; 0 if none is left. */
export function deleteExpiredKeys(db: DatabaseSync, nowMs: number): number {
  const condition = 'expires_at_ms <= ?'
  return deleteSome(db, { table: 'oqs_idempotency_key', key: 'caller, key', condition }, nowMs)
}
