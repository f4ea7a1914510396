/**
 * Bearer tokens, codes and the secrets of OAuth clients: only their hashes are stored. Looks up API
 * tokens, and records when tokens and clients were last used.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { CoalescedRead } from '../admission/coalesced-read.ts'
import { FairQueue, type QueueState } from '../admission/fair-queue.ts'
import type { ApiToken, Documents } from '../store/object-store.ts'

const SECRET_BYTES = 32

/** Returns a new secret. The prefix lets people and secret scanners recognise a leaked one. */
export function newSecret(prefix: string): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64url')
}

/** Hashes a secret. Secrets are long and random, so a fast hash is as safe as a slow one. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Compares two hashes of `hashSecret` in constant time. */
export function sameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

const MAX_WAIT_MS = 5000
/** The expected duration of a lookup until some were measured. */
const FIRST_AVERAGE_MS = 2
const KNOWN_TOKENS = 10_000

type FindToken = () => Promise<ApiToken | undefined>

/**
 * Looks up API tokens in the store. Concurrent requests with one token share a lookup. Tokens that
 * were never valid here have few slots, queued by client address, so that they do not delay others.
 */
export class TokenLookups {
  readonly #known = new LRUCache<string, true>({ max: KNOWN_TOKENS })
  readonly #joined = new Map<string, CoalescedRead<ApiToken | undefined>>()
  readonly #queue = new FairQueue({
    slots: 4,
    slotsPerCaller: 3,
    maxWaitMs: MAX_WAIT_MS,
    busyReason: 'Too many tokens are being looked up.',
    firstAverageMs: FIRST_AVERAGE_MS,
  })
  readonly #unknownQueue = new FairQueue({
    slots: 2,
    slotsPerCaller: 1,
    maxWaitMs: MAX_WAIT_MS,
    busyReason: 'Too many unknown tokens are being looked up.',
    firstAverageMs: FIRST_AVERAGE_MS,
  })

  run(tokenHash: string, address: string, find: FindToken): ReturnType<FindToken> {
    if (!this.#known.has(tokenHash)) return this.#unknownQueue.run({ callerId: address }, find)
    const joined = this.#joined.get(tokenHash)
    if (joined !== undefined) return joined.run()
    const lookup = new CoalescedRead(
      () => this.#queue.run({ callerId: tokenHash }, find),
      () => this.#joined.delete(tokenHash),
    )
    this.#joined.set(tokenHash, lookup)
    return lookup.run()
  }

  /** Notes that a token is valid. It is still checked for every request. */
  noteKnown(tokenHash: string): void {
    // Reading it also marks it as used lately, and costs less than writing.
    if (this.#known.get(tokenHash) === undefined) this.#known.set(tokenHash, true)
  }

  /** The queues by name. */
  queues(): Readonly<Record<string, QueueState>> {
    return {
      'token lookups': this.#queue.state(),
      'unknown token lookups': this.#unknownQueue.state(),
    }
  }
}

const MINUTE_MS = 60_000
/** Each process stores the use of a credential this often at most, so that reads stay reads. */
const INTERVAL_MS = 5 * MINUTE_MS
/** Uses that are older are deleted; the credential then counts as never used. */
const KEPT_MS = 400 * 24 * 60 * MINUTE_MS

/** Forgetting one only means that its use is stored more often. */
const MAX_CREDENTIALS = 10_000

/** When API tokens and OAuth clients were last used, so that people can revoke those that nobody needs. */
export class CredentialUses {
  readonly #documents: Documents
  /** The uses that this process stored, by the id of the token or client. */
  readonly #stored = new LRUCache<string, number>({ max: MAX_CREDENTIALS })

  constructor(documents: Documents) {
    this.#documents = documents
  }

  /** Notes a use. The request does not wait, and succeeds even if the use cannot be stored. */
  note(id: string, nowMs: number): void {
    const storedMs = this.#stored.get(id)
    if (storedMs !== undefined && nowMs - storedMs < INTERVAL_MS) return
    this.#stored.set(id, nowMs)
    const document = {
      kind: 'credentialUse',
      id,
      body: nowMs,
      expiresAtMs: nowMs + KEPT_MS,
    } as const
    this.#documents.put(document).catch(() => {})
  }

  /** Returns the last use of each credential, by id. */
  async readAll(nowMs: number): Promise<ReadonlyMap<string, number>> {
    const uses = new Map<string, number>()
    for (const { id, body } of await this.#documents.list('credentialUse', nowMs)) {
      uses.set(id, body as number)
    }
    // This process may not have stored its newest uses yet.
    for (const [id, usedMs] of this.#stored.entries())
      uses.set(id, Math.max(usedMs, uses.get(id) ?? 0))
    return uses
  }
}
