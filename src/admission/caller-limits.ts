/**
 * Limits how many requests one caller may have in progress and send per minute. Both are counted per
 * process and checked when a request arrives, so a caller over its limit is refused at once.
 */
import { ObjectQueryError } from '../contract/errors.ts'
import { CallerMap } from './caller-map.ts'
import { TokenBucket } from './token-bucket.ts'

export type Limit = number | 'none'

export interface CallerLimitsOptions {
  readonly maxConcurrentRequests: Limit
  readonly requestsPerMinute: Limit
  /** The clock, in milliseconds. */
  readonly now: () => number
}

interface CallerUse {
  inProgress: number
  /** The requests that the caller may still send; undefined if there is no limit. */
  readonly bucket: TokenBucket | undefined
}

export class CallerLimits {
  readonly #maxConcurrent: number
  readonly #perMinute: Limit
  readonly #now: () => number
  readonly #callers: CallerMap<CallerUse>

  constructor({ maxConcurrentRequests, requestsPerMinute, now }: CallerLimitsOptions) {
    this.#maxConcurrent = maxConcurrentRequests === 'none' ? Infinity : maxConcurrentRequests
    this.#perMinute = requestsPerMinute
    this.#now = now
    this.#callers = new CallerMap({
      create: () => ({ inProgress: 0, bucket: newBucket(requestsPerMinute, now()) }),
      isIdle: ({ inProgress, bucket }) => inProgress === 0 && (bucket?.isFull(now()) ?? true),
    })
  }

  /** Counts a request, or throws `TooManyRequests`. `leave` must follow exactly once. */
  enter(callerId: string): void {
    const use = this.#callers.findOrCreate(callerId)
    if (use.inProgress >= this.#maxConcurrent) {
      throw new ObjectQueryError('TooManyRequests', {
        reason: `More than ${this.#maxConcurrent} requests are in progress.`,
        maxConcurrentRequests: this.#maxConcurrent,
        retryAfterSeconds: 1,
      })
    }
    if (use.bucket !== undefined && !use.bucket.take(this.#now())) {
      throw new ObjectQueryError('TooManyRequests', {
        reason: `More than ${this.#perMinute} requests were sent in a minute.`,
        requestsPerMinute: this.#perMinute,
        retryAfterSeconds: use.bucket.secondsUntilToken(),
      })
    }
    use.inProgress += 1
  }

  leave(callerId: string): void {
    const use = this.#callers.find(callerId)
    if (use !== undefined) use.inProgress -= 1
  }
}

function newBucket(perMinute: Limit, nowMs: number): TokenBucket | undefined {
  if (perMinute === 'none') return undefined
  return new TokenBucket({ capacity: perMinute, tokensPerSecond: perMinute / 60 }, nowMs)
}
