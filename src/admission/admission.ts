/** Admits requests: the limits of each caller, its turns, its batches, and how fast it is refused. */
import { CallerLimits, type CallerLimitsOptions, type CallerRate } from './caller-limits.ts'
import { FairQueue, type QueueState } from './fair-queue.ts'
import { FairTurns } from './fair-turns.ts'
import { RefusalDelay } from './refusal-delay.ts'
import { REAL_TIMER, type Timer } from './timer.ts'

/** The number of concurrent batches of one caller; `oqs import` sends three. */
const BATCHES_PER_CALLER = 4
/** The number of concurrent reads of one caller that follows changes; each takes up to 30 MB. */
const FOLLOWED_READS_PER_CALLER = 4
/** Shorter than the time after which a connection is considered stalled. */
const MAX_WAIT_MS = 20_000
/**
 * A change of a large definition keeps the main thread and the writer busy. If others send requests
 * meanwhile, the next change of its caller waits for a multiple of the time that was more than usual.
 */
const REST = { usualMs: 50, factor: 10, maxMs: 2000 } as const

/** A request in progress. */
interface AdmittedRequest {
  readonly callerId: string
  /** Runs a callback when the request ends. */
  defer(callback: () => void): void
}

export interface AdmissionLimits extends CallerLimitsOptions {
  /** The number of requests of one caller that follow changes. */
  readonly maxFollowers: number
}

export class Admission {
  readonly #limits: CallerLimits
  /** The requests that count as in progress. */
  readonly #admitted = new WeakSet<AdmittedRequest>()
  readonly #followers: CallerLimits
  /** The requests that follow changes. */
  readonly #following = new WeakSet<AdmittedRequest>()
  #followerCount = 0
  readonly #turns: FairTurns
  readonly #refusals = new RefusalDelay()
  readonly #batches = new FairQueue({
    slots: Infinity,
    slotsPerCaller: BATCHES_PER_CALLER,
    maxWaitMs: MAX_WAIT_MS,
    busyReason: 'Too many batches are being written.',
  })

  readonly #followedReads = new FairQueue({
    slots: Infinity,
    slotsPerCaller: FOLLOWED_READS_PER_CALLER,
    maxWaitMs: MAX_WAIT_MS,
    busyReason: 'Too many followers of this caller read changes.',
  })
  readonly #changes: FairQueue
  readonly #timer: Timer

  constructor(limits: AdmissionLimits, turns = new FairTurns(), timer = REAL_TIMER) {
    this.#limits = new CallerLimits(limits)
    this.#followers = new CallerLimits({
      maxConcurrentRequests: limits.maxFollowers,
      requestsPerMinute: 'none',
      now: limits.now,
      describeExcess: (max) =>
        `More than ${max} requests, streams and WebSockets of this caller follow changes. Close some, or share them between the readers of one program.`,
    })
    this.#turns = turns
    this.#timer = timer
    this.#changes = new FairQueue({
      slots: Infinity,
      slotsPerCaller: 1,
      maxWaitMs: MAX_WAIT_MS,
      busyReason: 'Too many definitions are being changed.',
      timer,
    })
  }

  /** Counts a request for its caller until it ends. Throws `TooManyRequests` at a limit. */
  admit(request: AdmittedRequest): void {
    const { callerId } = request
    this.#limits.enter(callerId)
    this.#admitted.add(request)
    request.defer(() => this.#leave(request))
  }

  /** Returns what a caller may still send; undefined if there is no limit. */
  rateOf(callerId: string): CallerRate | undefined {
    return this.#limits.rateOf(callerId)
  }

  /**
   * Counts a request as one that follows changes, for up to days, instead of one in progress. Throws
   * `TooManyRequests` if too many requests of the caller do: each takes a connection.
   */
  startFollowing(request: AdmittedRequest): void {
    if (this.#following.has(request)) return
    const { callerId } = request
    this.#followers.enter(callerId)
    this.#following.add(request)
    this.#leave(request)
    this.#followerCount += 1
    request.defer(() => {
      this.#followers.leave(callerId)
      this.#followerCount -= 1
    })
  }

  /** The number of requests that follow changes. */
  get followerCount(): number {
    return this.#followerCount
  }

  /** Reads changes for followers when their caller has a free slot. */
  runFollowed<T>(callerId: string, read: () => Promise<T>): Promise<T> {
    return this.#followedReads.run({ callerId }, read)
  }

  /** Runs work that counts as a request of its own. Throws `TooManyRequests` at a limit. */
  async runCounted<T>(callerId: string, work: () => Promise<T>): Promise<T> {
    this.#limits.enter(callerId)
    try {
      await this.#turns.take(callerId)
      return await work()
    } finally {
      this.#limits.leave(callerId)
    }
  }

  #leave(request: AdmittedRequest): void {
    if (this.#admitted.delete(request)) this.#limits.leave(request.callerId)
  }

  /** Returns a promise to wait for while other callers have their turn, or undefined to go ahead. */
  takeTurn(callerId: string): Promise<void> | undefined {
    return this.#turns.take(callerId)
  }

  /** Takes another turn for work that was interrupted since the given round. */
  resumeTurn(callerId: string, round: number): Promise<void> | undefined {
    return round === this.#turns.round ? undefined : this.#turns.take(callerId)
  }

  /** The current round of turns, see `resumeTurn`. */
  get round(): number {
    return this.#turns.round
  }

  /** Runs a write when the caller has a free slot. */
  runBatch<T>(
    owner: { readonly callerId: string; readonly signal: AbortSignal },
    write: () => Promise<T>,
  ): Promise<T> {
    return this.#batches.run(owner, write)
  }

  /**
   * Waits until no other request of the caller changes a definition; this one then does until it ends.
   * Of several changes at the same time, each but the first would be planned again and again.
   */
  awaitChange(request: AdmittedRequest & { signal(): AbortSignal }): Promise<void> {
    const owner = { callerId: request.callerId, signal: request.signal() }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const change = async () => {
      const startedAt = this.#timer.now()
      resolve()
      await new Promise<void>((end) => request.defer(end))
      const excessMs = this.#timer.now() - startedAt - REST.usualMs
      if (excessMs <= 0 || !this.#turns.isShared()) return
      const restMs = Math.min(REST.maxMs, REST.factor * excessMs)
      await new Promise<void>((end) => this.#timer.after(restMs, end))
    }
    this.#changes.run(owner, change).catch(reject)
    return promise
  }

  /** Returns how long to delay the next refusal of a caller. */
  refusalDelayMs(callerId: string): number {
    return this.#refusals.next(callerId)
  }

  /** The queues by name. */
  queues(): Readonly<Record<string, QueueState>> {
    return { batches: this.#batches.state(), changes: this.#changes.state() }
  }

  /** Rejects queued and future batches, changes of definitions and reads of followers. */
  drain(reason: string): void {
    this.#batches.close(reason)
    this.#changes.close(reason)
    this.#followedReads.close(reason)
  }
}
