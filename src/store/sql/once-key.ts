/** Idempotency keys, as both stores record them. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { Commit, OnceKey, OnceNote } from '../write-request.ts'

/** A key with the fingerprint of a request whose body was read. */
export interface OnceMessage extends Omit<OnceKey, 'fingerprint'> {
  readonly fingerprint: string
}

/** The same with the response of a request. */
export interface NoteMessage extends Omit<OnceNote, 'fingerprint'> {
  readonly fingerprint: string
}

export function toOnceMessage(once: OnceKey): OnceMessage
export function toOnceMessage(once: OnceNote | undefined): NoteMessage | undefined
export function toOnceMessage(once: OnceKey | undefined): OnceMessage | undefined
export function toOnceMessage(once: OnceKey | undefined): OnceMessage | undefined {
  return once && { ...once, fingerprint: once.fingerprint() }
}

/** Returns what is recorded for a request that writes no objects. */
export function noteCommit({ note }: NoteMessage, hasNote: boolean): Commit {
  return { version: 0, put: 0, deleted: 0, kept: 0, ...(hasNote ? { note } : {}) }
}

/** Returns the error of a request whose key belongs to another request. */
export function keyReused({ key }: OnceMessage): ObjectQueryError {
  return new ObjectQueryError('IdempotencyKeyReused', { parameter: 'Idempotency-Key', key })
}
