/** Retries of failed requests: which failures, how often and after which pauses. */
import { OqsError } from './oqs-error.ts'

/** Waits for a time; rejects with the reason of the signal when it aborts. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export interface RetryOptions {
  /** The number of retries after which a failure is final; 0 never retries. */
  readonly retries?: number
  /** The longest pause before the first retry; it doubles with each retry. */
  readonly firstPauseMs?: number
  /** The upper limit of every pause, also of one that `Retry-After` requests. */
  readonly longestPauseMs?: number
  /** Whether to retry if the service cannot be reached and has never answered this client. */
  readonly retryUnreachable?: boolean
  /** Replaces the timer. */
  readonly pause?: Pause
  /** Replaces `Math.random`, which spreads the pauses. */
  readonly random?: () => number
}

const RETRIES = 5
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

/** Counts the retries of one operation and pauses before each of them. */
export class RetryPolicy {
  #retries = 0
  readonly #options: RetryOptions
  readonly #signal: AbortSignal | undefined

  constructor(options: RetryOptions, signal: AbortSignal | undefined) {
    this.#options = options
    this.#signal = signal
  }

  /** Starts counting from zero, after progress was made. */
  reset(): void {
    this.#retries = 0
  }

  /** Waits before the next retry; throws the failure if it is final or the signal aborts. */
  async wait(failure: unknown): Promise<void> {
    const { retries = RETRIES, pause = realPause } = this.#options
    if (!isRetryable(failure) || this.#retries >= retries) throw failure
    if (this.#signal?.aborted) throw failure
    const ms = this.#nextPauseMs(failure)
    this.#retries += 1
    await pause(ms, this.#signal).catch(() => {
      // The failure says more than the aborted pause.
      throw failure
    })
  }

  /**
   * A random part of an interval that doubles, so that clients that failed together do not retry
   * together. A pause that the service requested is kept, and the random part is added to it.
   */
  #nextPauseMs({ retryAfterMs = 0 }: OqsError): number {
    const {
      firstPauseMs = FIRST_PAUSE_MS,
      longestPauseMs = LONGEST_PAUSE_MS,
      random = Math.random,
    } = this.#options
    const jitter = random() * firstPauseMs * 2 ** (retryAfterMs > 0 ? 0 : this.#retries)
    return Math.min(retryAfterMs + jitter, longestPauseMs)
  }
}

function realPause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
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
