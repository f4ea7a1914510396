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
