/**
 * Limits how many requests one caller may have in progress and send per minute. Both are counted per
 * process and checked when a request arrives, so a caller over its limit is refused at once.
 */
import { ObjectQueryError } from '../contract/errors.ts'

export type Limit = number | 'none'

export interface CallerLimitsOptions {
  readonly maxConcurrentRequests: Limit
  readonly requestsPerMinute: Limit
  /** The clock, in milliseconds. */
  readonly now: () => number
  /** Returns why a request beyond the maximum in progress is refused, as a sentence. */
  readonly describeExcess?: (max: number) => string
}

/** The requests that a caller may send per minute, and how many of them are left. */
export interface CallerRate {
  readonly limit: number
  readonly remaining: number
  /** The seconds until none of them is used, if the caller sends no others. */
  readonly resetSeconds: number
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
  readonly #describeExcess: (max: number) => string
  readonly #callers: CallerMap<CallerUse>

  constructor(options: CallerLimitsOptions) {
    const { maxConcurrentRequests, requestsPerMinute, now } = options
    this.#describeExcess =
      options.describeExcess ?? ((max) => `More than ${max} requests are in progress.`)
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
        reason: this.#describeExcess(this.#maxConcurrent),
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

  /** Returns what is left of the requests per minute; undefined if there is no limit. */
  rateOf(callerId: string): CallerRate | undefined {
    if (this.#perMinute === 'none') return undefined
    // A caller that is not known has sent nothing for a minute.
    const bucket = this.#callers.find(callerId)?.bucket
    const left = bucket?.read(this.#now()) ?? { remaining: this.#perMinute, resetSeconds: 0 }
    return { limit: this.#perMinute, ...left }
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

/**
 * The state of each caller, created on first use. Once there are many callers, idle ones are
 * evicted, so the map is bounded by the number of callers that are active at the same time.
 */
export interface CallerMapOptions<State> {
  readonly create: () => State
  /** True if the caller behaves like a new one, so that evicting it changes nothing. */
  readonly isIdle: (state: State) => boolean
  /** The number of callers from which on idle ones are evicted. */
  readonly maxCallers?: number
}

const MAX_CALLERS = 10_000

export class CallerMap<State> {
  readonly #options: CallerMapOptions<State>
  readonly #maxCallers: number
  readonly #states = new Map<string, State>()
  #evictAt: number

  constructor(options: CallerMapOptions<State>) {
    this.#options = options
    this.#maxCallers = options.maxCallers ?? MAX_CALLERS
    this.#evictAt = this.#maxCallers
  }

  get size(): number {
    return this.#states.size
  }

  values(): Iterable<State> {
    return this.#states.values()
  }

  find(callerId: string): State | undefined {
    return this.#states.get(callerId)
  }

  findOrCreate(callerId: string): State {
    const known = this.#states.get(callerId)
    if (known !== undefined) return known
    if (this.#states.size >= this.#evictAt) this.#evictIdle()
    const state = this.#options.create()
    this.#states.set(callerId, state)
    return state
  }

  #evictIdle(): void {
    for (const [callerId, state] of this.#states) {
      if (this.#options.isIdle(state)) this.#states.delete(callerId)
    }
    // Doubles while most callers are active, so that a scan costs little per new caller.
    this.#evictAt = Math.max(this.#maxCallers, 2 * this.#states.size)
  }
}

/**
 * A token bucket: holds up to `capacity` tokens and refills at a steady rate. Taking a token fails
 * while the bucket is empty. The caller passes the time in, in milliseconds from any fixed point.
 */
export interface TokenBucketOptions {
  readonly capacity: number
  readonly tokensPerSecond: number
}

export class TokenBucket {
  readonly #capacity: number
  readonly #tokensPerMs: number
  #tokens: number
  #refilledAtMs: number

  constructor({ capacity, tokensPerSecond }: TokenBucketOptions, nowMs: number) {
    this.#capacity = capacity
    this.#tokensPerMs = tokensPerSecond / 1000
    this.#tokens = capacity
    this.#refilledAtMs = nowMs
  }

  /** Takes one token. Returns false if there is none. */
  take(nowMs: number): boolean {
    this.#refill(nowMs)
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /** Returns the whole seconds until a token can be taken, counted from the last call of `take`. */
  secondsUntilToken(): number {
    return Math.ceil((1 - this.#tokens) / this.#tokensPerMs / 1000)
  }

  /** Returns the whole tokens, and the whole seconds until the bucket is full. */
  read(nowMs: number): { readonly remaining: number; readonly resetSeconds: number } {
    this.#refill(nowMs)
    const missing = this.#capacity - this.#tokens
    return {
      remaining: Math.floor(this.#tokens),
      resetSeconds: Math.ceil(missing / this.#tokensPerMs / 1000),
    }
  }

  /** True if the bucket is full, and therefore the same as a new one. */
  isFull(nowMs: number): boolean {
    this.#refill(nowMs)
    return this.#tokens === this.#capacity
  }

  #refill(nowMs: number): void {
    // A clock that was set back refills nothing.
    const elapsedMs = Math.max(0, nowMs - this.#refilledAtMs)
    this.#tokens = Math.min(this.#capacity, this.#tokens + elapsedMs * this.#tokensPerMs)
    this.#refilledAtMs = nowMs
  }
}

/** A token bucket for each caller. */
export class CallerBuckets {
  readonly #now: () => number
  readonly #buckets: CallerMap<TokenBucket>

  /** The clock returns milliseconds from any fixed point. */
  constructor(options: TokenBucketOptions, now: () => number = () => performance.now()) {
    this.#now = now
    this.#buckets = new CallerMap({
      create: () => new TokenBucket(options, now()),
      isIdle: (bucket) => bucket.isFull(now()),
    })
  }

  /** Takes a token from the bucket of a caller. Returns false if the bucket is empty. */
  take(callerId: string): boolean {
    return this.#buckets.findOrCreate(callerId).take(this.#now())
  }
}
