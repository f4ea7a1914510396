/**
 * Looks up API tokens in the store. Concurrent requests with one token share a lookup. Tokens that
 * were never valid here have few slots, queued by client address, so that they do not delay others.
 */
import { LRUCache } from 'lru-cache'
import { CoalescedRead } from '../admission/coalesced-read.ts'
import { FairQueue, type QueueState } from '../admission/fair-queue.ts'
import type { ApiToken } from '../store/object-store.ts'

const MAX_WAIT_MS = 5000
/** The expected duration of a lookup until some were measured. */
const FIRST_AVERAGE_MS = 2
const KNOWN_TOKENS = 10_000

type FindToken = () => Promise<ApiToken | undefined>

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
