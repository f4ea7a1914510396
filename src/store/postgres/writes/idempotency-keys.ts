/** Idempotency keys: which requests were committed, and with which result. */
import { keyReused, type OnceMessage } from '../../sql/once-key.ts'
import type { Commit } from '../../write-request.ts'
import type { Session, WriteSession } from '../driver/database.ts'

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
  // Writes of one type wait for each other, so the request that came first is for another type.
  if (recorded === 0) throw keyReused(once)
  return commit
}

/** Deletes the keys that are expired. */
export async function deleteExpiredKeys(session: WriteSession, nowMs: number): Promise<void> {
  await session.run('DELETE FROM oqs_idempotency_key WHERE expires_at_ms <= ?', [nowMs])
}
