/**
 * Limits what one caller may have in progress and send per minute. Both are counted per process and
 * checked when a request arrives, so a caller over its limit is refused at once.
 */
import { ObjectQueryError } from '../contract/errors.ts'

export type Limit = number | 'none'

export interface CallerLimitsOptions {
  readonly maxConcurrentRequests: Limit
  readonly requestsPerMinute: Limit
  /** Milliseconds. */
  readonly now: () => number
}

interface CallerUse {
  inProgress: number
  /** Requests that may still be sent, refilled over the minute: a token bucket. */
  tokens: number
  refilledAt: number
}

const MINUTE_MS = 60_000
/** Past this number, callers that are idle and have a full bucket are evicted. */
const MANY_CALLERS = 10_000

export class CallerLimits {
  readonly #maxConcurrent: number
  readonly #perMinute: number
  readonly #now: () => number
  readonly #callers = new Map<string, CallerUse>()

  constructor({ maxConcurrentRequests, requestsPerMinute, now }: CallerLimitsOptions) {
    this.#maxConcurrent = maxConcurrentRequests === 'none' ? Infinity : maxConcurrentRequests
    this.#perMinute = requestsPerMinute === 'none' ? Infinity : requestsPerMinute
    this.#now = now
  }

  /** Counts a request, or throws `TooManyRequests`. `leave` must follow exactly once. */
  enter(callerId: string): void {
    const use = this.#callers.get(callerId) ?? this.#add(callerId)
    if (use.inProgress >= this.#maxConcurrent) {
      throw new ObjectQueryError('TooManyRequests', {
        reason: `More than ${this.#maxConcurrent} requests are in progress.`,
        maxConcurrentRequests: this.#maxConcurrent,
        retryAfterSeconds: 1,
      })
    }
    if (this.#perMinute !== Infinity) this.#takeToken(use)
    use.inProgress += 1
  }

  leave(callerId: string): void {
    const use = this.#callers.get(callerId)
    if (use !== undefined) use.inProgress -= 1
  }

  #takeToken(use: CallerUse): void {
    const now = this.#now()
    const perMs = this.#perMinute / MINUTE_MS
    // A clock that was set back refills nothing.
    const refilled = use.tokens + Math.max(0, now - use.refilledAt) * perMs
    use.tokens = Math.min(this.#perMinute, refilled)
    use.refilledAt = now
    if (use.tokens < 1) {
      throw new ObjectQueryError('TooManyRequests', {
        reason: `More than ${this.#perMinute} requests were sent in a minute.`,
        requestsPerMinute: this.#perMinute,
        retryAfterSeconds: Math.ceil((1 - use.tokens) / perMs / 1000),
      })
    }
    use.tokens -= 1
  }

  #add(callerId: string): CallerUse {
    if (this.#callers.size >= MANY_CALLERS) this.#evictIdle()
    const use = { inProgress: 0, tokens: this.#perMinute, refilledAt: this.#now() }
    this.#callers.set(callerId, use)
    return use
  }

  #evictIdle(): void {
    const now = this.#now()
    for (const [callerId, { inProgress, refilledAt }] of this.#callers) {
      if (inProgress === 0 && now - refilledAt > MINUTE_MS) this.#callers.delete(callerId)
    }
  }
}
