/**
 * The header `Idempotency-Key`: a client that received no response repeats its request with the same
 * key, and the request is applied once. The store keeps the key with the commit.
 */
import { type Hash, hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../access/caller-rights.ts'
import { invalidArgument } from '../../contract/errors.ts'
import { IDEMPOTENCY_KEY_MAX_LENGTH, IDEMPOTENCY_KEY_TTL_SECONDS } from '../../contract/limits.ts'
import type { Commit, IdempotencyKey } from '../../store/object-store.ts'
import type { Services } from '../services.ts'

/** The part of a request that its key is bound to. */
export interface KeyedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly caller: Caller
  readonly body?: unknown
}

/** Returns the key of a request; undefined if it has none. */
export function readIdempotencyKey(
  request: KeyedRequest,
  { now }: Pick<Services, 'now'>,
  digestBody: () => string = () => hash('sha256', JSON.stringify(request.body) ?? '', 'base64url'),
): IdempotencyKey | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalidArgument('Idempotency-Key', 'must consist of visible ASCII characters')
  }
  if (key.length > IDEMPOTENCY_KEY_MAX_LENGTH) {
    const reason = `is longer than ${IDEMPOTENCY_KEY_MAX_LENGTH} characters`
    throw invalidArgument('Idempotency-Key', reason)
  }
  const nowMs = now()
  const { method, url, headers, caller } = request
  return {
    callerId: caller.id,
    key,
    fingerprint: () => {
      const { 'if-match': ifMatch = null, 'if-none-match': ifNoneMatch = null } = headers
      const parts = [method, url, ifMatch, ifNoneMatch, digestBody()]
      return hash('sha256', JSON.stringify(parts), 'base64url')
    },
    nowMs,
    expiresAtMs: nowMs + 1000 * IDEMPOTENCY_KEY_TTL_SECONDS,
  }
}

/** Returns the digest of a body that was read in chunks; may be called repeatedly. */
export function digestOf(body: Hash): string {
  return body.copy().digest('base64url')
}

/** Tells the client that an earlier request with the same key was applied. */
export function repeatHeaders({ isRepeated = false }: Commit): Readonly<Record<string, string>> {
  return isRepeated ? { 'idempotency-replayed': 'true' } : {}
}
