import type { CallOptions } from './connection.ts'

/** Options of a call that the service applies once, even if it is repeated. */
export interface IdempotentCallOptions extends CallOptions {
  /** A call with the key of an earlier one returns its result. By default, each call has a new key. */
  readonly idempotencyKey?: string | undefined
}

/** Returns a random key for one write; `crypto.randomUUID` would need a secure page. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
