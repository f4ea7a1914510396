/** Retries of failed requests: which failures, how often and after which pauses. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError, ServiceError } from './service-error.ts'

/** Waits for a time; rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export const realPause: Pause = (ms, signal) => sleep(ms, undefined, { signal })

/** The pause before each retry; after the last retry the failure is final. */
const PAUSES_MS = [250, 500, 1000, 2000, 4000]

/** Upper limit for the pause that a service requests with `Retry-After`. */
const LONGEST_PAUSE_MS = 30_000

/** Counts the retries of one operation and pauses before each of them. */
export class RetryPolicy {
  #retries = 0
  readonly #pause: Pause
  readonly #signal: AbortSignal | undefined

  constructor(pause: Pause, signal: AbortSignal | undefined) {
    this.#pause = pause
    this.#signal = signal
  }

  /** Starts counting from zero, after progress was made. */
  reset(): void {
    this.#retries = 0
  }

  /** Waits before the next retry; throws the failure if there were enough retries. */
  async wait(failure: ConnectionError | ServiceError): Promise<void> {
    const pauseMs = PAUSES_MS[this.#retries]
    if (pauseMs === undefined || this.#signal?.aborted === true) throw failure
    this.#retries += 1
    const requestedMs = failure instanceof ServiceError ? failure.retryAfterMs : undefined
    const ms = Math.min(requestedMs ?? pauseMs, LONGEST_PAUSE_MS)
    await this.#pause(ms, this.#signal).catch(() => {
      // The failure says more than the aborted pause.
      throw failure
    })
  }
}

/** Returns whether a failure may be temporary. */
export function isRetryable(error: unknown): error is ConnectionError | ServiceError {
  if (error instanceof ConnectionError) return error.isLost
  return error instanceof ServiceError && [429, 503].includes(error.status)
}

/** Parses a `Retry-After` header, which holds seconds or a date, into milliseconds. */
export function readRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
