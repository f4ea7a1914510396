/** Idempotency keys, as both stores record them. */
import { ObjectQueryError } from '../../contract/errors.ts'
import type { OnceKey } from '../write-request.ts'

/** A key with the fingerprint of a request whose body was read. */
export interface OnceMessage extends Omit<OnceKey, 'fingerprint'> {
  readonly fingerprint: string
}

export function toOnceMessage(once: OnceKey | undefined): OnceMessage | undefined {
  return once && { ...once, fingerprint: once.fingerprint() }
}

/** Returns the error of a request whose key belongs to another request. */
export function keyReused({ key }: OnceMessage): ObjectQueryError {
  return new ObjectQueryError('IdempotencyKeyReused', { parameter: 'Idempotency-Key', key })
}
