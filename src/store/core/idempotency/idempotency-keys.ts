/** Idempotency keys: which requests were committed, and with which result. */
import { ObjectQueryError } from '../../../contract/errors.ts'
import type { Commit, IdempotencyKey, IdempotencyNote } from '../../port/writes.ts'
import {
  type CoreSession,
  columnList,
  integer,
  type Operation,
  optional,
  type ReadSession,
  text,
} from '../session/session.ts'

/** A key with the fingerprint of a request whose body was read. Plain data. */
export interface KeyMessage extends Omit<IdempotencyKey, 'fingerprint'> {
  readonly fingerprint: string
}

/** The same with the response of a request. */
export interface NoteMessage extends Omit<IdempotencyNote, 'fingerprint'> {
  readonly fingerprint: string
}

export function toKeyMessage(key: IdempotencyKey): KeyMessage
export function toKeyMessage(key: IdempotencyNote | undefined): NoteMessage | undefined
export function toKeyMessage(key: IdempotencyKey | undefined): KeyMessage | undefined
export function toKeyMessage(key: IdempotencyKey | undefined): KeyMessage | undefined {
  return key && { ...key, fingerprint: key.fingerprint() }
}

const ENTRY = {
  fingerprint: text,
  version: integer,
  put: integer,
  deleted: integer,
  kept: integer,
  note: optional(text),
} as const

const FIND = `SELECT ${columnList(ENTRY)} FROM oqs_idempotency_key
  WHERE caller = ? AND key = ? AND expires_at_ms > ?`

/**
 * Returns the result of the request that was committed with a key, or undefined if there is none.
 * Throws `IdempotencyKeyReused` if it was another request.
 */
export function* findEarlierCommit(
  session: ReadSession,
  key: KeyMessage | undefined,
): Operation<Commit | undefined> {
  if (key === undefined) return undefined
  const entry = yield* session.find(FIND, [key.callerId, key.key, key.nowMs], ENTRY)
  if (entry === undefined) return undefined
  const { fingerprint, note, ...counts } = entry
  if (fingerprint !== key.fingerprint) throw keyReused(key)
  return { ...counts, ...(note === undefined ? {} : { note }), isRepeated: true }
}

const RECORD = `INSERT INTO oqs_idempotency_key AS known
    (caller, key, ${columnList(ENTRY)}, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (caller, key) DO UPDATE SET fingerprint = excluded.fingerprint,
    version = excluded.version, put = excluded.put, deleted = excluded.deleted,
    kept = excluded.kept, note = excluded.note, expires_at_ms = excluded.expires_at_ms
  WHERE known.expires_at_ms <= ?`

/**
 * Records the result of a request with a key, in the transaction of its commit, and returns it. An
 * expired entry is replaced. Throws `IdempotencyKeyReused` if the key is recorded already: writes of
 * one type wait for each other, so the request that came first is for another type, or writes no
 * objects.
 */
export function* recordCommit(
  session: CoreSession,
  key: KeyMessage | undefined,
  commit: Commit,
): Operation<Commit> {
  if (key === undefined) return commit
  const { version, put, deleted, kept, note = null } = commit
  const { callerId, fingerprint, expiresAtMs, nowMs } = key
  const entry = [fingerprint, version, put, deleted, kept, note]
  const values = [callerId, key.key, ...entry, expiresAtMs, nowMs]
  if ((yield* session.run(RECORD, values)) === 0) throw keyReused(key)
  return commit
}

/**
 * Records the key and the response of a request that writes no objects, in its transaction. Throws
 * `IdempotencyKeyReused` if it is recorded already; a concurrent request with the key is waited for.
 */
export function* recordNote(
  session: CoreSession,
  key: NoteMessage | undefined,
  hasNote = true,
): Operation<void> {
  if (key === undefined) return
  const { note } = key
  const commit = { version: 0, put: 0, deleted: 0, kept: 0, ...(hasNote ? { note } : {}) }
  yield* recordCommit(session, key, commit)
}

/** Returns the error of a request whose key belongs to another request. */
function keyReused({ key }: KeyMessage): ObjectQueryError {
  return new ObjectQueryError('IdempotencyKeyReused', { parameter: 'Idempotency-Key', key })
}
