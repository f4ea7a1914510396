/** Idempotency keys: which requests were committed, and with which result. */
import { keyReused, type NoteMessage, noteCommit, type OnceMessage } from '../../sql/once-key.ts'
import type { Commit } from '../../write-request.ts'
import { deleteInSteps } from '../catalogue/delete-in-steps.ts'
import type { Database, Session, WriteSession } from '../driver/database.ts'

/**
 * Returns the result of the request that was committed with a key, or undefined if there is none.
 * Throws `IdempotencyKeyReused` if it was another request.
 */
export async function findRepeated(
  session: Session,
  once: OnceMessage | undefined,
): Promise<Commit | undefined> {
  if (once === undefined) return undefined
  const [row] = await session.query(
    `SELECT fingerprint, note, version, put, deleted, kept FROM oqs_idempotency_key
     WHERE caller = ? AND key = ? AND expires_at_ms > ?`,
    [once.callerId, once.key, once.nowMs],
  )
  if (row === undefined) return undefined
  const [fingerprint, note, ...counts] = row
  if (fingerprint !== once.fingerprint) throw keyReused(once)
  const [version = 0, put = 0, deleted = 0, kept = 0] = counts.map(Number)
  const commit = { version, put, deleted, kept, isRepeated: true }
  return note === null ? commit : { ...commit, note: String(note) }
}

/** Records the result of a request with a key, and returns it. An expired entry is replaced. */
export async function recordCommit(
  session: WriteSession,
  once: OnceMessage | undefined,
  commit: Commit,
): Promise<Commit> {
  if (once === undefined) return commit
  const { version, put, deleted, kept, note = null } = commit
  const recorded = await session.run(
    `INSERT INTO oqs_idempotency_key AS known
       (caller, key, fingerprint, version, put, deleted, kept, note, expires_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (caller, key) DO UPDATE SET fingerprint = excluded.fingerprint,
       version = excluded.version, put = excluded.put, deleted = excluded.deleted,
       kept = excluded.kept, note = excluded.note, expires_at_ms = excluded.expires_at_ms
     WHERE known.expires_at_ms <= ?`,
    [
      once.callerId,
      once.key,
      once.fingerprint,
      version,
      put,
      deleted,
      kept,
      note,
      once.expiresAtMs,
      once.nowMs,
    ],
  )
  // Writes of one type wait for each other, so the request that came first is for another type, or
  // writes no objects.
  if (recorded === 0) throw keyReused(once)
  return commit
}

/**
 * Records the key of a request that writes no objects. Throws `IdempotencyKeyReused` if it is
 * recorded already; a concurrent request with the same key is waited for.
 */
export async function recordNote(
  session: WriteSession,
  once: NoteMessage | undefined,
  hasNote = true,
): Promise<void> {
  if (once !== undefined) await recordCommit(session, once, noteCommit(once, hasNote))
}

/** Deletes all keys that have expired, and returns how many. */
export function deleteExpiredKeys(database: Database, nowMs: number): Promise<number> {
  return deleteInSteps(database, {
    table: 'oqs_idempotency_key',
    key: 'caller, key',
    condition: 'expires_at_ms <= ?',
    values: [nowMs],
  })
}
