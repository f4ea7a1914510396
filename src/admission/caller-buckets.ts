/** A token bucket for each caller. */
import { CallerMap } from './caller-map.ts'
import { TokenBucket, type TokenBucketOptions } from './token-bucket.ts'

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
