import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionError, ServiceError } from './service-error.ts'

/** Trying again: how often, and with which pauses. */

/** Waits; ends early, with an error, when the signal says so. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>

export const realPause: Pause = (ms, signal) => sleep(ms, undefined, { signal })

/** The pause before each repetition; after the last one the failure counts. */
const PAUSES_MS = [250, 500, 1000, 2000, 4000]

/** A service that asks for a longer pause than this is not waited for that long. */
const LONGEST_PAUSE_MS = 30_000

/** Pauses between tries; a success in between starts it anew. */
export class Patience {
  #tries = 0
  readonly #pause: Pause
  readonly #signal: AbortSignal | undefined

  constructor(pause: Pause, signal: AbortSignal | undefined) {
    this.#pause = pause
    this.#signal = signal
  }

  renew(): void {
    this.#tries = 0
  }

  /** Waits before the next try, or throws what went wrong when there were enough. */
  async wait(failure: ConnectionError | ServiceError): Promise<void> {
    const pauseMs = PAUSES_MS[this.#tries]
    if (pauseMs === undefined || this.#signal?.aborted === true) throw failure
    this.#tries += 1
    const askedMs = failure instanceof ServiceError ? failure.retryAfterMs : undefined
    const ms = Math.min(askedMs ?? pauseMs, LONGEST_PAUSE_MS)
    await this.#pause(ms, this.#signal).catch(() => {
      // Whoever ends the waiting wants to know what was waited for.
      throw failure
    })
  }
}

/** Whether a failure may pass by itself. */
export function mayPass(error: unknown): error is ConnectionError | ServiceError {
  if (error instanceof ConnectionError) return error.isLost
  return error instanceof ServiceError && [429, 503].includes(error.status)
}

/** `Retry-After`: seconds, or a date. */
export function readRetryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
