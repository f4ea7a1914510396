/** Retries of failed requests: which failures, for how long and after which pauses. */
import { OqsError } from './oqs-error.ts'

/** Waits for a time; rejects with the reason of the signal when it aborts. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export interface RetryOptions {
  /** The number of retries after which a failure is final; 0 never retries. Default: no limit. */
  readonly retries?: number
  /** How long after the first failure of an operation a further failure is final. */
  readonly giveUpAfterMs?: number
  /** The longest pause before the first retry; it doubles with each retry. */
  readonly firstPauseMs?: number
  /** The upper limit of every pause. */
  readonly longestPauseMs?: number
  /** The upper limit of the pauses that `Retry-After` requests. */
  readonly longestRetryAfterMs?: number
  /** How long to wait for a service that nothing listens for and that has never answered this client. */
  readonly waitForServiceMs?: number
  /** Called before each pause. */
  readonly onPause?: (failure: OqsError, ms: number) => void
  /** Replaces the timer. */
  readonly pause?: Pause
  /** Replaces the clock; returns milliseconds. */
  readonly now?: () => number
  /** Replaces `Math.random`, which spreads the pauses. */
  readonly random?: () => number
}

/** A service that restarts, with its recovery, is back within a minute; the rest is a reserve. */
const GIVE_UP_AFTER_MS = 120_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
const LONGEST_RETRY_AFTER_MS = 30_000

/** Decides how long one operation is retried, and pauses before each retry. */
export class RetryPolicy {
  #retries = 0
  #failingSince: number | undefined
  readonly #options: RetryOptions
  readonly #signal: AbortSignal | undefined

  constructor(options: RetryOptions, signal: AbortSignal | undefined) {
    this.#options = options
    this.#signal = signal
  }

  /** Starts counting from zero, after progress was made. */
  reset(): void {
    this.#retries = 0
    this.#failingSince = undefined
  }

  /** Waits before the next retry; throws the failure if it is final or the signal aborts. */
  async wait(failure: unknown): Promise<void> {
    const { pause = realPause } = this.#options
    if (!isRetryable(failure) || this.#isFinal()) throw failure
    if (this.#signal?.aborted) throw failure
    const ms = this.#nextPauseMs(failure)
    this.#retries += 1
    this.#options.onPause?.(failure, ms)
    await pause(ms, this.#signal).catch(() => {
      // The failure says more than the aborted pause.
      throw failure
    })
  }

  #isFinal(): boolean {
    const {
      retries = Number.POSITIVE_INFINITY,
      giveUpAfterMs = GIVE_UP_AFTER_MS,
      now = monotonicNow,
    } = this.#options
    this.#failingSince ??= now()
    return this.#retries >= retries || now() - this.#failingSince >= giveUpAfterMs
  }

  /**
   * Half of an interval that doubles, and a random part of the other half, so that clients that
   * failed together do not retry together. Without the fixed half, all pauses together could be
   * shorter than any restart. A pause that the service requested is kept, and the random part is
   * added to it.
   */
  #nextPauseMs({ retryAfterMs = 0 }: OqsError): number {
    const {
      firstPauseMs = FIRST_PAUSE_MS,
      longestPauseMs = LONGEST_PAUSE_MS,
      longestRetryAfterMs = LONGEST_RETRY_AFTER_MS,
      random = Math.random,
    } = this.#options
    if (retryAfterMs > 0) {
      return Math.min(retryAfterMs + random() * firstPauseMs, longestRetryAfterMs)
    }
    const interval = Math.min(firstPauseMs * 2 ** this.#retries, longestPauseMs)
    return (interval * (1 + random())) / 2
  }
}

/** A clock that never goes back, unlike that of the system. */
export function monotonicNow(): number {
  return performance.now()
}

/** Waits; rejects with the reason of the signal when it aborts. */
export function realPause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** A proxy answers with more statuses while the service restarts. */
const TEMPORARY_STATUSES = { service: [429, 503], proxy: [429, 502, 503, 504] }

/** Returns whether the failure that a status means may be temporary. */
export function isTemporary(status: number, of: keyof typeof TEMPORARY_STATUSES): boolean {
  return TEMPORARY_STATUSES[of].includes(status)
}

/** Returns whether a failure may be temporary. */
export function isRetryable(error: unknown): error is OqsError {
  return error instanceof OqsError && error.isRetryable
}

/** Parses a `Retry-After` header, which holds seconds or a date, into milliseconds. */
export function readRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
